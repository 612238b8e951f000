// Everyone's last ten seconds: how the controllers were pushed, how they are held, and which gestures were seen.

import { Ring } from "../figures/ring.js";

export const SPAN = 10_000;  // ms
const MARKS = 12;

export class Motions {
    #players = new Map();

    /** What is kept of a player: `trace` (at, x, y, z in g), `attitude`, `stale`, `marks`; `undefined` before any. */
    of(player) { return this.#players.get(player); }

    add({ player, at, userAcceleration: [x, y, z], attitude, stale }) {
        const kept = this.#entry(player);
        kept.trace.push(at, x, y, z);
        Object.assign(kept, { attitude, stale, at });
    }

    mark({ player, at, gesture, phase }) {
        const kept = this.#players.get(player);
        if (!kept || phase !== "began") return;
        kept.marks.push({ at, gesture });
        if (kept.marks.length > MARKS) kept.marks.shift();
    }

    /** Forgets those who are gone. */
    keep(players) {
        for (const player of this.#players.keys()) if (!players.has(player)) this.#players.delete(player);
    }

    clear() { this.#players.clear(); }

    #entry(player) {
        if (!this.#players.has(player)) {
            const trace = new Ring(640, 4);
            this.#players.set(player, { trace, attitude: [1, 0, 0, 0], stale: true, at: 0, marks: [] });
        }
        return this.#players.get(player);
    }
}

/** The strongest push in the last ten seconds, in g, and the newest; `null` before any. */
export function pushes(kept, now) {
    if (!kept || kept.trace.count === 0) return null;
    const size = (age) => Math.hypot(kept.trace.at(age, 1), kept.trace.at(age, 2), kept.trace.at(age, 3));
    let most = 0;
    for (let age = 0; age < kept.trace.count && now - kept.trace.at(age, 0) < SPAN; age++) {
        most = Math.max(most, size(age));
    }
    return { now: size(0), most };
}
