// Looks for taps where they are made, so that they are felt without a way to the host and back. The host decides all the same.

import { GRAVITY } from "./units.js";

/** How fast the idea of what pulls the phone down follows the sensor, in s. */
const MEMORY = 1;
/** A gap in which nobody knows what happened, in s. */
const LONGEST_GAP = 0.25;

/** @typedef {{knock: number, calm: number, turn: number, longest: number, quiet: number}} TapRule g, rad/s and ms */

/** The host's own rule (GESTURES.md, *tap*), on this phone's samples. */
export class TapFinder {
    /** @param {TapRule} rule */
    constructor(rule) {
        this.rule = rule;
        /** What holds the phone against gravity, m/s², in its own axes. @type {number[] | null} */
        this.support = null;
        this.forget();
        this.movedAt = -Infinity;
    }

    /** What was half seen may have been anything. */
    forget() { [this.quietSince, this.knock] = [null, null]; }

    /**
     * Takes the next sample of the sensor.
     * @param {import("../wire/samples.js").Sample} sample
     * @returns {boolean} whether it shows that the phone was tapped
     */
    take({ time, acceleration, rotationRate }) {
        const now = time / 1_000;  // ms
        const step = (now - this.at) / 1_000;
        this.at = now;
        const turn = Math.hypot(...rotationRate);
        const push = this.push(acceleration, rotationRate, step);
        if (!(step > 0 && step * 1_000 <= this.rule.longest)) {
            this.forget();
            return false;
        }
        const isCalm = push < this.rule.calm && turn < this.rule.turn;
        if (this.knock) return this.follow(push, turn, isCalm, now);
        if (isCalm) {
            this.quietSince ??= now;
            return false;
        }
        const wasQuiet = this.quietSince !== null && now - this.quietSince >= this.rule.quiet;
        this.quietSince = null;
        // Bounces and hands settle for a while.
        if (wasQuiet && now - this.movedAt >= 3 * this.rule.quiet) this.knock = { at: now, lastAt: now, peak: push };
        else this.movedAt = now;
        return false;
    }

    follow(push, turn, isCalm, now) {
        const { knock, rule } = this;
        if (!isCalm) {
            const isTap = now - knock.at < rule.longest && turn < rule.turn;
            this.knock = isTap ? { at: knock.at, lastAt: now, peak: Math.max(knock.peak, push) } : null;
            if (!isTap) this.movedAt = now;
            return false;
        }
        if (now - knock.lastAt < rule.quiet / 2) return false;
        this.knock = null;
        this.quietSince = knock.lastAt;
        return knock.peak >= rule.knock;
    }

    /** How hard the phone is pushed besides being held, in g. */
    push(force, rate, step) {
        if (!this.support || !(step > 0 && step < LONGEST_GAP)) {
            this.support = [...force];
            return 0;
        }
        const [x, y, z] = this.support;
        const [p, q, r] = rate;
        // What stands still in the room turns against the phone.
        const turned = [x + (y * r - z * q) * step, y + (z * p - x * r) * step, z + (x * q - y * p) * step];
        const share = Math.min(1, step / MEMORY);
        this.support = turned.map((value, axis) => value + (force[axis] - value) * share);
        return Math.hypot(...force.map((value, axis) => value - this.support[axis])) / GRAVITY;
    }
}
