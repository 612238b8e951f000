// A virtual phone: a mouse tilts it, keys press its buttons. For making a game without a phone at hand.

import { GESTURES, momentOf } from "./sensor/button-log.js";
import { STEP, moments } from "./sensor/mixer.js";
import { GRAVITY } from "./sensor/units.js";

/** m/s², from peak to peak: no sensor reads the same for seconds, and one that does is taken for broken. */
const NOISE = 0.03;
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
    /**
     * @param {HTMLElement} surface
     * @param {import("./sensor/mixer.js").MotionMixer} mixer
     * @param {import("./sensor/button-log.js").ButtonLog} buttons
     */
    constructor(surface, mixer, buttons) {
        Object.assign(this, { surface, mixer, buttons });
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
        addEventListener("keyup", (event) => this.buttons.release(bitOf(event), momentOf(event)));
        // The key's end may go to another window.
        addEventListener("blur", () => this.buttons.releaseAll());
    }

    start() {
        this.sampledAt = performance.now();
        setInterval(() => this.make(performance.now()), STEP);
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
        const bit = bitOf(event);
        if (arrows[event.key]) this.turn(arrows[event.key]);
        else if (bit >= 0 && !event.repeat) this.buttons.press(bit, momentOf(event), performance.now());
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
        for (const moment of moments(this.sampledAt, now)) {
            const [before, seconds] = [this.now, (moment - this.sampledAt) / 1_000];
            const share = seconds / (FOLLOWING + seconds);
            const follow = (name) => before[name] + share * (this.target[name] - before[name]);
            this.now = { pitch: follow("pitch"), roll: follow("roll"), yaw: follow("yaw") };
            const { force, rate } = felt(before, this.now, seconds);
            this.mixer.feel(sampleOf(moment, force, rate));
            this.sampledAt = moment;
        }
        this.turned(this.now);
    }
}

/** Which button a key presses; -1 for none. */
const bitOf = ({ key }) => GESTURES.findIndex((gesture) => gesture.key === key.toLowerCase());

/** A sample as made here. @param {number} now ms @param {number[]} force g @param {number[]} rotationRate rad/s */
function sampleOf(now, force, rotationRate) {
    const acceleration = force.map((value) => value * GRAVITY + (Math.random() - 0.5) * NOISE);
    return { time: Math.floor(now * 1_000), acceleration, rotationRate };
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
