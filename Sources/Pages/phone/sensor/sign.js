// Which way acceleration counts on this phone.

import { GRAVITY, RADIANS } from "./units.js";

/** Readings that decide together, and how old an orientation may be, in ms. */
const VOTES = 31;
const FRESH = 250;

/**
 * Finds the sign of acceleration from the phone's own orientation: WebKit hands CoreMotion's through, everyone else
 * counts as W3C says. The user agent is never looked at.
 *
 * `up = (-cos b sin g, sin b, cos b cos g)` for beta and gamma of `deviceorientation` points away from the earth in the
 * device's axes, and so does specific force at rest.
 */
export class SignVote {
    /** @param {number} [known] 1 or -1 from an earlier visit */
    constructor(known) {
        this.sign = known === 1 || known === -1 ? known : 0;
        this.sum = 0;
        this.count = 0;
    }

    /** @param {{beta: number | null, gamma: number | null}} event of `deviceorientation` */
    orient({ beta, gamma }, now) {
        if (beta === null || gamma === null) return;
        const [b, g] = [beta * RADIANS, gamma * RADIANS];
        this.up = [-Math.cos(b) * Math.sin(g), Math.sin(b), Math.cos(b) * Math.cos(g)];
        this.orientedAt = now;
    }

    /** A reading votes while the phone is nearly still. @param {number[]} force m/s² @param {number} turning rad/s */
    read(force, turning, now) {
        if (!this.up || now - this.orientedAt > FRESH) return;
        if (turning > 0.5 || Math.abs(Math.hypot(...force) - GRAVITY) > 1.5) return;
        const along = force[0] * this.up[0] + force[1] * this.up[1] + force[2] * this.up[2];
        if (Math.abs(along) < GRAVITY / 2) return;
        this.sum += Math.sign(along);
        this.count += 1;
        if (this.count < VOTES) return;
        this.sign = Math.sign(this.sum);
        this.sum = this.count = 0;
    }
}
