// What is wrong, in the reader's words; and what is wrong with many, in one sentence.

import { knows, sentence, sentenceOr } from "/common/language.js";
import { isolated } from "/common/names.js";
import { count, milliseconds, percent } from "../figures/format.js";

/** So many runs of numbers are named; who reads more would rather look at the table. */
const RUNS = 8;
/** From so many milliseconds on, one standstill is worth telling by itself. */
const STANDS_STILL = 500;

/** @typedef {{code: string, words: string, timeMs?: number, share?: number, figure?: number, stream?: number,
 *   clock?: string}} Fault as the room tells it (PeerStatus.Trouble) */

/** Faults of one kind differ in figures alone. @param {Fault} fault */
export const kindOf = ({ code, stream = "", clock = "" }) => `${code} ${stream} ${clock}`;

/** One sentence for faults of one kind, in which figures go from the least to the most. @param {Fault[]} faults */
export function troubleWords(faults) {
    const [{ code, words, stream, clock }] = faults;
    if (!knows(`trouble.${code}`)) return isolated(words);
    const span = (name, written) => {
        const all = faults.map((fault) => fault[name]).filter((value) => value !== undefined).sort((a, b) => a - b);
        if (all.length === 0) return "";
        const [least, most] = [written(all[0]), written(all.at(-1))];
        return least === most ? least : sentence("operator.to", { least, most });
    };
    return sentence(`trouble.${code}`, {
        time: span("timeMs", milliseconds), share: span("share", percent), figure: span("figure", count), stream,
        state: sentenceOr(`clock.${clock}`, clock),
    });
}

/** What makes everybody late at once, if anything does. @param {?{longestMs: number, totalMs: number}} standstill */
export function machineWords(standstill) {
    if (!standstill) return null;
    return standstill.longestMs >= STANDS_STILL
        ? sentence("operator.stoodStill", { time: milliseconds(standstill.longestMs) })
        : sentence("operator.starved", { time: milliseconds(standstill.totalMs) });
}

/**
 * @param {{player: number, name: string, faults: Fault[]}[]} peers each with what is wrong, the gravest first
 * @returns {{players: number[], name: ?string, text: string, others: number}[]} most players first; `others`: how many
 *   more troubles the only player of a sentence has, who alone is named
 */
export function together(peers) {
    const groups = new Map();
    for (const peer of peers) {
        const kind = kindOf(peer.faults[0]);
        groups.set(kind, [...(groups.get(kind) ?? []), peer]);
    }
    return [...groups.values()].sort((a, b) => b.length - a.length).map((group) => ({
        players: group.map((peer) => peer.player).sort((a, b) => a - b),
        name: group.length === 1 ? group[0].name : null,
        text: troubleWords(group.map((peer) => peer.faults[0])),
        others: group.length === 1 ? group[0].faults.length - 1 : 0,
    }));
}

/** "P1–P3, P7 and 4 more". @param {number[]} players rising */
export function numbers(players) {
    const runs = [];
    for (const player of players) {
        if (runs.at(-1)?.[1] === player - 1) runs.at(-1)[1] = player; else runs.push([player, player]);
    }
    const words = runs.slice(0, RUNS).map(([first, last]) => (first === last ? `P${first}` : `P${first}–P${last}`));
    const rest = runs.slice(RUNS).reduce((sum, [first, last]) => sum + last - first + 1, 0);
    return rest === 0 ? words.join(", ") : sentence("operator.andMore", { numbers: words.join(", "), count: rest });
}
