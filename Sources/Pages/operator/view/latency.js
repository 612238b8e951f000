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
    constructor() {
        this.body = byId("latency-body");
        this.why = make("p", { class: "muted" });
        this.histogram = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 18}`, role: "img", class: "histogram" });
        this.paper = new Table(sentence("latency.paper"));
        this.ours = new Table(sentence("latency.ours"));
        this.note = make("small", {});
        this.figures = [this.histogram, this.paper.element, this.ours.element, make("p", { class: "muted" }, this.note)];
    }

    /** @param {?object} latency a PeerLatency; `null` where nobody is chosen */
    show(latency) {
        say(byId("latency-who"), latency ? `P${latency.player} ${isolated(latency.name)}` : "");
        if (!latency || latency.frames.length === 0) {
            say(this.why, sentence(latency ? "latency.none" : "latency.choose"));
            return this.#hold([this.why]);
        }
        const ours = [["latency.oneWay", latency.delay], ["chosen.queueing", latency.queueing]]
            .filter(([, delay]) => delay)
            .map(([name, { p50Ms, p95Ms, p99Ms, maxMs, n }]) => (
                [sentence(name), ...[p50Ms, p95Ms, p99Ms, maxMs].map(fixed), format.count(n)]));
        const columns = paperColumns(latency);
        drawHistogram(this.histogram, relativeDelays(latency.frames));
        this.paper.show(["", ...columns.map((column) => sentence(column.measure))],
            PAPER.map((name, place) => [
                sentenceOr(name, name), ...columns.map(({ figures, n }) => (
                    place < 5 ? fixed(figures[place]) : format.count(n)))]));
        this.ours.show(OURS, ours);
        say(this.note, sentence("latency.note") + (latency.delayUncertaintyMs === undefined ? ""
            : ` ${sentence("latency.error", { error: fixed(latency.delayUncertaintyMs) })}`));
        return this.#hold(this.figures);
    }

    /** What stays keeps the focus, and how far it was scrolled. */
    #hold(elements) { if (this.body.firstElementChild !== elements[0]) this.body.replaceChildren(...elements); }
}

function fixed(value) { return decimal(Math.abs(value) < 0.005 ? 0 : value, 2); }

/** A table whose cells stay, as the figures in them change. */
class Table {
    constructor(caption) {
        [this.head, this.body] = [make("tr"), make("tbody")];
        // A narrow screen scrolls it, so a keyboard must reach it.
        this.element = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
            make("table", { class: "numbers" }, make("caption", {}, caption), make("thead", {}, this.head), this.body));
    }

    show(heads, rows) {
        fill(this.head, heads, (place) => (place > 0 ? make("th", { scope: "col" }) : make("td")));
        rows.forEach((cells, row) => {
            if (!this.body.children[row]) this.body.append(make("tr"));
            fill(this.body.children[row], cells, (place) => (place > 0 ? make("td") : make("th", { scope: "row" })));
        });
        while (this.body.children.length > rows.length) this.body.lastChild.remove();
    }
}

function fill(row, texts, cell) {
    texts.forEach((text, place) => {
        if (!row.children[place]) row.append(cell(place));
        say(row.children[place], text);
    });
    while (row.children.length > texts.length) row.lastChild.remove();
}

function drawHistogram(svg, values) {
    const { from, width, counts } = bins(values);
    const most = Math.max(...counts);
    const to = from + width * counts.length;
    const peak = from + (counts.indexOf(most) + 0.5) * width;
    svg.replaceChildren();
    svg.setAttribute("aria-label",
        sentence("latency.histogram", { count: values.length, from: fixed(from), to: fixed(to), peak: fixed(peak) }));
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
}

function shape(tag, attributes) {
    const element = document.createElementNS(NAMESPACE, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
}
