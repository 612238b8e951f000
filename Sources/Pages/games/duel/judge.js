// Who jumped first, as far as the clocks allow a claim. A jump is {player, at, uncertainty}: it happened within
// ± `uncertainty` of `at`, both in ms; an uncertainty of null says that nothing is known of the controller's clock.

import { listed, sentence } from "/common/language.js";

/** The most, in ms, by which a gesture counts from before it was told, as in the room's own contests. */
const LONGEST_ONSET = { "jump": 250, "free-fall": 250, "tap": 110 };

/** A gesture's event as a jump: at the moment when the body moved, not when that was sure; of a button, at its press. */
export function jumpOf({ player, gesture, at, uncertainty, measures }) {
    const since = 1_000 * (measures?.flightTime ?? measures?.sinceStart ?? 0);
    return { player, at: at - Math.min(Math.max(since, 0), LONGEST_ONSET[gesture] ?? 0), uncertainty };
}

/** Whether a surely happened before b: their intervals do not overlap. */
export const precedes = (a, b) => a.at + a.uncertainty < b.at - b.uncertainty;

/** Players by rank, ties together: first are all whom nobody definitely precedes, then the same among the others. */
export function ranks(jumps) {
    const order = [];
    let left = jumps.filter((jump) => jump.uncertainty !== null);
    while (left.length > 0) {
        const first = left.filter((one) => !left.some((other) => precedes(other, one)));
        order.push(first.map((jump) => jump.player).sort((a, b) => a - b));
        left = left.filter((jump) => !first.includes(jump));
    }
    return order;
}

/** By how much `a` was before `b`: {by, within}, ms, rounded; each may be wrong by its own uncertainty. */
export function margin(a, b) {
    return { by: Math.round(b.at - a.at), within: Math.round(a.uncertainty + b.uncertainty) };
}

const list = (players) => listed(players.map((player) => `P${player}`));

/**
 * The verdict in plain words: {headline, detail}. `order` as from `ranks`, or the room's own verdict; `isReplay` says
 * that the room wants a tie played again.
 */
export function words(order, jumps, { isReplay = false } = {}) {
    const byPlayer = new Map(jumps.map((jump) => [jump.player, jump]));
    const unknown = jumps.filter((jump) => jump.uncertainty === null).map((jump) => jump.player);
    const rest = unknown.length === 0 ? "" : sentence("duel.unknownClocks", { players: list(unknown) });
    if (order.length === 0) {
        return { headline: sentence(unknown.length > 0 ? "duel.noClaim" : "duel.nobodyJumped"), detail: rest };
    }
    const [first, second] = order;
    if (first.length > 1) {
        const known = first.map((player) => byPlayer.get(player)).filter(Boolean).sort((a, b) => a.at - b.at);
        const { by, within } = known.length > 1 ? margin(known[0], known.at(-1)) : {};
        const players = list(first);
        const why = by === undefined ? `${players}:` : sentence("duel.closeText", { players, by, within });
        const end = sentence(isReplay ? "duel.onceMore" : "duel.tie");
        return { headline: sentence("duel.close"), detail: `${why} ${end} ${rest}`.trim() };
    }
    const winner = byPlayer.get(first[0]);
    const next = (second ?? []).map((player) => byPlayer.get(player)).filter(Boolean).sort((a, b) => a.at - b.at)[0];
    const alone = sentence(second ? "duel.first" : "duel.alone");
    if (!winner || !next) return { headline: `P${first[0]}`, detail: `${alone} ${rest}`.trim() };
    const { by, within } = margin(winner, next);
    const headline = sentence("duel.by", { player: `P${first[0]}`, by, within });
    return { headline, detail: `${sentence("duel.before", { players: list(second) })} ${rest}`.trim() };
}
