// One stream of samples: what the sensor feels, and which buttons were down meanwhile.

import { GRAVITY } from "./units.js";

/** Samples a second of buttons alone. */
const RATE = 60;
/** A sensor that says nothing for so long stands still, in ms: what buttons say waits for it no more. */
const SILENT = 150;
/** And for so long, while the page is seen: it has stopped. */
const STOPPED = 3_000;
const FACE_UP = [0, 0, 1];
/** How fast the pose follows the sensor, in readings. */
const POSE_MEMORY = 16;

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
        this.madeUntil = this.madeAt = performance.now();
        setInterval(() => this.make(performance.now()), 1_000 / RATE);
    }

    /** A sample of the sensor. */
    feel(sample) {
        if (this.isAlone) {
            this.isAlone = false;
            this.awoke();
        }
        [this.felt, this.feltAt, this.isExcused] = [sample, performance.now(), false];
        this.judge(false);
        const length = Math.hypot(...sample.acceleration);
        if (length > 0.7 * GRAVITY && length < 1.3 * GRAVITY) {
            const pose = this.up.map((value, axis) => value + sample.acceleration[axis] / length / POSE_MEMORY);
            const norm = Math.hypot(...pose);
            if (norm > 1e-3) this.up = pose.map((value) => value / norm);
        }
        this.emit(sample);
    }

    /** Makes the samples that are due, evenly spaced whatever the timer does. */
    make(now) {
        const step = 1_000 / RATE;
        // What the sensor said while the page stood still comes only now: once, that is no silence.
        if (now - this.madeAt > SILENT / 2 && !this.isExcused) [this.feltAt, this.isExcused] = [now, true];
        this.madeAt = now;
        if (this.isSeen && this.felt && now - this.feltAt > STOPPED) this.judge(true);
        // A page that slept does not catch up.
        if (now - step - this.madeUntil > 500) this.madeUntil = now - step;
        while (this.madeUntil + step <= now) {
            this.madeUntil += step;
            if (this.isAlone || (this.buttons.isBusy && this.isSilent(now))) this.repeat(this.madeUntil);
        }
        this.buttons.show(now);
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
        const wasBusy = this.buttons.isBusy;
        this.buttons.releaseAll(now);
        if (wasBusy && (this.isAlone || this.felt)) this.repeat(now);
        this.buttons.show(now);
        this.isSeen = false;
    }

    /** It is seen again: what the sensor did not say meanwhile is no silence. */
    resume(now = performance.now()) { [this.isSeen, this.feltAt] = [true, now]; }

    /** Times only ever rise, whoever made the sample. */
    emit(sample) {
        if (sample.time <= this.latest) return;
        this.latest = sample.time;
        this.take({ ...sample, buttons: this.buttons.at(sample.time / 1_000) });
    }
}
