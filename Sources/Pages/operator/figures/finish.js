// A verdict's photo finish: the first moves on one time axis, each as long as it is uncertain. Where the intervals reach
// into the shade nobody can say who was first. As `roomful report` draws it.

import { milliseconds } from "./format.js";

const ROW = 18;
const LEFT = 40;
const WIDTH = 270;
const RIGHT = 128;
/** Of a crowd the first are shown: whoever came later is in the report. */
const MOST = 12;

function shape(name, attributes, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
}

/** The picture, or null where nobody's move has a known time. */
export function finish({ evidence, order }, label) {
    const moves = evidence.filter((one) => one.at !== null && one.uncertainty !== null)
        .sort((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity) || a.at - b.at).slice(0, MOST);
    if (moves.length === 0) return null;
    const zero = Math.min(...moves.map((one) => one.at));
    const from = Math.min(...moves.map((one) => one.at - one.uncertainty));
    const span = Math.max(1, Math.max(...moves.map((one) => one.at + one.uncertainty)) - from);
    const x = (at) => LEFT + ((at - from) / span) * WIDTH;
    const height = moves.length * ROW + 4;
    const picture = shape("svg", {
        class: "finish", role: "img", "aria-label": label, viewBox: `0 0 ${LEFT + WIDTH + RIGHT} ${height}`,
    });
    if ((order[0]?.length ?? 0) > 1) {
        const leader = moves.reduce((a, b) => (b.at + b.uncertainty < a.at + a.uncertainty ? b : a));
        const start = x(leader.at - leader.uncertainty);
        picture.append(shape("rect", {
            class: "shade", x: start, y: 0, width: x(leader.at + leader.uncertainty) - start, height,
        }));
    }
    moves.forEach((move, place) => {
        const y = place * ROW + 3;
        const start = x(move.at - move.uncertainty);
        const width = Math.max(2, x(move.at + move.uncertainty) - start);
        picture.append(
            shape("text", { x: LEFT - 6, y: y + 11, "text-anchor": "end" }, `P${move.player}`),
            shape("rect", { class: "sure", x: start, y, width, height: ROW - 6, rx: 3 }),
            shape("line", { class: "moved", x1: x(move.at), x2: x(move.at), y1: y - 2, y2: y + ROW - 4 }),
            shape("text", { x: LEFT + WIDTH + 6, y: y + 11 },
                `${milliseconds(move.at - zero)} ± ${milliseconds(move.uncertainty)}`));
    });
    return picture;
}
