// The controller's half of the motion link in a browser: ControllerSession in Swift is its elder sister.

import {
    BYTES, beginDatagram, readFeedback, writeGoodbye, writeMessage, writeProbeAnswer, writeReceipt, writeTally,
} from "../wire/datagram.js";
import { readMessage } from "../wire/messages.js";
import { ClockGrain } from "./clock-grain.js";
import { QueueingDelay } from "./delay.js";
import { OutgoingStream } from "./outgoing-stream.js";
import { Inbox, Outbox } from "./reliable.js";

/** A link with nothing to say shows so often that it lives, in ms: half of the 500 that the host asks for. */
const HEARTBEAT = 250;
const MOST_ANSWERS = 16;
/** The host is told so often how much was sent in all, in ms; and with every goodbye. */
const TALLY_INTERVAL = 5_000;

/**
 * Brings every sample to the host while the link lives, and outlives connections: samples and messages go in at any
 * time, `open` tells of each new joining. It has no clock and no socket: times are ms on the page's clock, bytes come
 * in by `receive` and go out by `nextDatagram`.
 */
export class Link {
    /** @param {object[]} declarations the streams as declared in the invitation */
    constructor(declarations) {
        this.streams = declarations.map((declaration) => new OutgoingStream(declaration));
        this.outbox = new Outbox();
        this.inbox = new Inbox();
        this.delay = new QueueingDelay();
        this.grain = new ClockGrain();
        /** @type {"closed" | "open" | "paused" | "ended"} */
        this.state = "closed";
        this.answers = [];
        this.leaving = null;
        this.number = 0;
        /** Since the host knows this page: joinings, datagrams, and what had been counted before. */
        this.sent = { links: 0, datagrams: 0, samplesBefore: 0, confirmedBefore: 0 };
    }

    /** What was sent in all, once the datagram that is being written has left. */
    get tally() {
        const { links, datagrams, samplesBefore, confirmedBefore } = this.sent;
        return {
            links, datagrams: datagrams + 1, samples: this.total("appended") - samplesBefore,
            confirmed: this.total("acknowledged") - confirmedBefore,
        };
    }

    total(count) { return this.streams.reduce((sum, stream) => sum + stream.counts[count], 0); }

    /** The highest number used in this link epoch; 0 also before the first. */
    get lastSent() { return Math.max(0, this.number - 1); }

    /** Begins a link epoch. `continues`: the host still knows this page's streams and messages. */
    open(connection, continues, now) {
        const isFirst = this.connection === undefined;
        if (!continues) {
            // What is still held is sent to this host, too.
            const held = this.streams.reduce((sum, stream) => sum + stream.heldCount, 0);
            this.sent = {
                links: 0, datagrams: 0, samplesBefore: this.total("appended") - held,
                confirmedBefore: this.total("acknowledged"),
            };
        }
        this.sent.links = Math.min(0xffff, this.sent.links + 1);
        this.talliedAt = -Infinity;
        Object.assign(this, { connection, number: 0, state: "open", answers: [], leaving: null });
        Object.assign(this, { heardAt: now, sentAt: -Infinity, delay: new QueueingDelay() });
        for (const stream of this.streams) if (continues || isFirst) stream.repeatAll(); else stream.restart();
        if (continues) {
            this.outbox.repeatAll();
        } else {
            this.outbox.restart();
            this.inbox = new Inbox();
        }
    }

    /** Whether samples count for somebody: not before there was a seat, nor after it was given up. */
    get holdsSeat() { return this.connection !== undefined && this.state !== "ended"; }

    /** Takes a sample of a stream, while there is a seat. @param {import("../wire/samples.js").Sample} sample */
    append(stream, sample, now) {
        this.grain.see(now);
        if (!this.holdsSeat) return false;
        const own = this.streams.find((candidate) => candidate.id === stream);
        own.advance(now);
        return own.append(sample, now);
    }

    /** Takes a reliable message. @param {Uint8Array} body */
    send(body) { return this.outbox.append(body); }

    /** Says why the link ends, or rests (`paused`), in the next datagram. */
    goodbye(reason) { if (this.state === "open") this.leaving = reason; }

    /** Takes up a paused link: the next datagram leaves at once. The host's clock may have stood still meanwhile. */
    resume(now) {
        if (this.state !== "paused") return;
        Object.assign(this, { state: "open", heardAt: now, sentAt: -Infinity, delay: new QueueingDelay() });
    }

    /**
     * Takes a datagram of the host.
     * @returns {{type: "message" | "goodbye", message?: object, reason?: string, late?: number}[]} what to act on;
     *   `late`: ms that it took longer than the quickest
     */
    receive(bytes, now) {
        this.grain.see(now);
        let read;
        try {
            read = readFeedback(bytes);
        } catch {
            return [];
        }
        if (this.state !== "open" || read.connection !== this.connection) return [];
        this.heardAt = now;
        const late = this.delay.add(read.sentAt / 1e6, now);
        const events = [];
        for (const block of read.blocks) this.take(block, now, late, events);
        return events;
    }

    take(block, now, late, events) {
        switch (block.type) {
        case "acknowledgement":
            this.streams.find((stream) => stream.id === block.stream)?.acknowledge(block, now);
            break;
        case "probe":
            if (this.answers.length < MOST_ANSWERS) this.answers.push({ id: block.id, receivedAt: now });
            break;
        case "message": {
            if (!this.inbox.admit(block.id)) break;
            const message = understood(block.body);
            if (message) events.push({ type: "message", message, late });
            break;
        }
        case "receipt": this.outbox.acknowledge(block.next); break;
        case "goodbye":
            this.state = "ended";
            events.push({ type: "goodbye", reason: block.reason });
            break;
        }
    }

    isDue(now) {
        return this.state === "open" && (this.leaving !== null || this.answers.length > 0 || this.inbox.owesReceipt
            || now - this.sentAt >= HEARTBEAT || this.outbox.isDue(now) || this.streams.some((stream) => stream.isDue));
    }

    /** The next datagram, if one is due; to be called until it returns null. @returns {Uint8Array | null} */
    nextDatagram(now) {
        this.grain.see(now);
        for (const stream of this.streams) stream.advance(now);
        if (!this.isDue(now)) return null;
        const writer = beginDatagram(this.connection, this.number, Math.round(now * 1e6));
        const owesTally = this.leaving || (now - this.talliedAt >= TALLY_INTERVAL && this.streams.some((own) => own.isDue));
        if (this.leaving) writeGoodbye(writer, this.leaving, this.number);
        if (owesTally) writeTally(writer, this.tally);
        if (owesTally) this.talliedAt = now;
        for (const { id, receivedAt } of this.answers) {
            writeProbeAnswer(writer, id, Math.round(receivedAt * 1e6), this.grain.nanoseconds);
        }
        if (this.inbox.owesReceipt) writeReceipt(writer, this.inbox.next);
        this.outbox.write(now, (id, body) => {
            if (writer.room < BYTES.message + body.length) return false;
            writeMessage(writer, id, body);
            return true;
        });
        for (const stream of this.streams) stream.write(writer, now);
        this.answers = [];
        this.inbox.owesReceipt = false;
        if (this.leaving) this.state = this.leaving === "paused" ? "paused" : "ended";
        this.leaving = null;
        this.sentAt = now;
        this.number += 1;
        this.sent.datagrams += 1;
        return writer.written;
    }
}

/** A message's meaning; null for what cannot be read: it counts as received all the same. */
function understood(body) {
    try {
        return readMessage(body);
    } catch {
        return null;
    }
}
