// A connection that comes again when it breaks.

import { connect } from "./connect.js";

/** The host speaks five times a second: silent for so long, the connection is dead. In ms. */
const SILENCE = 3_000;
/** Waits before the first and the later attempts to come back, in ms. */
const SHORTEST_WAIT = 400;
const LONGEST_WAIT = 5_000;

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
        this.failures = 0;
        /** @type {import("./connect.js").Transport | null} */
        this.transport = null;
    }

    get isOpen() { return this.transport !== null; }
    /** Whether it is open, and what is sent now leaves at once. */
    get isReady() { return this.transport !== null && !this.transport.isBehind; }
    get kind() { return this.transport?.kind ?? null; }

    async open() {
        this.close();
        const attempt = this.attempt = {};
        const mine = (action) => (...values) => { if (this.attempt === attempt) action(...values); };
        try {
            const transport = await connect({
                message: mine((message) => { this.heard(performance.now()); this.hooks.message(message); }),
                datagram: mine((bytes, arrivedAt) => { this.heard(arrivedAt); this.hooks.datagram(bytes, arrivedAt); }),
                ready: mine(() => this.hooks.ready()),
                closed: mine(() => this.lose()),
            });
            if (this.attempt !== attempt) return transport.close();
            this.transport = transport;
            this.heard(performance.now());
        } catch {
            mine(() => this.lose())();
        }
    }

    /** Somebody answers: the next loss is the first again. */
    heard(now) { this.heardAt = now; }
    succeeded() { this.failures = 0; }

    /** Gives up what is dead without having broken. @param {boolean} isTalkative the host should be heard by now */
    tick(now, isTalkative) {
        if (this.transport && isTalkative && now - this.heardAt > SILENCE) this.lose();
    }

    lose() {
        this.close();
        this.failures += 1;
        const wait = Math.min(LONGEST_WAIT, SHORTEST_WAIT * 2 ** (this.failures - 1));
        this.timer = setTimeout(() => this.open(), wait * (0.8 + 0.4 * Math.random()));
        this.hooks.lost();
    }

    /** Ends it, and every attempt. */
    close() {
        clearTimeout(this.timer);
        this.attempt = null;
        this.transport?.close();
        this.transport = null;
    }

    send(message) { this.transport?.send(message); }
    sendDatagrams(list) { this.transport?.sendDatagrams(list); }
    sendLast(bytes) { this.transport?.sendLast(bytes); }
}
