// Draws how a controller was pushed in the last ten seconds, and how it is held now.

import { decimal } from "/common/language.js";
import { plain } from "/common/names.js";
import { gestureWords } from "../data/event-words.js";
import { SPAN } from "../data/motions.js";
import { drawDevice } from "../figures/device.js";

/** The canvas in the pixels of this screen; its context, ready to draw in CSS pixels, emptied. */
export function prepared(canvas) {
    const scale = Math.min(3, globalThis.devicePixelRatio || 1);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
        [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    }
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    return { context, width, height };
}

/** The page's colours, as canvas needs them. */
export function palette() {
    const style = getComputedStyle(document.documentElement);
    const value = (name) => style.getPropertyValue(name).trim();
    return {
        line: value("--line"), muted: value("--muted"), fg: value("--fg"), panel: value("--panel"),
        axes: [value("--axis-x"), value("--axis-y"), value("--axis-z")],
    };
}

export function deviceColors(screen, colors, isStale) {
    const { line, muted, fg, panel } = colors;
    return { screen: isStale ? muted : screen, back: line, side: muted, top: fg, edge: panel };
}

/** In a row of the table: the size of the push as one line, from 0 to 1.5 g or more. */
export function drawSmall(canvas, kept, now, screen, colors) {
    const { context, width, height } = prepared(canvas);
    const left = height + 6;
    context.fillStyle = colors.line;
    context.fillRect(left, height - 1, width - left, 1);
    if (!kept) return;
    drawDevice(context, height / 2, height / 2, height * 0.42, kept.attitude, deviceColors(screen, colors, kept.stale));
    const size = (age) => Math.hypot(kept.trace.at(age, 1), kept.trace.at(age, 2), kept.trace.at(age, 3));
    let top = 1.5;
    each(kept.trace, now, (age) => { top = Math.max(top, size(age)); });
    const y = (age) => height - 2 - (size(age) / top) * (height - 4);
    line(context, kept.trace, now, left, width, y, colors.fg, 1.25);
}

/** For the chosen player: all three axes, a scale in g, and the gestures that were seen. */
export function drawLarge(canvas, kept, now, colors) {
    const { context, width, height } = prepared(canvas);
    let top = 1;
    const strongest = (age) => Math.max(...[1, 2, 3].map((axis) => Math.abs(kept.trace.at(age, axis))));
    if (kept) each(kept.trace, now, (age) => { top = Math.max(top, strongest(age)); });
    const y = (g) => height / 2 - (g / top) * (height / 2 - 14);
    context.font = "12px system-ui, sans-serif";
    for (const g of [-top, 0, top]) {
        context.fillStyle = colors.line;
        context.fillRect(0, Math.round(y(g)), width, 1);
        context.fillStyle = colors.muted;
        context.fillText(`${g > 0 ? "+" : ""}${decimal(g, g === 0 ? 0 : 1)} g`, 2, y(g) - 3);
    }
    if (!kept) return;
    marks(context, kept.marks, now, width, height, colors);
    [1, 2, 3].forEach((axis, place) => {
        context.setLineDash([[], [6, 3], [2, 2]][place]);  // Told apart without colours, too.
        line(context, kept.trace, now, 0, width, (age) => y(kept.trace.at(age, axis)), colors.axes[place], 1.5);
    });
    context.setLineDash([]);
}

export function drawAttitude(canvas, kept, screen, colors) {
    const { context, width, height } = prepared(canvas);
    if (!kept) return;
    const radius = Math.min(width, height) * 0.4;
    context.fillStyle = colors.line;
    context.beginPath();
    context.ellipse(width / 2, height / 2 + radius * 0.1, radius * 1.05, radius * 0.68, 0, 0, 2 * Math.PI);
    context.fill();
    drawDevice(context, width / 2, height / 2, radius, kept.attitude, deviceColors(screen, colors, kept.stale));
}

function marks(context, all, now, width, height, colors) {
    const rows = [width, width];  // Where the last word of each row begins: words that meet would be unreadable.
    for (const { at, gesture } of all.toReversed()) {
        const x = width * (1 - (now - at) / SPAN);
        if (x < 0) continue;
        context.fillStyle = colors.line;
        context.fillRect(x, 0, 1, height);
        const words = plain(gestureWords(gesture));
        const size = context.measureText(words).width;
        const left = Math.min(x + 3, width - size);
        const row = rows.findIndex((begin) => left + size <= begin);
        if (row < 0) continue;
        rows[row] = left - 6;
        context.fillStyle = colors.muted;
        context.fillText(words, left, height - 3 - 14 * row);
    }
}

function each(trace, now, body) {
    for (let age = 0; age < trace.count && now - trace.at(age, 0) < SPAN; age++) body(age);
}

function line(context, trace, now, from, width, y, color, thickness) {
    context.beginPath();
    let last = null;
    each(trace, now, (age) => {
        const at = trace.at(age, 0);
        const x = from + (width - from) * (1 - (now - at) / SPAN);
        // A second without motion is a hole, not a straight line.
        if (last === null || last - at > 1000) context.moveTo(x, y(age)); else context.lineTo(x, y(age));
        last = at;
    });
    context.strokeStyle = color;
    context.lineWidth = thickness;
    context.lineJoin = "round";
    context.stroke();
}
