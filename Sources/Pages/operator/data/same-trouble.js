// What is wrong with many, in one sentence: those whose troubles differ in figures alone stand together.

const FIGURE = /\d[\d.,]*(?: (?:ms\b|s\b|%))?/g;
/** So many runs of numbers are named; who reads more would rather look at the table. */
const RUNS = 8;

/**
 * @param {{player: number, name: string, texts: string[]}[]} peers each with its troubles, the gravest first
 * @returns {{players: number[], name: ?string, text: string, others: number}[]} most players first; `others`: how many
 *   more troubles the only player of a sentence has, who alone is named
 */
export function together(peers) {
    const groups = new Map();
    for (const peer of peers) {
        const kind = peer.texts[0].replace(FIGURE, "#");
        groups.set(kind, [...(groups.get(kind) ?? []), peer]);
    }
    return [...groups.values()].sort((a, b) => b.length - a.length).map((group) => ({
        players: group.map((peer) => peer.player).sort((a, b) => a - b),
        name: group.length === 1 ? group[0].name : null,
        text: spanned(group.map((peer) => peer.texts[0])),
        others: group.length === 1 ? group[0].texts.length - 1 : 0,
    }));
}

/** One sentence for all, in which figures that differ are given from the least to the most. */
function spanned(texts) {
    const figures = texts.map((text) => text.match(FIGURE) ?? []);
    let place = 0;
    return texts[0].replace(FIGURE, () => {
        const all = figures.map((own) => own[place]).sort((a, b) => size(a) - size(b));
        place += 1;
        return all[0] === all.at(-1) ? all[0] : `${all[0]} to ${all.at(-1)}`;
    });
}

const size = (figure) => parseFloat(figure) * (figure.endsWith(" s") ? 1000 : 1);

/** "P1–P3, P7 and 4 more". @param {number[]} players rising */
export function numbers(players) {
    const runs = [];
    for (const player of players) {
        if (runs.at(-1)?.[1] === player - 1) runs.at(-1)[1] = player; else runs.push([player, player]);
    }
    const words = runs.slice(0, RUNS).map(([first, last]) => (first === last ? `P${first}` : `P${first}–P${last}`));
    const rest = runs.slice(RUNS).reduce((sum, [first, last]) => sum + last - first + 1, 0);
    return words.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
