// How often each delay occurred, and the paper's way of looking at it.

/** @param {{sentAtNs: number, arrivedAtNs: number}[]} frames; ms above the median of all, as the paper counts */
export function relativeDelays(frames) {
    const transit = frames.map((frame) => (frame.arrivedAtNs - frame.sentAtNs) / 1e6);
    const median = quantile([...transit].sort((a, b) => a - b), 0.5);
    return transit.map((value) => value - median);
}

/** Of values in ascending order: the smallest at or above the share. */
export function quantile(sorted, share) {
    const place = Math.max(0, Math.ceil(share * sorted.length) - 1);
    return sorted[Math.min(sorted.length - 1, place)] ?? 0;
}

/**
 * Equal bins by Freedman and Diaconis's rule, 8 to 40 of them, over all but the last 0.5 % on each side, which the
 * first and last bin take in. `{from, width, counts}`; `null` without values.
 */
export function bins(values) {
    if (values.length === 0) return null;
    const sorted = [...values].sort((a, b) => a - b);
    const [low, high] = [quantile(sorted, 0.005), quantile(sorted, 0.995)];
    const spread = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    const wished = spread > 0 ? (high - low) / (2 * spread / Math.cbrt(sorted.length)) : 8;
    const number = Math.min(40, Math.max(8, Math.ceil(wished)));
    const width = Math.max((high - low) / number, 1e-6);
    const counts = new Array(number).fill(0);
    for (const value of values) counts[Math.min(number - 1, Math.max(0, Math.floor((value - low) / width)))] += 1;
    return { from: low, width, counts };
}

/**
 * The columns of the paper's table, in ms, each named by its sentence: ours by its method, the same on the one-way
 * delay of the same frames, what it published.
 */
export function paperColumns(latency) {
    const columns = [];
    const { paper, medianOneWayMs } = latency;
    if (paper) {
        const figures = [paper.meanMs, paper.p95Ms, paper.maximumMs, paper.minimumMs];
        const n = paper.frames - paper.outliers;
        columns.push({ measure: "latency.aboveMedian", figures: [...figures, paper.standardDeviationMs], n });
        if (medianOneWayMs !== undefined) {
            const shifted = figures.map((value) => value + medianOneWayMs);
            columns.push({ measure: "latency.withDelay", figures: [...shifted, paper.standardDeviationMs], n });
        }
    }
    columns.push({ measure: "latency.published", figures: [70.4, 73.2, 82.2, 52.2, 3.7], n: 1000 });
    return columns;
}
