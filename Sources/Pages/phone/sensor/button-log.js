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

/** However short the touch, people see it, in ms; and the pause before the next. */
const SHORTEST_PRESS = 100;
const SHORTEST_PAUSE = 40;

/**
 * When the finger or the key moved, on the page's clock: a page that stood still hears of it later. Some browsers count
 * events from elsewhere, or do not say.
 * @param {Event} event
 */
export const momentOf = ({ timeStamp }, now = performance.now()) => (timeStamp > 0 && timeStamp <= now ? timeStamp : now);

/** Which buttons were down when. Times are `performance.now()`'s, in ms. */
export class ButtonLog {
    constructor() {
        /**
         * In the order of `from`, of each button.
         * @type {{bit: number, from: number, to: number, soonestEnd: number, isTold: boolean}[]}
         */
        this.presses = [];
        /** What the latest sample told. */
        this.told = 0;
        this.shown = 0;
        /** Told which are down, when that changes. @type {(buttons: number) => void} */
        this.changed = () => {};
    }

    /** A button goes down. @param {number} bit @param {number} at when it did @param {number} now when that is heard */
    press(bit, at = performance.now(), now = at) {
        const last = this.last(bit);
        // It is down, or about to be: whoever hammers on it has one more press to come, and no row of them.
        if (last?.to === Infinity) return;
        if (last && last.from > now) {
            last.to = Infinity;
            return;
        }
        const from = Math.max(at, (last?.to ?? -Infinity) + SHORTEST_PAUSE);
        this.presses.push({ bit, from, to: Infinity, soonestEnd: Math.max(from, now) + SHORTEST_PRESS, isTold: false });
        this.show(now);
    }

    /** A button goes up. @param {number} bit @param {number} at when it did */
    release(bit, at = performance.now()) {
        const last = this.last(bit);
        if (last?.to === Infinity) last.to = Math.max(at, last.soonestEnd);
    }

    /** A button is pressed for a moment. @param {number} bit @param {number} at when @param {number} now when that is heard */
    tap(bit, at = performance.now(), now = at) {
        this.press(bit, at, now);
        this.release(bit, at);
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
     * the next, and one that went up and down between two is up in the second: no press is lost where a page or a sensor
     * stood still. Ask for rising times.
     */
    at(time) {
        let bits = 0;
        for (const press of this.presses) {
            if (press.from > time || (press.isTold && time >= press.to)) continue;
            const bit = 1 << press.bit;
            if (!press.isTold && this.told & bit) continue;
            bits |= bit;
            press.isTold = true;
        }
        this.told = bits;
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
