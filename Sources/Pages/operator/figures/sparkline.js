// A small line of the last minute, as SVG: one point a second, holes where nothing is known.

const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * @param {(?number)[]} values oldest first
 * @param {number} least the lowest top, so that noise does not look like hills
 */
export function sparkPath(values, width, height, least, room = 60) {
    const top = Math.max(least, ...values.map((value) => value ?? 0));
    const step = width / (room - 1);
    const from = width - (values.length - 1) * step;
    let path = "";
    let isDrawn = false;
    values.forEach((value, place) => {
        if (value === null || value === undefined) return void (isDrawn = false);
        const [x, y] = [from + place * step, height - 1 - (value / top) * (height - 2)];
        // A second alone between two holes shows as a dot.
        const isAlone = !isDrawn && (values[place + 1] ?? null) === null;
        path += `${isDrawn ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}${isAlone ? "h0.1" : ""}`;
        isDrawn = true;
    });
    return path;
}

/** An SVG whose line is drawn anew by `show(values)`. What it says stands beside it in words: readers skip it. */
export class Sparkline {
    constructor({ width = 96, height = 22, least = 1, kind = "" } = {}) {
        Object.assign(this, { width, height, least });
        this.element = document.createElementNS(NAMESPACE, "svg");
        this.element.setAttribute("viewBox", `0 0 ${width} ${height}`);
        this.element.setAttribute("preserveAspectRatio", "none");
        this.element.setAttribute("class", `spark ${kind}`);
        this.element.setAttribute("aria-hidden", "true");
        this.line = document.createElementNS(NAMESPACE, "path");
        this.element.append(this.line);
    }

    show(values) { this.line.setAttribute("d", sparkPath(values, this.width, this.height, this.least)); }
}
