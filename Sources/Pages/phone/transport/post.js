// The same by POST and server-sent events, where WebSocket is refused: iPhones with a certificate that was clicked
// through (WEB.md, section 6).

import { timeout } from "/common/timeout.js";

/** How long a request may take, how often it is tried, and how long to wait between, in ms. */
const PATIENCE = 5_000;
const TRIES = 4;
const PAUSE = 250;
/** Last words are given so long to arrive, in ms. */
const FAREWELL = 2_000;

/** One request is in flight at a time; what comes meanwhile waits, and goes with the next. */
export class PostTransport {
    /** @param {URL} base @param {import("./web-socket.js").Handlers} handlers @param {number} patience ms */
    static async open(base, handlers, patience) {
        const request = { method: "POST", signal: timeout(patience), cache: "no-store" };
        const answer = await fetch(new URL("/api/controller/open", base), request);
        if (!answer.ok) throw new Error(`the room answered ${answer.status}`);
        const { session, stream } = await answer.json();
        return new Promise((resolve, reject) => {
            const url = new URL("/api/controller/stream", base);
            url.searchParams.set("stream", stream);
            const source = new EventSource(url);
            const transport = new PostTransport(new URL("/api/controller/send", base), session, source, handlers);
            const give = () => { transport.close(); reject(new Error("no event stream")); };
            const timer = setTimeout(give, patience);
            source.onerror = () => { clearTimeout(timer); give(); };
            source.onopen = () => {
                clearTimeout(timer);
                // The id is good once: a stream that broke is never to be had again.
                source.onerror = () => transport.break();
                resolve(transport);
            };
        });
    }

    /** @param {URL} url @param {string} session @param {EventSource} source */
    constructor(url, session, source, handlers) {
        Object.assign(this, { url, session, source, handlers });
        /** @type {(object | Uint8Array)[]} */
        this.queue = [];
        this.isBusy = false;
        source.addEventListener("message", ({ data }) => handlers.message(JSON.parse(data)));
        source.addEventListener("frame", ({ data }) => {
            const arrivedAt = performance.now();
            handlers.datagram(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)), arrivedAt);
        });
    }

    get isBehind() { return this.isBusy; }

    send(message) { this.enqueue([message]); }
    sendDatagrams(list) { this.enqueue(list); }
    /** Does not wait for its turn: the page goes away. */
    sendLast(item) {
        const sent = fetch(this.url, { ...this.request([item]), keepalive: true }).catch(() => {});
        this.lastWords = Promise.all([this.lastWords, sent]);
    }

    /** The session ends with its stream, which may be heard of first: the last words are waited for. */
    close() {
        this.isClosed = true;
        this.source.onerror = () => this.source.close();
        if (!this.lastWords) return this.source.close();
        return void Promise.race([this.lastWords, pause(FAREWELL)]).then(() => this.source.close());
    }

    break() {
        if (this.isClosed) return;
        this.close();
        this.handlers.closed();
    }

    enqueue(items) {
        this.queue.push(...items);
        if (!this.isBusy) this.flush();
    }

    async flush() {
        this.isBusy = true;
        while (this.queue.length > 0 && !this.isClosed) {
            const isMessage = !(this.queue[0] instanceof Uint8Array);
            const end = this.queue.findIndex((item) => (item instanceof Uint8Array) === isMessage);
            const count = isMessage ? 1 : end < 0 ? this.queue.length : end;
            if (!await this.deliver(this.request(this.queue.splice(0, count)))) return this.break();
        }
        this.isBusy = false;
        if (!this.isClosed) this.handlers.ready();
    }

    /** One control message, or datagrams, each after its length. */
    request(items) {
        const headers = { "Roomful-Session": this.session };
        if (!(items[0] instanceof Uint8Array)) {
            headers["Content-Type"] = "application/json";
            return { method: "POST", headers, body: JSON.stringify(items[0]) };
        }
        headers["Content-Type"] = "application/octet-stream";
        const body = new Uint8Array(items.reduce((sum, bytes) => sum + 2 + bytes.length, 0));
        let at = 0;
        for (const bytes of items) {
            body.set([bytes.length >> 8, bytes.length & 0xff], at);
            body.set(bytes, at + 2);
            at += 2 + bytes.length;
        }
        return { method: "POST", headers, body };
    }

    /** Tries the same bytes again when the network failed: they keep their numbers, so the host counts them once. */
    async deliver(request) {
        for (let attempt = 1; attempt <= TRIES && !this.isClosed; attempt += 1) {
            try {
                const answer = await fetch(this.url, { ...request, signal: timeout(PATIENCE) });
                if (answer.ok) return true;
                if (answer.status !== 429 && answer.status !== 503) return false;
                await pause(1_000 * (Number(answer.headers.get("Retry-After")) || 1));
            } catch {
                await pause(PAUSE * attempt);
            }
        }
        return false;
    }
}

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
