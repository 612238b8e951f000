// How patient a page is with a room that does not answer: ReturnPlan and SilenceLimit in Swift are its elder sisters.

/** Two returns within this time are two of one trouble. In ms, as all here. */
const MEMORY = 60_000;
/** The host speaks five times a second: silent for so long, the connection is dead; where returns recur, up to this. */
const SILENCE = 3_000;
const LONGEST_SILENCE = 8_000;
/** Waits before the first and the later attempts to come back. */
const SHORTEST_WAIT = 400;
const LONGEST_WAIT = 5_000;
/** The longest wait before a return that follows others. */
const LONGEST_REST = 16_000;
/** Who took so long, and failed, found a host that is there and slow, and not none. */
const SLOW = 1_500;

/**
 * A host that is starved answers late. Pages that took that for its end, and all came back at once, would keep it so:
 * each return that follows another waits longer, for a time drawn at random, and slow answers are waited for longer.
 */
export class Patience {
    /** @param {() => number} random from 0 up to, not including, 1 */
    constructor(random = Math.random) {
        this.random = random;
        this.recent = 0;
        this.lastAt = -Infinity;
        this.failures = 0;
        this.isSlow = false;
        this.isAway = false;
    }

    /** Silent for so long, a connection is dead. */
    get silence() {
        return Math.min(LONGEST_SILENCE, SILENCE * 2 ** Math.max(this.isSlow ? 1 : 0, this.recent - 1));
    }

    /** By how much longer than usual an answer is waited for. */
    get stretch() { return this.isSlow ? 2 : 1; }

    /** The connection broke, on which there was a seat. @returns {number} the wait before coming back */
    lost(now) {
        if (now - this.lastAt > MEMORY) Object.assign(this, { recent: 0, isSlow: false });
        this.isAway = true;
        if (this.recent === 0) return SHORTEST_WAIT * (0.8 + 0.4 * this.random());
        return Math.min(LONGEST_REST, SHORTEST_WAIT * 2 ** this.recent) * this.random();
    }

    /** An attempt brought nothing. @param {number} took how long it lasted @returns {number} the wait before the next */
    failed(now, took) {
        this.isSlow = took >= SLOW;
        if (this.isSlow) this.note(now);
        const wait = Math.min(LONGEST_WAIT, SHORTEST_WAIT * 2 ** this.failures);
        this.failures += 1;
        return wait * (0.75 + 0.5 * this.random());
    }

    /** There is a seat, or a place in the queue. */
    succeeded(now) {
        if (this.isAway) this.note(now);
        Object.assign(this, { failures: 0, isAway: false });
    }

    note(now) {
        this.recent = Math.min(this.recent + 1, 6);
        this.lastAt = now;
    }
}
