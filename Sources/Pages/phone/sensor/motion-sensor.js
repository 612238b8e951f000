// The phone's motion sensor, event by event, as samples of the motion link.

import { SensorHealth } from "./health.js";
import { SignVote } from "./sign.js";
import { RADIANS } from "./units.js";

/** So many events are held back while the sign is not known, or fewer where no orientation comes at all. */
const MOST_UNDECIDED = 180;
const ENOUGH_WITHOUT_ORIENTATION = 20;
/** The sensor has so long to show that it exists, in ms. */
const PATIENCE = 1_500;

/**
 * `devicemotion` in the units and signs of the wire: m/s² and rad/s, time stamps of the events themselves.
 *
 * `rotationRate`'s alpha, beta and gamma turn about x, y and z here, unlike those of `deviceorientation`.
 */
export class MotionSensor {
    health = new SensorHealth();
    isMeasured = { acceleration: false, rotationRate: false };

    /**
     * @param {number} [knownSign] found in an earlier visit
     * @param {(sample: import("../wire/samples.js").Sample) => void} take
     */
    constructor(knownSign, take) {
        this.vote = new SignVote(knownSign);
        this.take = take;
        /** What was read before the sign was known, or given up. */
        this.undecided = [];
        this.isDecided = false;
        this.latest = -Infinity;
    }

    /** 1, -1, or 0 while unknown: what both accelerations are multiplied by. */
    get sign() { return this.vote.sign; }

    /**
     * Begins to listen.
     * @returns {Promise<"granted" | "absent">} whether anything came
     */
    start(window = globalThis) {
        window.addEventListener("deviceorientation", (event) => this.vote.orient(event, event.timeStamp));
        return new Promise((resolve) => {
            const timer = setTimeout(() => resolve("absent"), PATIENCE);
            window.addEventListener("devicemotion", (event) => {
                if (!this.read(event, performance.now())) return;
                clearTimeout(timer);
                resolve("granted");
            });
        });
    }

    /** Takes an event; false for one that measures nothing. Its members may be null one by one. */
    read(event, now) {
        const { x, y, z } = event.accelerationIncludingGravity ?? {};
        const { alpha, beta, gamma } = event.rotationRate ?? {};
        if (![x, y, z].every(Number.isFinite)) return false;
        const force = [x, y, z];
        const turns = [alpha, beta, gamma].every(Number.isFinite);
        // A gyroscope that says nothing for once does not stand still: the reading is left out.
        if (!turns && this.isMeasured.rotationRate) return false;
        const degrees = turns ? [alpha, beta, gamma] : null;
        this.isMeasured = { acceleration: true, rotationRate: this.isMeasured.rotationRate || turns };
        this.health.read(event.timeStamp, now, force, degrees);
        const rotationRate = (degrees ?? [0, 0, 0]).map((value) => value * RADIANS);
        this.vote.read(force, Math.hypot(...rotationRate), event.timeStamp);
        this.deliver({ time: Math.floor(event.timeStamp * 1_000), force, rotationRate });
        return true;
    }

    /** Hands over what was read, as soon as it is known which way acceleration counts. */
    deliver(reading) {
        // Within a stream each time is later than the one before.
        if (reading.time <= this.latest) return;
        this.latest = reading.time;
        this.undecided.push(reading);
        const limit = this.vote.up ? MOST_UNDECIDED : ENOUGH_WITHOUT_ORIENTATION;
        this.isDecided ||= this.sign !== 0 || this.undecided.length >= limit;
        if (!this.isDecided) return;
        const sign = this.sign || 1;
        for (const { time, force, rotationRate } of this.undecided) {
            this.take({ time, acceleration: force.map((value) => value * sign), rotationRate });
        }
        this.undecided = [];
    }
}
