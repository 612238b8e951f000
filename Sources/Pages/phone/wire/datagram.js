// A browser's datagrams: header, send time, blocks; no seal (WIRE-FORMAT.md, sections 1, 3, 6 to 10).

import { ByteReader, ByteWriter, FrameError } from "./bytes.js";

const LARGEST = 1200;
const LARGEST_BITMAP = 512;
const LARGEST_MESSAGE = 512;
const BROWSER_MOTION = 3;
const BROWSER_FEEDBACK = 4;

/** Bytes of each block that this side writes. */
export const BYTES = { probeAnswer: 17, message: 7, receipt: 7, goodbye: 8, tally: 29 };

/** Reasons of a goodbye, by their numbers. */
export const GOODBYE = ["other", "left", "paused", "closing", "kicked", "replaced", "tooFast"];

/** Begins a datagram to the host. @returns {ByteWriter} @param {number} sentAt ns on the device's clock */
export function beginDatagram(connection, number, sentAt) {
    const writer = new ByteWriter(LARGEST);
    writer.u8(0x10 | BROWSER_MOTION);
    writer.u32(connection);
    writer.u32(number);
    writer.i64(sentAt);
    return writer;
}

/**
 * @param {ByteWriter} writer
 * @param {number} receivedAt ns
 * @param {number} grain within so many ns the clock's readings of one moment may lie apart
 */
export function writeProbeAnswer(writer, id, receivedAt, grain = 0) {
    block(writer, 4, grain > 0 ? 14 : 10);
    writer.u16(id);
    writer.i64(receivedAt);
    if (grain > 0) writer.u32(grain);
}

/** @param {ByteWriter} writer @param {Uint8Array} body at most 512 bytes */
export function writeMessage(writer, id, body) {
    block(writer, 5, 4 + body.length);
    writer.u32(id);
    writer.put(body);
}

/** @param {ByteWriter} writer @param {number} next the id expected next */
export function writeReceipt(writer, next) {
    block(writer, 6, 4);
    writer.u32(next);
}

/** @param {ByteWriter} writer @param {string} reason @param {number} lastSent the highest number used */
export function writeGoodbye(writer, reason, lastSent) {
    block(writer, 8, 5);
    writer.u8(GOODBYE.indexOf(reason));
    writer.u32(lastSent);
}

/**
 * Writes what was sent in all.
 * @param {ByteWriter} writer
 * @param {{links: number, datagrams: number, samples: number, confirmed: number}} tally
 */
export function writeTally(writer, { links, datagrams, samples, confirmed }) {
    block(writer, 10, 26);
    writer.u16(links);
    for (const count of [datagrams, samples, confirmed]) writer.i64(count);
}

function block(writer, type, length) {
    writer.u8(type);
    writer.u16(length);
}

/**
 * Reads a datagram of the host. Blocks of a later version, and those that do not travel this way, are left out.
 * @param {Uint8Array} bytes
 * @returns {{connection: number, number: number, sentAt: number, blocks: object[]}} `sentAt` in ns, on the host's clock
 * @throws {FrameError}
 */
export function readFeedback(bytes) {
    if (bytes.length > LARGEST) throw new FrameError("oversized");
    const reader = new ByteReader(bytes);
    const first = reader.u8();
    if (first >> 4 !== 1) throw new FrameError("unknownVersion");
    if ((first & 15) !== BROWSER_FEEDBACK) throw new FrameError("unknownKind");
    return { connection: reader.u32(), number: reader.u32(), ...readContent(reader) };
}

/** The content behind a header. @param {ByteReader} reader */
export function readContent(reader) {
    const sentAt = reader.i64();
    const blocks = [];
    while (reader.left > 0) {
        const type = reader.u8();
        const body = new ByteReader(reader.slice(reader.u16()));
        const read = READERS[type];
        if (read) blocks.push(read(body));
    }
    return { sentAt, blocks };
}

/** @type {Object<number, (body: ByteReader) => object>} */
const READERS = {
    2(body) {
        const head = { type: "acknowledgement", stream: body.u8(), epoch: body.u8(), cumulative: body.u32() };
        if (body.left > LARGEST_BITMAP) throw new FrameError("malformedBlock");
        return { ...head, bitmap: body.slice(body.left) };
    },
    3: (body) => ({ type: "probe", id: body.u16() }),
    5(body) {
        const id = body.u32();
        if (body.left > LARGEST_MESSAGE) throw new FrameError("messageTooLong");
        return { type: "message", id, body: body.slice(body.left) };
    },
    6: (body) => ({ type: "receipt", next: body.u32() }),
    8: (body) => ({ type: "goodbye", reason: GOODBYE[body.u8()] ?? "other", lastSent: body.u32() }),
    9: (body) => ({ type: "account", highest: body.u32(), unique: body.u32() }),
};
