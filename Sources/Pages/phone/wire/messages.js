// What reliable messages say (WIRE-FORMAT.md, section 7.1).

import { ByteReader, ByteWriter } from "./bytes.js";

/** Outcomes of a haptic, by their numbers. */
const OUTCOMES = ["played", "unsupported", "expired", "notAllowed", "busy"];

/**
 * @param {number} id the haptic's
 * @param {string} outcome one of played, unsupported, expired, notAllowed, busy
 * @param {number} playedAt ns on the device's clock; 0 unless it was played
 */
export function hapticReceipt(id, outcome, playedAt) {
    const writer = new ByteWriter(14);
    writer.u8(2);
    writer.u32(id);
    writer.u8(OUTCOMES.indexOf(outcome));
    writer.i64(outcome === "played" ? playedAt : 0);
    return writer.bytes;
}

/** The first number that finds bear; the host's haptics have lower ones. */
export const FIRST_FIND = 0x80000000;

/**
 * A tap was found here.
 * @param {number} id from FIRST_FIND on, for the receipt of what is played for it
 * @param {number} at ns on the device's clock
 */
export function foundTap(id, at) {
    const writer = new ByteWriter(14);
    writer.u8(9);
    writer.u8(1);
    writer.u32(id);
    writer.i64(at);
    return writer.bytes;
}

/** What to look for here; `tap` is null where it is nothing that this page knows. Times in ms, pushes in g. */
function readDetection(reader) {
    const [intensity, sharpness, duration] = [reader.u8() / 255, reader.u8() / 255, reader.u16()];
    let tap = null;
    for (let count = reader.u8(); count > 0; count -= 1) {
        const gesture = reader.u8();
        const rule = new ByteReader(reader.slice(reader.u8()));
        if (gesture !== 1) continue;
        const [knock, calm, turn] = [rule.u16() / 1_000, rule.u16() / 1_000, rule.u16() / 1_000];
        tap = { knock, calm, turn, longest: rule.u16(), quiet: rule.u16() };
    }
    return { kind: "detect", intensity, sharpness, duration, tap };
}

/** The way the device is held now is straight ahead. */
export const rezero = () => new Uint8Array([5]);

/**
 * Reads a message of the host; `null` for a kind that a controller does not know.
 * @param {Uint8Array} body
 * @throws {import("./bytes.js").FrameError}
 */
export function readMessage(body) {
    const reader = new ByteReader(body);
    switch (reader.u8()) {
    case 1:
        return {
            kind: "haptic", id: reader.u32(), intensity: reader.u8() / 255, sharpness: reader.u8() / 255,
            duration: reader.u16(), timeToLive: reader.u16(),
        };
    case 3: {
        const [seat, player, color] = [reader.u16(), reader.u16(), reader.u32()];
        return { kind: "seat", seat, player, color: "#" + (color & 0xffffff).toString(16).padStart(6, "0") };
    }
    case 4: return { kind: "identify" };
    case 6: return { kind: "application", body: reader.slice(reader.left) };
    case 8: return readDetection(reader);
    default: return null;
    }
}
