// What KeepCalm looks like: runners and fruit, drawn with paths of our own. Sizes in pixels; (0, 0) is where the feet
// stand, or an item's middle.
import { inkOn } from "/common/ink.js";

const ink = "#20303c";

/** Paints with the pen at (x, y), and puts everything back afterwards. */
export function at(pen, x, y, paint) {
    pen.save();
    pen.translate(x, y);
    paint();
    pen.restore();
}

function blob(pen, x, y, rx, ry, fill) {
    pen.beginPath();
    pen.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI);
    pen.fillStyle = fill;
    pen.fill();
}

/**
 * A runner of this height. `stride`: how far it ran, in its own heights; `rise`: 0 on the ground to 1 at its highest;
 * `mood`: "calm", "glad", "sick" or "done".
 */
export function drawRunner(pen, { size: s, color, number, stride = 0, rise = 0, isInAir = false, mood = "calm" }) {
    const swing = isInAir || mood === "done" ? 0 : Math.sin(stride * 3.4);
    const bob = isInAir || mood === "done" ? 0 : Math.abs(Math.cos(stride * 3.4)) * s * 0.05;
    const stretch = isInAir ? 1 + 0.1 * (1 - rise) : 1;
    pen.lineCap = pen.lineJoin = "round";
    const limb = (x1, y1, x2, y2, x3, y3, width, style) => {
        pen.beginPath();
        pen.moveTo(x1, y1);
        pen.quadraticCurveTo(x2, y2, x3, y3);
        pen.strokeStyle = style;
        pen.lineWidth = width;
        pen.stroke();
    };
    for (const [side, phase] of [[-1, swing], [1, -swing]]) {
        const hip = side * s * 0.13;
        const foot = -s * 0.05 - Math.max(0, phase) * s * 0.05;
        if (isInAir) limb(hip, -s * 0.3, hip + s * 0.16, -s * 0.2, hip - s * 0.04, -s * 0.06, s * 0.13, ink);
        else limb(hip, -s * 0.3, hip + phase * s * 0.1, -s * 0.14, hip + phase * s * 0.24, foot, s * 0.13, ink);
    }
    at(pen, 0, -bob, () => {
        pen.scale(1 / stretch, stretch);
        const arm = isInAir ? -s * 0.34 : swing * s * 0.18;
        const hand = -s * 0.36 + (isInAir ? arm : 0);
        const left = -s * 0.42 - (isInAir ? s * 0.04 : arm), right = s * 0.42 + (isInAir ? s * 0.06 : arm);
        limb(-s * 0.3, -s * 0.52, -s * 0.42, -s * 0.46, left, hand, s * 0.11, ink);
        const body = new Path2D();
        body.roundRect(-s * 0.34, -s * 0.98, s * 0.68, s * 0.78, s * 0.32);
        pen.fillStyle = color;
        pen.fill(body);
        pen.save();
        pen.clip(body);
        blob(pen, -s * 0.2, -s * 0.98, s * 0.36, s * 0.26, "rgb(255 255 255 / 22%)");
        blob(pen, 0, -s * 0.16, s * 0.5, s * 0.12, "rgb(0 0 0 / 16%)");
        pen.restore();
        pen.strokeStyle = "#fff";
        pen.lineWidth = Math.max(1.5, s * 0.035);
        pen.stroke(body);
        limb(s * 0.3, -s * 0.5, s * 0.44, -s * 0.46, right, hand, s * 0.11, ink);
        const paint = inkOn(color);
        drawFace(pen, s, mood, isInAir, paint);
        pen.fillStyle = paint;
        pen.font = `800 ${s * 0.3}px system-ui, "DejaVu Sans", sans-serif`;
        pen.textAlign = "center";
        pen.textBaseline = "middle";
        pen.fillText(number, 0, -s * 0.42);
    });
}

/** Eyes shut and a small smile, as long as all is calm. */
function drawFace(pen, s, mood, isInAir, paint) {
    const y = -s * 0.76;
    pen.strokeStyle = paint;
    pen.lineWidth = s * 0.045;
    for (const x of [-s * 0.06, s * 0.18]) {
        if (mood === "sick") {
            pen.beginPath();
            for (const turn of [-1, 1]) {
                pen.moveTo(x - s * 0.05, y - turn * s * 0.05);
                pen.lineTo(x + s * 0.05, y + turn * s * 0.05);
            }
            pen.stroke();
        } else if (isInAir || mood === "glad") {
            blob(pen, x, y - s * 0.01, s * 0.07, s * 0.085, "#fff");
            blob(pen, x + s * 0.02, y - s * 0.02, s * 0.035, s * 0.045, ink);
        } else {
            pen.beginPath();
            pen.arc(x, y - s * 0.03, s * 0.06, 0.15 * Math.PI, 0.85 * Math.PI);
            pen.stroke();
        }
    }
    pen.beginPath();
    if (mood === "sick") pen.arc(s * 0.06, y + s * 0.2, s * 0.06, 1.15 * Math.PI, 1.85 * Math.PI);
    else pen.arc(s * 0.06, y + s * 0.09, s * 0.06, 0.15 * Math.PI, 0.85 * Math.PI);
    pen.stroke();
}

/** An item of this radius. */
export function drawItem(pen, kind, r) {
    pen.lineCap = pen.lineJoin = "round";
    ({ banana, blueberry, cherry, poo, coin, jump })[kind](pen, r);
}

function banana(pen, r) {
    at(pen, 0, 0, () => {
        pen.rotate(-0.25);
        pen.beginPath();
        pen.moveTo(-r * 0.92, -r * 0.36);
        pen.bezierCurveTo(-r * 0.8, r * 0.72, r * 0.5, r * 0.98, r * 0.98, -r * 0.3);
        pen.bezierCurveTo(r * 0.5, r * 0.28, -r * 0.3, r * 0.22, -r * 0.66, -r * 0.5);
        pen.closePath();
        pen.fillStyle = "#ffd02e";
        pen.fill();
        pen.strokeStyle = "#8a5a00";
        pen.lineWidth = r * 0.1;
        pen.stroke();
        pen.beginPath();
        pen.moveTo(-r * 0.6, r * 0.1);
        pen.bezierCurveTo(-r * 0.2, r * 0.52, r * 0.4, r * 0.42, r * 0.72, r * 0.06);
        pen.strokeStyle = "rgb(255 255 255 / 65%)";
        pen.lineWidth = r * 0.09;
        pen.stroke();
        pen.beginPath();
        pen.moveTo(-r * 0.8, -r * 0.42);
        pen.lineTo(-r * 0.86, -r * 0.7);
        pen.strokeStyle = "#5f4310";
        pen.lineWidth = r * 0.2;
        pen.stroke();
    });
}

function blueberry(pen, r) {
    blob(pen, 0, r * 0.08, r * 0.84, r * 0.84, "#26306f");
    blob(pen, 0, r * 0.06, r * 0.76, r * 0.76, "#4659c4");
    blob(pen, -r * 0.28, -r * 0.2, r * 0.26, r * 0.2, "rgb(255 255 255 / 45%)");
    pen.beginPath();
    for (let point = 0; point < 10; point++) {
        const radius = (point % 2 ? 0.14 : 0.36) * r;
        const angle = (point * Math.PI) / 5 - Math.PI / 2;
        pen.lineTo(r * 0.18 + radius * Math.cos(angle), -r * 0.3 + radius * 0.75 * Math.sin(angle));
    }
    pen.closePath();
    pen.fillStyle = "#1d2557";
    pen.fill();
}

function cherry(pen, r) {
    pen.beginPath();
    pen.moveTo(-r * 0.42, r * 0.2);
    pen.quadraticCurveTo(-r * 0.3, -r * 0.5, r * 0.22, -r * 0.9);
    pen.quadraticCurveTo(r * 0.34, -r * 0.3, r * 0.46, r * 0.3);
    pen.strokeStyle = "#2f7d32";
    pen.lineWidth = r * 0.12;
    pen.stroke();
    pen.beginPath();
    pen.moveTo(r * 0.22, -r * 0.9);
    pen.quadraticCurveTo(r * 0.75, -r * 1.15, r * 0.95, -r * 0.6);
    pen.quadraticCurveTo(r * 0.5, -r * 0.5, r * 0.22, -r * 0.9);
    pen.fillStyle = "#43a047";
    pen.fill();
    for (const [x, y] of [[-0.42, 0.42], [0.46, 0.52]]) {
        blob(pen, r * x, r * y, r * 0.46, r * 0.46, "#8f1023");
        blob(pen, r * x, r * y - r * 0.02, r * 0.4, r * 0.4, "#e02b44");
        blob(pen, r * x - r * 0.14, r * y - r * 0.16, r * 0.13, r * 0.1, "rgb(255 255 255 / 70%)");
    }
}

function poo(pen, r) {
    for (const [spread, color] of [[0.07, "#44260f"], [0, "#86532a"]]) {
        blob(pen, 0, r * 0.62, r * (0.88 + spread), r * (0.3 + spread), color);
        blob(pen, 0, r * 0.2, r * (0.64 + spread), r * (0.28 + spread), color);
        blob(pen, r * 0.02, -r * 0.18, r * (0.42 + spread), r * (0.25 + spread), color);
        pen.beginPath();
        pen.moveTo(-r * (0.24 + spread), -r * 0.3);
        pen.quadraticCurveTo(-r * 0.1, -r * (0.75 + spread), r * (0.22 + spread), -r * (0.82 + spread));
        pen.quadraticCurveTo(r * 0.12, -r * 0.5, r * (0.3 + spread), -r * 0.26);
        pen.closePath();
        pen.fillStyle = color;
        pen.fill();
    }
    pen.strokeStyle = "rgb(255 255 255 / 35%)";
    pen.lineWidth = r * 0.08;
    for (const [y, w] of [[0.52, 0.5], [0.12, 0.34], [-0.24, 0.2]]) {
        pen.beginPath();
        pen.moveTo(-r * w, r * y);
        pen.quadraticCurveTo(-r * w * 0.6, r * (y - 0.1), -r * w * 0.1, r * (y - 0.1));
        pen.stroke();
    }
}

function coin(pen, r) {
    blob(pen, 0, 0, r, r, "#8a5a00");
    blob(pen, 0, 0, r * 0.88, r * 0.88, "#ffc61a");
    pen.beginPath();
    pen.arc(0, 0, r * 0.6, 0, 2 * Math.PI);
    pen.strokeStyle = "#c98a00";
    pen.lineWidth = r * 0.14;
    pen.stroke();
}

function jump(pen, r) {
    pen.beginPath();
    pen.moveTo(-r * 0.8, r * 0.5);
    pen.quadraticCurveTo(-r * 0.2, -r * 1.3, r * 0.55, r * 0.1);
    pen.moveTo(r * 0.72, -r * 0.42);
    pen.lineTo(r * 0.62, r * 0.26);
    pen.lineTo(-r * 0.04, r * 0.06);
    pen.strokeStyle = ink;
    pen.lineWidth = r * 0.28;
    pen.stroke();
}
