// One stream of samples from what moves: the sensor, a button's pulse, or neither.

import { PULSES } from "./pulses.js";

const GRAVITY = 9.80665;
/** Samples a second that are made here. */
const RATE = 60;
/** m/s², from peak to peak: a few steps of the wire's. */
const NOISE = 0.03;
const FACE_UP = [0, 0, 1];
/** How fast the pose follows the sensor, in readings. */
const POSE_MEMORY = 16;

/**
 * Hands on the sensor's samples; while a pulse plays, its own in their place, marked in `buttons`. Where there is no
 * sensor it says between pulses that the phone lies still, so that gestures have something to begin from.
 */
export class MotionMixer {
    /** @param {(sample: import("../wire/samples.js").Sample) => void} take */
    constructor(take) {
        this.take = take;
        /** Away from the earth, as the phone is held: a unit vector in its own axes. */
        this.up = FACE_UP;
        this.playing = null;
        this.hasSensor = false;
        /** Told of the gesture that plays; null when it is over. @type {(gesture: string | null) => void} */
        this.played = () => {};
        this.latest = -Infinity;
    }

    /** Makes samples from now on; what the sensor brings counts more. */
    start() {
        this.madeUntil = performance.now();
        this.timer = setInterval(() => this.make(performance.now()), 1_000 / RATE);
    }

    stop() { clearInterval(this.timer); }

    /** A sample of the sensor. */
    feel(sample) {
        this.hasSensor = true;
        const length = Math.hypot(...sample.acceleration);
        if (length > 0.7 * GRAVITY && length < 1.3 * GRAVITY) {
            const pose = this.up.map((value, axis) => value + sample.acceleration[axis] / length / POSE_MEMORY);
            const norm = Math.hypot(...pose);
            if (norm > 1e-3) this.up = pose.map((value) => value / norm);
        }
        if (!this.playing) this.emit({ ...sample, buttons: 0 });
    }

    /** Plays a gesture's pulse; false while another one plays. @param {string} gesture */
    play(gesture) {
        const place = PULSES.findIndex((pulse) => pulse.gesture === gesture);
        if (this.playing || place < 0) return false;
        this.playing = { pulse: PULSES[place], bit: 1 << place, since: performance.now(), up: this.up };
        this.madeUntil = this.playing.since;
        this.played(gesture);
        return true;
    }

    /** Makes the samples that are due, evenly spaced whatever the timer does. */
    make(now) {
        const step = 1_000 / RATE;
        // A page that slept does not catch up; what it was playing goes on where it was.
        const slept = now - step - this.madeUntil;
        if (slept > 500) {
            this.madeUntil += slept;
            if (this.playing) this.playing.since += slept;
        }
        while (this.madeUntil + step <= now) {
            this.madeUntil += step;
            if (this.playing) this.makePulse(this.madeUntil);
            else if (!this.hasSensor) this.emit(sampleOf(this.madeUntil, this.up, [0, 0, 0], 0));
        }
    }

    makePulse(time) {
        const { pulse, bit, since, up } = this.playing;
        const t = (time - since) / 1_000;
        if (t < pulse.duration) {
            const { force, rate } = pulse.feel(t, up);
            this.emit(sampleOf(time, force, rate, bit));
        } else {
            this.playing = null;
            this.played(null);
        }
    }

    /** Times only ever rise, whoever made the sample. */
    emit(sample) {
        if (sample.time <= this.latest) return;
        this.latest = sample.time;
        this.take(sample);
    }
}

/**
 * A sample as made here: with a little noise, as no sensor reads the same for seconds, and one that does is taken for
 * broken.
 * @param {number} now ms @param {number[]} force g @param {number[]} rate rad/s
 */
export function sampleOf(now, force, rate, buttons) {
    const acceleration = force.map((value) => value * GRAVITY + (Math.random() - 0.5) * NOISE);
    return { time: Math.floor(now * 1_000), acceleration, rotationRate: rate, buttons };
}
