// How the chosen player's delays are spread, and the paper's table beside them.

import { decimal, sentence, sentenceOr } from "/common/language.js";
import { isolated } from "/common/names.js";
import { bins, paperColumns, relativeDelays } from "../figures/histogram.js";
import * as format from "../figures/format.js";
import { byId, make, say } from "./make.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [360, 130];
const PAPER = ["latency.mean", "p95", "Max", "Min", "latency.deviation", "n"];
const OURS = ["", "p50", "p95", "p99", "Max", "n"];

export class Latency {
    constructor() { this.body = byId("latency-body"); }

    /** @param {?object} latency a PeerLatency; `null` where nobody is chosen */
    show(latency) {
        say(byId("latency-who"), latency ? `P${latency.player} ${isolated(latency.name)}` : "");
        if (!latency || latency.frames.length === 0) {
            const why = sentence(latency ? "latency.none" : "latency.choose");
            return this.body.replaceChildren(make("p", { class: "muted" }, why));
        }
        const ours = [["latency.oneWay", latency.delay], ["chosen.queueing", latency.queueing]]
            .filter(([, delay]) => delay)
            .map(([name, { p50Ms, p95Ms, p99Ms, maxMs, n }]) => (
                [sentence(name), ...[p50Ms, p95Ms, p99Ms, maxMs].map(fixed), format.count(n)]));
        const columns = paperColumns(latency);
        this.body.replaceChildren(
            histogram(relativeDelays(latency.frames)),
            table(sentence("latency.paper"), ["", ...columns.map((column) => sentence(column.measure))],
                PAPER.map((name, place) => [
                    sentenceOr(name, name), ...columns.map(({ figures, n }) => (
                        place < 5 ? fixed(figures[place]) : format.count(n)))])),
            table(sentence("latency.ours"), OURS, ours),
            make("p", { class: "muted" }, make("small", {},
                sentence("latency.note") + (latency.delayUncertaintyMs === undefined ? ""
                    : ` ${sentence("latency.error", { error: fixed(latency.delayUncertaintyMs) })}`))));
    }
}

function fixed(value) { return decimal(Math.abs(value) < 0.005 ? 0 : value, 2); }

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
        sentence("latency.histogram", { count: values.length, from: fixed(from), to: fixed(to), peak: fixed(peak) }) });
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
    const labels = [[0, "start", `${fixed(from)} ms`], [WIDTH / 2, "middle", sentence("latency.against")],
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
