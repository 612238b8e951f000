// What the page knows of its own sensor: how often it reads, where it has holes, how finely it measures.

/** A gap is longer than so many sampling intervals; a stall is an event handled so many ms after its time. */
const GAP = 3;
const STALL = 100;
/** Steps that sensors are known to round to, coarsest first. */
const STEPS = [1, 0.5, 0.1, 0.05, 0.01, 0.005, 0.001, 0.0001];
/** Different values that are needed before their common step means anything. */
const ENOUGH = 8;

/** Counts over the life of the page. */
export class SensorHealth {
    gaps = 0;
    longestGap = 0;
    stalls = 0;
    longestStall = 0;
    count = 0;
    steps = { acceleration: new CommonStep(), rotation: new CommonStep(), time: new CommonStep() };

    /** @param {number} time of the event @param {number} now when it is handled; ms on the page's clock */
    read(time, now, acceleration, rotation) {
        if (this.last !== undefined) {
            const interval = time - this.last;
            // Seldom or often: the usual interval follows slowly, and gaps do not count for it.
            const usual = this.interval ?? interval;
            if (interval > GAP * usual) {
                this.gaps += 1;
                this.longestGap = Math.max(this.longestGap, interval);
            } else {
                this.interval = usual + (interval - usual) / 32;
            }
        }
        const stall = now - time;
        if (stall > STALL) {
            this.stalls += 1;
            this.longestStall = Math.max(this.longestStall, stall);
        }
        this.last = time;
        this.count += 1;
        this.steps.time.add(time);
        for (const value of acceleration) this.steps.acceleration.add(value);
        for (const value of rotation ?? []) this.steps.rotation.add(value);
    }

    /** After a time in which nobody read on purpose, as while the page was hidden. */
    interrupt() { this.last = undefined; }

    /** As the control message `sensor` says it. */
    get report() {
        return {
            ...(this.interval && { rate: round(1_000 / this.interval, 10) }),
            gaps: this.gaps, longestGap: round(this.longestGap, 10),
            stalls: this.stalls, longestStall: round(this.longestStall, 10),
            ...named("accelerationStep", this.steps.acceleration.value),
            ...named("rotationStep", this.steps.rotation.value),
            ...named("timeStep", this.steps.time.value),
        };
    }
}

/** The coarsest known step of which all values were multiples. */
class CommonStep {
    candidates = [...STEPS];
    seen = new Set();

    add(value) {
        if (this.seen.size < ENOUGH) this.seen.add(value);
        while (this.candidates.length > 0 && !isMultiple(value, this.candidates[0])) this.candidates.shift();
    }

    get value() { return this.seen.size < ENOUGH ? undefined : this.candidates[0]; }
}

const isMultiple = (value, step) => Math.abs(value / step - Math.round(value / step)) < 1e-3;
const round = (value, parts) => Math.round(value * parts) / parts;
const named = (name, value) => (value === undefined ? {} : { [name]: value });
