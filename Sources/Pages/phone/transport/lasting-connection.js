// A connection that comes again when it breaks.

import { connect } from "./connect.js";
import { Patience } from "./patience.js";

/** Connects, and connects again, later and later, until it is closed. What a connection before says is not heard. */
export class LastingConnection {
    /**
     * @param {object} hooks
     * @param {(message: object) => void} hooks.message
     * @param {(bytes: Uint8Array, arrivedAt: number) => void} hooks.datagram
     * @param {() => void} hooks.ready it can take more
     * @param {() => void} hooks.lost it broke, and will be tried again
     */
    constructor(hooks) {
        this.hooks = hooks;
        this.patience = new Patience();
        /** Whether the room has said on it that there is a seat, or a place in the queue. */
        this.isGood = false;
        /** @type {import("./connect.js").Transport | null} */
        this.transport = null;
    }

    get isOpen() { return this.transport !== null; }
    /** Whether it is open, and what is sent now leaves at once. */
    get isReady() { return this.transport !== null && !this.transport.isBehind; }

    async open() {
        this.close();
        const attempt = this.attempt = {};
        this.beganAt = performance.now();
        const mine = (action) => (...values) => { if (this.attempt === attempt) action(...values); };
        try {
            const transport = await connect({
                message: mine((message) => { this.heard(performance.now()); this.hooks.message(message); }),
                datagram: mine((bytes, arrivedAt) => { this.heard(arrivedAt); this.hooks.datagram(bytes, arrivedAt); }),
                ready: mine(() => this.hooks.ready()),
                closed: mine(() => this.lose()),
            }, this.patience.stretch);
            if (this.attempt !== attempt) return transport.close();
            this.transport = transport;
            this.heard(performance.now());
        } catch {
            mine(() => this.lose())();
        }
    }

    heard(now) { this.heardAt = now; }

    /** The room let the phone in: the next loss is the first again. */
    succeeded() {
        this.isGood = true;
        this.patience.succeeded(performance.now());
    }

    /**
     * Gives up what is dead without having broken.
     * @param {number} stretch for how many times as long as usual the host may be silent
     */
    tick(now, stretch) {
        if (this.transport && now - this.heardAt > stretch * this.patience.silence) this.lose();
    }

    lose() {
        const now = performance.now();
        const wait = this.isGood ? this.patience.lost(now) : this.patience.failed(now, now - this.beganAt);
        this.close();
        this.timer = setTimeout(() => this.open(), wait);
        this.hooks.lost();
    }

    /** Ends it, and every attempt. */
    close() {
        clearTimeout(this.timer);
        this.attempt = null;
        this.isGood = false;
        this.transport?.close();
        this.transport = null;
    }

    send(message) { this.transport?.send(message); }
    sendDatagrams(list) { this.transport?.sendDatagrams(list); }
    sendLast(item) { this.transport?.sendLast(item); }
}
