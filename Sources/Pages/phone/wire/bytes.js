// Big-endian numbers in bytes, as WIRE-FORMAT.md writes them. 64-bit ones are JavaScript numbers, exact up to 2^53: in
// nanoseconds on a clock that begins with the page, 104 days.

const WORD = 2 ** 32;

/** Why bytes cannot be read: the words of WIRE-FORMAT.md, section 12. */
export class FrameError extends Error {}

/** Writes numbers one after another into bytes of a fixed size. */
export class ByteWriter {
    /** @param {number} size bytes at most */
    constructor(size) {
        this.bytes = new Uint8Array(size);
        this.view = new DataView(this.bytes.buffer);
        this.count = 0;
    }

    get room() { return this.bytes.length - this.count; }
    /** What was written so far, as a copy. */
    get written() { return this.bytes.slice(0, this.count); }

    u8(value) { this.view.setUint8(this.count, value); this.count += 1; }
    u16(value) { this.view.setUint16(this.count, value); this.count += 2; }
    u24(value) { this.u8(value >>> 16); this.u16(value & 0xffff); }
    u32(value) { this.view.setUint32(this.count, value); this.count += 4; }
    i16(value) { this.view.setInt16(this.count, value); this.count += 2; }
    i64(value) {
        const high = Math.floor(value / WORD);
        this.view.setInt32(this.count, high);
        this.view.setUint32(this.count + 4, value - high * WORD);
        this.count += 8;
    }
    put(bytes) { this.bytes.set(bytes, this.count); this.count += bytes.length; }
}

/** Reads them again; what ends too early is `truncated`. */
export class ByteReader {
    /** @param {Uint8Array} bytes */
    constructor(bytes) {
        this.bytes = bytes;
        this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        this.offset = 0;
    }

    get left() { return this.bytes.length - this.offset; }

    take(count) {
        if (count > this.left) throw new FrameError("truncated");
        this.offset += count;
        return this.offset - count;
    }
    u8() { return this.view.getUint8(this.take(1)); }
    u16() { return this.view.getUint16(this.take(2)); }
    u32() { return this.view.getUint32(this.take(4)); }
    i64() {
        const at = this.take(8);
        return this.view.getInt32(at) * WORD + this.view.getUint32(at + 4);
    }
    /** A view of the next `count` bytes, not a copy. */
    slice(count) {
        const at = this.take(count);
        return this.bytes.subarray(at, at + count);
    }
}
