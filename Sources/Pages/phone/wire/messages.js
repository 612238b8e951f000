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
    default: return null;
    }
}
