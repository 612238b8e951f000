// Messages that are acted on once and in order, as long as both processes live (WIRE-FORMAT.md, section 7).

const MOST_WAITING = 256;
/** The transport loses nothing, but a host may have thrown one away. */
const RETRY = 1_000;

/** What waits for the host's receipt. */
export class Outbox {
    constructor() {
        this.first = 0;
        /** From the id `first` on. @type {{body: Uint8Array, sentAt: number | null}[]} */
        this.waiting = [];
    }

    /** @param {Uint8Array} body at most 512 bytes; false when 256 wait already */
    append(body) {
        if (this.waiting.length >= MOST_WAITING) return false;
        this.waiting.push({ body, sentAt: null });
        return true;
    }

    isDue(now) { return this.waiting.some((message) => isDue(message, now)); }

    acknowledge(next) {
        if (next <= this.first || next > this.first + this.waiting.length) return;
        this.waiting.splice(0, next - this.first);
        this.first = next;
    }

    /** A new link epoch of a host that knows us: the same ids, sent again. */
    repeatAll() { for (const message of this.waiting) message.sentAt = null; }

    /** A new host: numbered from 0. */
    restart() {
        this.first = 0;
        this.repeatAll();
    }

    /** Writes what is due, in order, as far as `fits` says. @param {(id: number, body: Uint8Array) => boolean} write */
    write(now, write) {
        for (const [place, message] of this.waiting.entries()) {
            if (!isDue(message, now)) continue;
            if (!write(this.first + place, message.body)) return;
            message.sentAt = now;
        }
    }
}

const isDue = (message, now) => message.sentAt === null || now - message.sentAt >= RETRY;

/** What came from the host. */
export class Inbox {
    constructor() {
        this.next = 0;
        this.owesReceipt = false;
    }

    /** Whether to act on the message; a receipt is owed for every one. */
    admit(id) {
        this.owesReceipt = true;
        if (id !== this.next) return false;
        this.next += 1;
        return true;
    }
}
