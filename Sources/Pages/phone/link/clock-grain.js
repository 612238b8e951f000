// How coarse the page's clock is: browsers let it move in steps, of 16.7 ms where their user wants to leave no trace.

/** Some round it up besides, so that nobody finds where a step ends: what it shows is off by a step, either way. */
const EITHER_WAY = 2;
const LARGEST = 2 ** 32 - 1;

/** Learnt from the readings that are taken anyway: two that differ lie no closer together than a step. */
export class ClockGrain {
    constructor() {
        this.step = Infinity;
        this.latest = null;
    }

    /** @param {number} now a reading, in ms */
    see(now) {
        if (this.latest !== null && now !== this.latest) this.step = Math.min(this.step, Math.abs(now - this.latest));
        this.latest = now;
    }

    /** Within so many ns readings of one moment may lie apart. */
    get nanoseconds() { return Math.min(LARGEST, Math.ceil(this.step * EITHER_WAY * 1e6)); }
}
