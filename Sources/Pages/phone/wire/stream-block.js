// A stream block: runs of samples behind stream, epoch, measures and floor (WIRE-FORMAT.md, section 5).

const LONGEST_RUN = 255;
const LATEST = 2 ** 24;
/** Bytes around a block's runs, and around a run's samples. */
export const BLOCK_BYTES = 3 + 7;
export const RUN_BYTES = 13;

/** Writes a block sample by sample; a gap in the indexes, 255 samples or 16.8 s begin a new run. */
export class StreamBlockWriter {
    /**
     * @param {import("./bytes.js").ByteWriter} writer with room for the block and one sample at least
     * @param {{stream: number, epoch: number, floor: number, codec: import("./samples.js").SampleCodec}} stream
     */
    constructor(writer, { stream, epoch, floor, codec }) {
        this.writer = writer;
        this.codec = codec;
        this.begin = writer.count;
        writer.u8(1);
        writer.u16(0);
        writer.u8(stream);
        writer.u8(epoch);
        writer.u8(codec.measures);
        writer.u32(floor);
        this.run = null;
    }

    /** Writes one sample; false when it does not fit any more. @returns {boolean} */
    append(index, sample) {
        const isNewRun = !this.run || index !== this.run.next || this.run.count === LONGEST_RUN
            || sample.time - this.run.start >= LATEST || sample.time <= this.run.last;
        if (this.writer.room < this.codec.size + (isNewRun ? RUN_BYTES : 0)) return false;
        if (isNewRun) {
            this.run = { next: index, count: 0, start: sample.time, countAt: this.writer.count + 4 };
            this.writer.u32(index);
            this.writer.u8(0);
            this.writer.i64(sample.time);
        }
        this.codec.write(this.writer, sample, this.run.start);
        this.run.next += 1;
        this.run.count += 1;
        this.run.last = sample.time;
        this.writer.view.setUint8(this.run.countAt, this.run.count);
        return true;
    }

    /** To be called once, behind the last sample. */
    finish() { this.writer.view.setUint16(this.begin + 1, this.writer.count - this.begin - 3); }
}
