// Buttons that mean gestures, for players who press instead of moving: which, and from when to when each was down.

/** The gestures that have a button each, in the order of the bits; on a virtual phone a key presses it. */
export const GESTURES = [
    { gesture: "jump", key: "j" },
    { gesture: "shake", key: "s" },
    { gesture: "tilt", key: "t" },
    { gesture: "twist", key: "w" },
    { gesture: "tap", key: "p" },
    { gesture: "flick", key: "f" },
    { gesture: "swing", key: "g" },
    { gesture: "free-fall", key: "d" },
    { gesture: "hold-still", key: "h" },
    { gesture: "rhythm", key: "r" },
    { gesture: "keepcalm-jump", key: "k" },
];
/** So many bits are left for what the room calls by names of its own, and then for what the player teaches, in their order. */
export const MOST_OTHERS = 16 - GESTURES.length;

/** What a stream declares of its buttons (WIRE-FORMAT.md, section 13). */
export const MEANINGS = [...GESTURES.map(({ gesture }) => gesture), ...Array(MOST_OTHERS).fill("+")];

/** However short the touch, people see it, in ms; and samples see the pause before the next. */
const SHORTEST_PRESS = 100;
const SHORTEST_PAUSE = 40;

/** Which buttons were down when. Times are `performance.now()`'s, in ms. */
export class ButtonLog {
    constructor() {
        /** @type {{bit: number, from: number, to: number, isTold: boolean}[]} in the order of `from`, of each button */
        this.presses = [];
        this.shown = 0;
        /** Told which are down, when that changes. @type {(buttons: number) => void} */
        this.changed = () => {};
    }

    /** A button goes down. @param {number} bit */
    press(bit, now = performance.now()) {
        const last = this.last(bit);
        // It is down, or about to be: whoever hammers on it has one more press to come, and no row of them.
        if (last?.to === Infinity) return;
        if (last && last.from > now) {
            last.to = Infinity;
            return;
        }
        const from = Math.max(now, (last?.to ?? -Infinity) + SHORTEST_PAUSE);
        this.presses.push({ bit, from, to: Infinity, isTold: false });
        this.show(now);
    }

    /** A button goes up. @param {number} bit */
    release(bit, now = performance.now()) {
        const last = this.last(bit);
        if (last?.to === Infinity) last.to = Math.max(now, last.from + SHORTEST_PRESS);
    }

    /** A button is pressed for a moment. @param {number} bit */
    tap(bit, now = performance.now()) {
        this.press(bit, now);
        this.release(bit, now);
    }

    /** Nothing is down any more; what no sample saw is forgotten. */
    releaseAll(now = performance.now()) {
        this.presses = this.presses.filter(({ isTold }) => isTold);
        // Samples bear whole microseconds: the one of this moment shows it already.
        for (const press of this.presses) press.to = Math.min(press.to, Math.floor(now * 1_000) / 1_000);
    }

    /** Whether samples have something to say: that a button is down, or that it is no more. */
    get isBusy() { return this.presses.length > 0; }

    last(bit) {
        let last = null;
        for (const press of this.presses) if (press.bit === bit) last = press;
        return last;
    }

    /**
     * The buttons that were down at the time of a sample, as bits. One that went up again before any sample came is down in
     * the next: no press is lost where a page or a sensor stood still. Ask for rising times.
     */
    at(time) {
        let bits = 0;
        for (const press of this.presses) {
            if (press.from > time || (press.isTold && time >= press.to)) continue;
            bits |= 1 << press.bit;
            press.isTold = true;
        }
        this.presses = this.presses.filter(({ to, isTold }) => !isTold || to > time - SHORTEST_PAUSE);
        return bits;
    }

    /** To be called often, for whoever shows them. */
    show(now = performance.now()) {
        const bits = this.presses.reduce(
            (bits, { bit, from, to }) => (from <= now && now < to ? bits | (1 << bit) : bits), 0);
        if (bits === this.shown) return;
        this.shown = bits;
        this.changed(bits);
    }
}
