// One stream of samples: what the sensor feels, and which buttons were down meanwhile.

import { GRAVITY } from "./units.js";

/** Samples of buttons alone, and of a virtual phone, are so many ms apart. */
export const STEP = 1_000 / 60;
/** A page that did nothing for so long stood still, in ms. */
const LATE = 2 * STEP;
/** So long after that it has heard of every touch, in ms: some browsers run timers, and read sensors, before. */
const SETTLED = STEP / 2;
/** A sensor that says nothing for so long stands still, in ms: what buttons say waits for it no more. */
const SILENT = 150;
/** And for so long, while the page is seen: it has stopped. */
const STOPPED = 3_000;
const FACE_UP = [0, 0, 1];
/** How fast the pose follows the sensor, in readings. */
const POSE_MEMORY = 16;

/**
 * The moments since the latest sample that are due for one: evenly spaced, also where the timer is a little late. Of a time in
 * which the page stood still it is the last alone, so that the room sees that nobody looked before.
 */
export function* moments(latest, now) {
    const due = Math.floor((now - latest) / STEP);
    for (let step = due > 3 ? due : 1; step <= due; step += 1) yield latest + step * STEP;
}

/**
 * Hands on the sensor's samples with the buttons that were down as each was read. Where there is no sensor its samples
 * tell of the buttons alone: no motion is made up. Of a sensor that fell silent the last reading stands for as long as a
 * button has something to say.
 */
export class MotionMixer {
    /**
     * @param {import("./button-log.js").ButtonLog} buttons
     * @param {(sample: import("../wire/samples.js").Sample) => void} take
     */
    constructor(buttons, take) {
        Object.assign(this, { buttons, take });
        /** Away from the earth, as the phone is held: a unit vector in its own axes. */
        this.up = FACE_UP;
        /** Whether the stream tells of buttons alone. */
        this.isAlone = false;
        /** The sensor's newest sample, and when it came. */
        this.felt = null;
        this.feltAt = 0;
        /** Whether a page that stood still has excused its silence since. */
        this.isExcused = false;
        /** When the page last did anything here, and until when it had stood still. */
        this.turnAt = this.stoodUntil = -Infinity;
        /** What may show more once every touch of a time in which the page stood still was heard of. */
        this.waiting = [];
        /** What ends that waiting where nothing else happens here. */
        this.settling = null;
        this.latest = -Infinity;
        this.isSeen = true;
        this.hasStopped = false;
        /** A sensor that did not answer does. */
        this.awoke = () => {};
        /**
         * One that answered does no more, or does again.
         * @type {(hasStopped: boolean) => void}
         */
        this.stopped = () => {};
    }

    /** Makes what the sensor does not. @param {boolean} hasSensor whether it answered */
    start(hasSensor) {
        this.isAlone = !hasSensor;
        this.madeUntil = performance.now();
        setInterval(() => this.make(performance.now()), STEP);
    }

    /** A sample of the sensor. */
    feel(sample, now = performance.now()) {
        this.turn(now);
        if (this.isAlone) {
            this.isAlone = false;
            this.awoke();
        }
        [this.felt, this.feltAt, this.isExcused] = [sample, now, false];
        this.judge(false);
        const length = Math.hypot(...sample.acceleration);
        if (length > 0.7 * GRAVITY && length < 1.3 * GRAVITY) {
            const pose = this.up.map((value, axis) => value + sample.acceleration[axis] / length / POSE_MEMORY);
            const norm = Math.hypot(...pose);
            if (norm > 1e-3) this.up = pose.map((value) => value / norm);
        }
        this.emit(sample);
    }

    /** Makes the samples that are due. */
    make(now) {
        // What the sensor said while the page stood still comes only now: once, that is no silence.
        if (this.turn(now) > SILENT / 2 && !this.isExcused) [this.feltAt, this.isExcused] = [now, true];
        if (this.isSeen && this.felt && now - this.feltAt > STOPPED) this.judge(true);
        for (const moment of moments(this.madeUntil, now)) {
            this.madeUntil = moment;
            if (this.isAlone || (this.buttons.isBusy && this.isSilent(now))) this.repeat(moment);
        }
        this.buttons.show(now);
    }

    /** The page does something here. @returns {number} how long after it last did, in ms */
    turn(now) {
        if (now - this.stoodUntil >= SETTLED) this.settle();
        const since = now - this.turnAt;
        if (since > LATE) {
            this.stoodUntil = now;
            // Its next turn may be as late.
            clearTimeout(this.settling);
            this.settling = setTimeout(() => this.settle(), Math.ceil(SETTLED));
        }
        this.turnAt = now;
        return since;
    }

    judge(hasStopped) {
        if (hasStopped === this.hasStopped) return;
        this.hasStopped = hasStopped;
        this.stopped(hasStopped);
    }

    isSilent(now) { return this.felt !== null && now - this.feltAt > SILENT; }

    /** What is known at this moment, without anything new of the sensor. */
    repeat(now) { this.emit({ ...(this.isAlone ? {} : this.felt), time: Math.floor(now * 1_000) }); }

    /** The page goes out of sight: nobody holds a button any more, and the room is told so at once. */
    letGo(now = performance.now()) {
        this.settle();
        const wasBusy = this.buttons.isBusy;
        this.buttons.releaseAll(now);
        if (wasBusy && (this.isAlone || this.felt)) this.repeat(now);
        this.settle();
        this.buttons.show(now);
        this.isSeen = false;
    }

    /** It is seen again: what the sensor did not say meanwhile is no silence. */
    resume(now = performance.now()) { [this.isSeen, this.feltAt] = [true, now]; }

    emit(sample) {
        this.waiting.push(sample);
        if (this.turnAt - this.stoodUntil >= SETTLED) this.settle();
    }

    /** Times only ever rise, whoever made the sample. */
    settle() {
        for (const sample of this.waiting.splice(0)) {
            if (sample.time <= this.latest) continue;
            this.latest = sample.time;
            this.take({ ...sample, buttons: this.buttons.at(sample.time / 1_000) });
        }
    }
}
