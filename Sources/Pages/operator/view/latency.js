// How the chosen player's delays are spread, and the paper's table beside them.

import { isolated } from "/common/names.js";
import { bins, paperColumns, relativeDelays } from "../figures/histogram.js";
import * as format from "../figures/format.js";
import { byId, make, say } from "./make.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [360, 130];
const PAPER = ["Mean", "p95", "Max", "Min", "Standard deviation", "n"];
const OURS = ["", "p50", "p95", "p99", "Max", "n"];

export class Latency {
    constructor() { this.body = byId("latency-body"); }

    /** @param {?object} latency a PeerLatency; `null` where nobody is chosen */
    show(latency) {
        say(byId("latency-who"), latency ? `P${latency.player} ${isolated(latency.name)}` : "");
        if (!latency || latency.frames.length === 0) {
            const why = latency ? "No frame has come yet." : "Choose a player.";
            return this.body.replaceChildren(make("p", { class: "muted" }, why));
        }
        const ours = [["One way", latency.delay], ["Queueing", latency.queueing]].filter(([, delay]) => delay)
            .map(([name, { p50Ms, p95Ms, p99Ms, maxMs, n }]) => (
                [name, ...[p50Ms, p95Ms, p99Ms, maxMs].map(fixed), format.count(n)]));
        const columns = paperColumns(latency);
        this.body.replaceChildren(
            histogram(relativeDelays(latency.frames)),
            table("By the paper’s method, in ms", ["", ...columns.map((column) => column.measure)],
                PAPER.map((name, place) => [
                    name, ...columns.map(({ figures, n }) => (place < 5 ? fixed(figures[place]) : format.count(n)))])),
            table("Ours, since the room opened, in ms", OURS, ours),
            make("p", { class: "muted" }, make("small", {},
                "Of at most the last 1,000 frames; those beyond 3 standard deviations are left out of the paper’s "
                + "method. Queueing is the delay above the least. "
                + "A simulated network, or loopback, is no radio: compare only what crossed the same air."
                + (latency.delayUncertaintyMs === undefined ? ""
                    : ` One-way delays may be wrong by ± ${fixed(latency.delayUncertaintyMs)} ms.`))));
    }
}

function fixed(value) { return Math.abs(value) < 0.005 ? "0.00" : value.toFixed(2); }

function table(caption, heads, rows) {
    const head = heads.map((text) => (text ? make("th", { scope: "col" }, text) : make("td")));
    const body = rows.map(([name, ...cells]) => make(
        "tr", {}, make("th", { scope: "row" }, name), ...cells.map((cell) => make("td", {}, cell))));
    // A narrow screen scrolls it, so a keyboard must reach it.
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
        make("table", { class: "numbers" }, make("caption", {}, caption),
            make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)));
}

function histogram(values) {
    const { from, width, counts } = bins(values);
    const most = Math.max(...counts);
    const to = from + width * counts.length;
    const peak = from + (counts.indexOf(most) + 0.5) * width;
    const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 18}`, role: "img", class: "histogram", "aria-label":
        `Histogram of ${values.length} delays against their median, from ${fixed(from)} to ${fixed(to)} ms; `
            + `most lie near ${fixed(peak)} ms.` });
    const step = WIDTH / counts.length;
    counts.forEach((count, place) => {
        const height = (count / most) * HEIGHT;
        svg.append(shape("rect", { x: place * step + 0.5, y: HEIGHT - height, width: step - 1, height, class: "bar" }));
    });
    svg.append(shape("path", { d: `M0 ${HEIGHT + 0.5}H${WIDTH}`, class: "ground" }));
    if (from < 0 && to > 0) {
        const x = (-from / (to - from)) * WIDTH;
        svg.append(shape("path", { d: `M${x} 0V${HEIGHT}`, class: "median" }));
    }
    const labels = [[0, "start", `${fixed(from)} ms`], [WIDTH / 2, "middle", "against the median"],
        [WIDTH, "end", `${to > 0 ? "+" : ""}${fixed(to)} ms`]];
    for (const [x, anchor, text] of labels) {
        const label = shape("text", { x, y: HEIGHT + 14, "text-anchor": anchor });
        label.textContent = text;
        svg.append(label);
    }
    return svg;
}

function shape(tag, attributes) {
    const element = document.createElementNS(NAMESPACE, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
}
