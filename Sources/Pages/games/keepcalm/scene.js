// The screen: every runner has a lane of its own, as large as the screen allows, with its number, coins and jumps.
import { decimal, sentence } from "/common/language.js";
import { rules, items } from "./rules.js";
import { isolated } from "/common/names.js";
import { inkOn } from "/common/ink.js";
import { at, drawItem, drawRunner } from "./shapes.js";

const ink = "#20303c";
const font = (weight, size) => `${weight} ${size}px system-ui, "DejaVu Sans", sans-serif`;

/** Lays out so many lanes: [{x, y, w, h}], in as many columns as make the runners largest. */
export function layOut(count, width, height, gap = 8) {
    let best = null;
    for (let columns = 1; columns <= Math.max(1, Math.min(count, 6)); columns++) {
        const rows = Math.ceil(count / columns);
        const w = (width - gap * (columns + 1)) / columns;
        const h = (height - gap * (rows + 1)) / rows;
        const size = Math.min(h, w * 0.3);
        if (!best || size > best.size) best = { columns, rows, w, h, size };
    }
    return Array.from({ length: count }, (_, place) => {
        const column = Math.floor(place / best.rows), row = place % best.rows;
        return { x: gap + column * (best.w + gap), y: gap + row * (best.h + gap), w: best.w, h: best.h };
    });
}

/** Paints one lane. `who`: {number, label, name, color, isHere, isDream, isQuiet}. */
export function drawLane(pen, lane, runner, who) {
    const isWide = lane.h > 300;  // Then the figures stand in the sky; else on a board at the left.
    const board = isWide ? 0 : Math.min(Math.max(lane.h * 1.5, 108), lane.w * 0.36, 230);
    const ground = lane.h * (isWide ? 0.84 : 0.86);
    const size = Math.min(lane.h * (isWide ? 0.32 : 0.45), lane.w * 0.16);
    const rise = Math.min(ground * 0.4, size * 1.15);
    const home = board + Math.max(size * 0.9, (lane.w - board) * 0.13);
    pen.save();
    pen.translate(lane.x, lane.y);
    pen.beginPath();
    pen.roundRect(0, 0, lane.w, lane.h, Math.min(16, lane.h * 0.14));
    pen.clip();
    drawScenery(pen, lane, runner, ground, board, who.number);
    const perDistance = (lane.w - home + size) / rules.sight;
    for (const item of runner.road) {
        const x = home + (item.at - runner.distance) * perDistance;
        const sway = Math.sin(runner.distance / 260 + item.number) * size * 0.03;
        at(pen, x, ground - rise - size * 0.5 + sway, () => {
            if (item.kind !== "poo") halo(pen, size * 0.42);
            drawItem(pen, item.kind, size * 0.3);
        });
    }
    if (runner.fastUntil !== null) drawSpeed(pen, runner, home, ground, size);
    const last = runner.log.findLast((entry) => entry.what !== "jump");
    const isFresh = last && runner.time - last.time < 900;
    const mood = runner.isOver ? "done" : !isFresh ? "calm" : last.what === "poo" ? "sick" : "glad";
    const shadow = size * (0.34 - 0.14 * runner.height);
    pen.beginPath();
    pen.ellipse(home, ground + size * 0.02, shadow, shadow * 0.24, 0, 0, 2 * Math.PI);
    pen.fillStyle = "rgb(60 40 20 / 30%)";
    pen.fill();
    at(pen, home, ground - runner.height * rise, () => drawRunner(pen, {
        size, color: who.color, number: who.label ?? String(who.number), mood,
        stride: runner.distance / 420, rise: runner.height, isInAir: runner.isInAir,
    }));
    if (isWide) drawGains(pen, runner, home + size * 0.5, ground - rise - size * 1.05, size);
    else drawGains(pen, runner, home + size * 1.3, ground - rise * 0.7, size);
    if (who.isDream) return pen.restore();
    if (runner.isOver) veil(pen, lane, board);
    if (isWide) drawFigures(pen, lane, runner, who);
    else drawBoard(pen, lane, board, runner, who);
    if (who.isQuiet) { /* The results are shown elsewhere. */ }
    else if (runner.isOver) drawEnd(pen, lane, board, runner);
    else if (!who.isHere) say(pen, lane, board, sentence("game.lost"));
    pen.restore();
}

function drawScenery(pen, lane, runner, ground, board, number) {
    const sky = pen.createLinearGradient(0, 0, 0, ground);
    sky.addColorStop(0, "#9fd4f2");
    sky.addColorStop(1, "#fdf1dc");
    pen.fillStyle = sky;
    pen.fillRect(0, 0, lane.w, lane.h);
    pen.beginPath();
    pen.arc(board + (lane.w - board) * 0.5, lane.h * 0.36, lane.h * 0.1, 0, 2 * Math.PI);
    pen.fillStyle = "#fff7d6";
    pen.fill();
    pen.fillStyle = "rgb(255 255 255 / 75%)";
    for (const [place, height, breadth] of [[0.15, 0.3, 1], [0.62, 0.2, 1.3], [1.1, 0.42, 0.8]]) {
        const span = lane.w - board + lane.h;
        const size = lane.h * 0.055 * breadth;
        const drift = runner.distance * lane.h / 90_000;
        const x = board + modulo(place * (lane.w - board) + number * 97 - drift, span) - lane.h * 0.4;
        pen.beginPath();
        for (const [dx, dy, r] of [[-1.5, 0.2, 0.8], [-0.5, -0.35, 1.1], [0.7, -0.1, 1], [1.7, 0.3, 0.7]]) {
            pen.moveTo(x + dx * size + r * size, lane.h * height + dy * size);
            pen.arc(x + dx * size, lane.h * height + dy * size, r * size, 0, 2 * Math.PI);
        }
        pen.roundRect(x - size * 2.2, lane.h * height, size * 4.6, size, size / 2);
        pen.fill();
    }
    for (const [speed, height, color, waves] of [[0.012, 0.3, "#b5d8cd", 1.3], [0.03, 0.16, "#8cc3a9", 2.1]]) {
        pen.beginPath();
        pen.moveTo(board, ground);
        for (let x = board; x <= lane.w + 12; x += 12) {
            const place = (x / lane.h + runner.distance * speed / 100 + number * 1.7) * waves;
            const wave = 0.62 + 0.28 * Math.sin(place) + 0.1 * Math.sin(place * 2.3);
            pen.lineTo(x, ground - lane.h * height * wave);
        }
        pen.lineTo(lane.w, ground);
        pen.fillStyle = color;
        pen.fill();
    }
    pen.fillStyle = "#e5c896";
    pen.fillRect(0, ground, lane.w, lane.h - ground);
    pen.fillStyle = "#6fa35a";
    pen.fillRect(0, ground - lane.h * 0.012, lane.w, lane.h * 0.03);
    pen.fillStyle = "#d3b27c";
    const step = lane.h * 0.7;
    const shift = (runner.distance / rules.sight * (lane.w - board)) % step;
    const middle = ground + (lane.h - ground) * 0.55;
    for (let x = board - shift; x < lane.w; x += step) pen.fillRect(x, middle, step * 0.4, lane.h * 0.014);
}

const modulo = (value, span) => ((value % span) + span) % span;

function halo(pen, radius) {
    pen.beginPath();
    pen.arc(0, 0, radius, 0, 2 * Math.PI);
    pen.fillStyle = "rgb(255 255 255 / 55%)";
    pen.fill();
}

function drawSpeed(pen, runner, home, ground, size) {
    pen.strokeStyle = "rgb(224 43 68 / 70%)";
    pen.lineWidth = size * 0.05;
    pen.lineCap = "round";
    for (let line = 0; line < 4; line++) {
        const y = ground - size * (0.2 + 0.22 * line) - runner.height * size * 0.8;
        const length = size * (0.3 + 0.25 * ((line * 7 + Math.floor(runner.time / 60)) % 3));
        pen.beginPath();
        pen.moveTo(home - size * 0.6, y);
        pen.lineTo(home - size * 0.6 - length, y);
        pen.stroke();
    }
}

/** What was taken lately rises over the runner as words. */
function drawGains(pen, runner, x, y, size) {
    for (const { time, what } of runner.log.slice(-6)) {
        const age = (runner.time - time) / 1100;
        if (what === "jump" || age >= 1) continue;
        const bad = `${items.poo.coins}`.replace("-", "−");
        const fast = sentence("keepcalm.fast", { times: decimal(rules.fast, 1) });
        const text = { banana: "+1", blueberry: sentence("keepcalm.blueberryGives"), cherry: fast, poo: bad }[what];
        pen.globalAlpha = 1 - age * age;
        pen.font = font(800, size * 0.42);
        pen.textAlign = "center";
        pen.textBaseline = "alphabetic";
        pen.lineWidth = size * 0.1;
        pen.strokeStyle = "#fff";
        pen.fillStyle = { banana: "#8a5a00", blueberry: "#26306f", cherry: "#b3152d", poo: "#5a3214" }[what];
        pen.strokeText(text, x, y - age * size * 0.5);
        pen.fillText(text, x, y - age * size * 0.5);
        pen.globalAlpha = 1;
    }
}

/** A picture and a number beside it; returns its width. */
function figure(pen, kind, text, x, y, size, color = ink) {
    at(pen, x + size * 0.42, y, () => drawItem(pen, kind, size * 0.36));
    pen.font = font(800, size);
    pen.fillStyle = color;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillText(text, x + size * 0.98, y + size * 0.04);
    return size * 0.98 + pen.measureText(text).width;
}

const shownCoins = (runner) => String(runner.coins).replace("-", "−");

function drawFigures(pen, lane, runner, who) {
    const size = Math.min(lane.h * 0.13, lane.w * 0.075);
    const pad = size * 0.35;
    pen.font = font(750, size * 0.52);
    const name = fitted(pen, `P${who.number}  ${isolated(who.name)}`, lane.w * 0.4);
    const width = pen.measureText(name).width + size * 0.7;
    pen.beginPath();
    pen.roundRect(pad, pad, width, size * 0.95, size * 0.3);
    pen.fillStyle = who.color;
    pen.fill();
    pen.font = font(750, size * 0.52);
    pen.fillStyle = inkOn(who.color);
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillText(name, pad + size * 0.35, pad + size * 0.5);
    const jumps = String(runner.jumps);
    pen.font = font(800, size);
    const right = lane.w - pad - size * 0.2;
    const jumpsWidth = size * 0.98 + pen.measureText(jumps).width;
    const coinsWidth = size * 0.98 + pen.measureText(shownCoins(runner)).width;
    const total = jumpsWidth + coinsWidth + size * 0.6;
    pen.beginPath();
    pen.roundRect(right - total - size * 0.3, pad, total + size * 0.5, size * 1.2, size * 0.3);
    pen.fillStyle = "rgb(255 255 255 / 75%)";
    pen.fill();
    figure(pen, "coin", shownCoins(runner), right - total, pad + size * 0.6, size);
    figure(pen, "jump", jumps, right - jumpsWidth, pad + size * 0.6, size, runner.jumps <= 5 ? "#b3152d" : ink);
}

function drawBoard(pen, lane, width, runner, who) {
    pen.fillStyle = "#fffdf8";
    pen.fillRect(0, 0, width, lane.h);
    const tab = Math.min(width * 0.32, lane.h * 0.48);
    pen.fillStyle = who.color;
    pen.fillRect(0, 0, tab, lane.h);
    const label = who.label ?? String(who.number);
    pen.font = font(800, Math.min(tab * (label.length > 2 ? 0.42 : 0.62), lane.h * 0.6));
    pen.fillStyle = inkOn(who.color);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(label, tab / 2, lane.h * 0.5);
    const room = width - tab;
    const size = Math.min(lane.h * 0.34, room * 0.36);
    const left = tab + room * 0.08;
    const hasName = lane.h > 78;
    if (hasName) {
        const wanted = Math.min(lane.h * 0.15, 20);
        pen.font = font(600, wanted);
        pen.font = font(600, Math.max(12, wanted * Math.min(1, (room * 0.88) / pen.measureText(who.name).width)));
        pen.fillStyle = "#4a5966";
        pen.textAlign = "left";
        pen.textBaseline = "middle";
        pen.fillText(fitted(pen, who.name, room * 0.88), left, lane.h * 0.16);
    }
    figure(pen, "coin", shownCoins(runner), left, lane.h * (hasName ? 0.46 : 0.34), size);
    const color = runner.jumps <= 5 ? "#b3152d" : "#4a5966";
    figure(pen, "jump", String(runner.jumps), left, lane.h * (hasName ? 0.79 : 0.74), size * 0.72, color);
}

function fitted(pen, text, width) {
    if (pen.measureText(text).width <= width) return text;
    const letters = [...text];
    while (letters.length > 1 && pen.measureText(`${letters.join("")}…`).width > width) letters.pop();
    return `${letters.join("").trimEnd()}…`;
}

/** White, with a dark edge: to be read on the scenery. */
function outlined(pen, text, x, y, size) {
    pen.font = font(800, size);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.lineWidth = Math.max(2, size * 0.14);
    pen.strokeStyle = "rgb(0 0 0 / 55%)";
    pen.strokeText(text, x, y);
    pen.fillStyle = "#fff";
    pen.fillText(text, x, y);
}

function veil(pen, lane, board) {
    pen.fillStyle = "rgb(32 48 60 / 55%)";
    pen.fillRect(board, 0, lane.w - board, lane.h);
}

function say(pen, lane, board, text) {
    outlined(pen, text, board + (lane.w - board) * 0.58, lane.h * 0.5, Math.min(lane.h * 0.2, lane.w * 0.05, 44));
}

function drawEnd(pen, lane, board, runner) {
    const coins = sentence("keepcalm.coins", { count: runner.coins });
    say(pen, lane, board, runner.isAsleep ? sentence("keepcalm.asleep", { coins }) : coins);
}
