// A virtual phone: a mouse tilts it, keys play its gestures. For making a game without a phone at hand.

import { sampleOf } from "./sensor/mixer.js";
import { PULSES } from "./sensor/pulses.js";

const RATE = 60;
/** Radians for each pixel of a drag, and how quickly the phone follows the mouse, in s. */
const PER_PIXEL = 0.009;
const FOLLOWING = 0.06;
const STEEPEST = 1.5;

/**
 * Turns drags into samples of gyroscope and accelerometer that agree with each other, 60 a second.
 *
 * The attitude is yaw about the vertical, then pitch about x, then roll about y. Dragging down lifts the top edge,
 * dragging right lowers the right edge; with Shift, dragging turns it; a double click lays it flat.
 */
export class Pad {
    /** @param {HTMLElement} surface @param {import("./sensor/mixer.js").MotionMixer} mixer */
    constructor(surface, mixer) {
        this.surface = surface;
        this.mixer = mixer;
        this.target = { pitch: 0, roll: 0, yaw: 0 };
        this.now = { pitch: 0, roll: 0, yaw: 0 };
        /**
         * Told of the attitude as it is drawn, in rad.
         * @type {(attitude: {pitch: number, roll: number, yaw: number}) => void}
         */
        this.turned = () => {};
        surface.addEventListener("pointerdown", (event) => this.grab(event));
        surface.addEventListener("pointermove", (event) => this.drag(event));
        surface.addEventListener("dblclick", () => { this.target = { pitch: 0, roll: 0, yaw: this.target.yaw }; });
        addEventListener("keydown", (event) => this.press(event));
    }

    start() {
        this.sampledAt = performance.now();
        setInterval(() => this.make(performance.now()), 1_000 / RATE);
    }

    grab(event) {
        this.surface.setPointerCapture(event.pointerId);
        this.last = [event.clientX, event.clientY];
    }

    drag(event) {
        if (!this.surface.hasPointerCapture(event.pointerId)) return;
        const [dx, dy] = [event.clientX - this.last[0], event.clientY - this.last[1]];
        this.last = [event.clientX, event.clientY];
        this.turn(event.shiftKey ? { yaw: -dx * PER_PIXEL } : { pitch: dy * PER_PIXEL, roll: dx * PER_PIXEL });
    }

    press(event) {
        if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, dialog")) return;
        const step = 0.1;
        const arrows = {
            ArrowUp: { pitch: -step }, ArrowDown: { pitch: step },
            ArrowLeft: { roll: -step }, ArrowRight: { roll: step },
        };
        const pulse = PULSES.find(({ key }) => key === event.key.toLowerCase());
        if (arrows[event.key]) this.turn(arrows[event.key]);
        else if (pulse && !event.repeat) this.mixer.play(pulse.gesture);
        else return;
        event.preventDefault();
    }

    turn({ pitch = 0, roll = 0, yaw = 0 }) {
        const clip = (value) => Math.max(-STEEPEST, Math.min(STEEPEST, value));
        this.target = {
            pitch: clip(this.target.pitch + pitch), roll: clip(this.target.roll + roll), yaw: this.target.yaw + yaw,
        };
    }

    make(now) {
        const step = 1_000 / RATE;
        if (now - this.sampledAt > 500) this.sampledAt = now - step;
        while (this.sampledAt + step <= now) {
            this.sampledAt += step;
            const before = this.now;
            const share = step / 1_000 / (FOLLOWING + step / 1_000);
            const follow = (name) => before[name] + share * (this.target[name] - before[name]);
            this.now = { pitch: follow("pitch"), roll: follow("roll"), yaw: follow("yaw") };
            const { force, rate } = felt(before, this.now, step / 1_000);
            this.mixer.feel(sampleOf(this.sampledAt, force, rate, 0));
        }
        this.turned(this.now);
    }
}

/** What gyroscope and accelerometer feel of a step from one attitude to another, in the device's axes. */
function felt(before, { pitch, roll, yaw }, seconds) {
    const [cp, sp, cr, sr] = [Math.cos(pitch), Math.sin(pitch), Math.cos(roll), Math.sin(roll)];
    // The earth's up, seen from the device: down at the right edge when it is lowered, and so on.
    const force = [-cp * sr, sp, cp * cr];
    const [dp, dr, dy] = [pitch - before.pitch, roll - before.roll, yaw - before.yaw].map((turn) => turn / seconds);
    // Pitch is about x before the roll, yaw about the earth's up.
    const rate = [dp * cr + dy * force[0], dr + dy * force[1], dp * sr + dy * force[2]];
    return { force, rate };
}
