// What the phone says, as fast as its connection takes it.

/** Datagrams that are handed over at once. */
const BURST = 16;
const STATUS_INTERVAL = 5_000;

/** Brings the link's datagrams to the connection while there is a seat; samples and messages go in at any time. */
export class Uplink {
    /**
     * @param {import("../transport/lasting-connection.js").LastingConnection} connection
     * @param {import("./link.js").Link} link
     */
    constructor(connection, link) {
        Object.assign(this, { connection, link });
        /** Whether the phone is seated: nothing leaves otherwise. */
        this.isOpen = false;
    }

    /** Takes a sample of the phone's one stream. @param {import("../wire/samples.js").Sample} sample */
    append(sample) {
        this.link.append(0, sample, performance.now());
        this.pump();
    }

    /** Takes a reliable message. @param {Uint8Array} body */
    sendMessage(body) {
        this.link.send(body);
        this.pump();
    }

    /** A control message of the page's own, such as `sensor`: now or not at all. */
    tell(message) { if (this.isOpen && this.connection.isReady) this.connection.send(message); }

    /** Sends whatever is due, unless it would only wait in line: then it goes together, later. */
    pump() {
        if (!this.isOpen) return;
        const now = performance.now();
        while (this.connection.isReady) {
            const datagrams = [];
            for (let bytes; datagrams.length < BURST && (bytes = this.link.nextDatagram(now));) datagrams.push(bytes);
            if (datagrams.length === 0) return;
            this.connection.sendDatagrams(datagrams);
        }
    }

    /** The last words before the page goes away, or rests. @param {"paused" | "left"} reason */
    goodbye(reason) {
        this.link.goodbye(reason);
        const bytes = this.link.nextDatagram(performance.now());
        if (bytes) this.connection.sendLast(bytes);
    }

    /** To be called often: heartbeats, and now and then how much was sent. */
    tick(now) {
        this.pump();
        if (!this.isOpen || now - (this.statusAt ?? 0) < STATUS_INTERVAL) return;
        this.statusAt = now;
        this.tell({ type: "status", lastSent: this.link.lastSent });
    }
}
