// Samples in fixed point (WIRE-FORMAT.md, section 4).

const STEPS = 32767;

/** @type {Object<string, number>} the bits of `measures` */
const BITS = { acceleration: 1, rotationRate: 2, attitude: 4, buttons: 8, battery: 16 };

/**
 * One reading of a sensor. Acceleration is specific force in m/s², with W3C's sign; rotation rate in rad/s.
 * @typedef {object} Sample
 * @property {number} time whole microseconds on the device's clock
 * @property {number[]} [acceleration]
 * @property {number[]} [rotationRate]
 * @property {number[]} [attitude] w, x, y, z
 * @property {number} [buttons] bit 0 is the first button
 * @property {number} [battery] percent
 */

/** Writes the samples of one stream as it was declared in the invitation. */
export class SampleCodec {
    /** @param {{measures: string[], accelerationRange: number, rotationRange: number}} declaration */
    constructor(declaration) {
        const has = new Set(declaration.measures);
        this.measures = declaration.measures.reduce((bits, name) => bits | BITS[name], 0);
        this.fields = [];
        if (has.has("acceleration")) this.fields.push(["acceleration", 3, declaration.accelerationRange / STEPS]);
        if (has.has("rotationRate")) this.fields.push(["rotationRate", 3, declaration.rotationRange / STEPS]);
        if (has.has("attitude")) this.fields.push(["attitude", 4, 1 / STEPS]);
        this.hasButtons = has.has("buttons");
        this.hasBattery = has.has("battery");
        /** Bytes of a sample. */
        this.size = 3 + this.fields.reduce((sum, [, count]) => sum + 2 * count, 0)
            + (this.hasButtons ? 2 : 0) + (this.hasBattery ? 1 : 0);
    }

    /** Whether every measured value is a finite number: nothing else may be sent. @param {Sample} sample */
    canEncode(sample) {
        return this.fields.every(([name, count]) =>
            sample[name]?.length === count && sample[name].every(Number.isFinite));
    }

    /** @param {import("./bytes.js").ByteWriter} writer @param {Sample} sample @param {number} start of the run, us */
    write(writer, sample, start) {
        writer.u24(sample.time - start);
        for (const [name, , step] of this.fields) {
            for (const value of sample[name]) writer.i16(fixed(value / step));
        }
        if (this.hasButtons) writer.u16(sample.buttons ?? 0);
        if (this.hasBattery) writer.u8(sample.battery ?? 0);
    }
}

/** The nearest whole number, half to even, clipped as a sensor clips. */
function fixed(value) {
    let whole = Math.round(value);
    if (Math.abs(value % 1) === 0.5 && whole % 2 !== 0) whole -= 1;
    return Math.max(-STEPS, Math.min(STEPS, whole));
}
