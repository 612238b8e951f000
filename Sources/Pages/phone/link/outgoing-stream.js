// One stream's samples, from the sensor to the host's acknowledgement (WIRE-FORMAT.md, sections 5 and 6).

import { SampleCodec } from "../wire/samples.js";
import { BLOCK_BYTES, RUN_BYTES, StreamBlockWriter } from "../wire/stream-block.js";

const MOST_HELD = 4096;
const LONGEST_HELD = 10_000;
/** A transport keeps the order: a sample that was passed by later ones for so long was thrown away, in ms. */
const LOST_AFTER = 500;

/** Holds samples for 10 s or 4,096 of them until the host has them, and writes what has to be sent. */
export class OutgoingStream {
    /** @param {{stream: number, measures: string[], accelerationRange: number, rotationRange: number}} declaration */
    constructor(declaration) {
        this.id = declaration.stream;
        this.codec = new SampleCodec(declaration);
        this.epoch = 0;
        /** The oldest index that is held. */
        this.floor = 0;
        /** From `floor` on; `sentAt` is null until it was sent in this link epoch. */
        this.slots = [];
        this.latest = -Infinity;
        this.owesFloor = false;
        this.counts = { appended: 0, refused: 0, acknowledged: 0, abandoned: 0 };
    }

    get next() { return this.floor + this.slots.length; }
    /** The samples of which the host has not said that it has them. */
    get heldCount() { return this.slots.reduce((sum, slot) => sum + (slot.isHeld ? 1 : 0), 0); }
    get isDue() { return this.owesFloor || this.slots.some((slot) => slot.isHeld && slot.sentAt === null); }

    /** How long the oldest sample has been waiting for its acknowledgement, in ms. */
    waiting(now) { return this.slots.length ? now - this.slots[0].appendedAt : 0; }

    /** Takes a sample, unless a value is missing or its time is not later than its predecessor's. */
    append(sample, now) {
        if (!this.codec.canEncode(sample) || sample.time <= this.latest) {
            this.counts.refused += 1;
            return false;
        }
        this.latest = sample.time;
        this.counts.appended += 1;
        if (this.slots.length === MOST_HELD) this.abandon(1);
        this.slots.push({ sample, appendedAt: now, sentAt: null, isHeld: true });
        return true;
    }

    /** Lets go of what is too old. */
    advance(now) {
        let count = 0;
        while (count < this.slots.length && this.slots[count].appendedAt < now - LONGEST_HELD) count += 1;
        if (count > 0) this.abandon(count);
    }

    abandon(count) {
        this.counts.abandoned += this.slots.slice(0, count).filter((slot) => slot.isHeld).length;
        this.slots.splice(0, count);
        this.floor += count;
        this.owesFloor = true;
        this.settle();
    }

    /** Takes the host's word; what it cannot have is not believed. */
    acknowledge({ epoch, cumulative, bitmap }, now) {
        if (epoch !== this.epoch) return;
        const has = (index) => {
            const bit = index - cumulative - 1;
            return index < cumulative || (bit >= 0 && (bitmap[bit >> 3] >> (bit & 7) & 1) === 1);
        };
        let isPassed = false;
        for (let place = this.slots.length - 1; place >= 0; place -= 1) {
            const slot = this.slots[place];
            if (slot.sentAt === null) continue;
            if (has(this.floor + place)) {
                if (slot.isHeld) this.counts.acknowledged += 1;
                slot.isHeld = false;
                isPassed = true;
            } else if (slot.isHeld && isPassed && now - slot.sentAt > LOST_AFTER) {
                slot.sentAt = null;
            }
        }
        this.settle();
    }

    settle() {
        let count = 0;
        while (count < this.slots.length && !this.slots[count].isHeld) count += 1;
        this.slots.splice(0, count);
        this.floor += count;
    }

    /** A new link epoch, of a host that knows the stream: what it has not confirmed is sent again. */
    repeatAll() { for (const slot of this.slots) slot.sentAt = null; }

    /** A new link epoch, of a host that never saw it: a new stream epoch, numbering what is still held from 0. */
    restart() {
        this.slots = this.slots.filter((slot) => slot.isHeld);
        this.floor = 0;
        this.epoch = (this.epoch + 1) & 0xff;
        this.repeatAll();
    }

    /** Writes what was not sent yet, as far as it fits. @param {import("../wire/bytes.js").ByteWriter} writer */
    write(writer, now) {
        if (!this.isDue || writer.room < BLOCK_BYTES + RUN_BYTES + this.codec.size) return;
        const block = new StreamBlockWriter(
            writer, { stream: this.id, epoch: this.epoch, floor: this.floor, codec: this.codec });
        this.owesFloor = false;
        for (const [place, slot] of this.slots.entries()) {
            if (!slot.isHeld || slot.sentAt !== null) continue;
            if (!block.append(this.floor + place, slot.sample)) break;
            slot.sentAt = now;
        }
        block.finish();
    }
}
