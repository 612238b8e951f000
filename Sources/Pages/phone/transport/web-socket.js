// Control messages as text and datagrams as bytes on one WebSocket.

/** More than this waits to be sent: the network is behind, and samples had better share a datagram. In bytes. */
const BEHIND = 2_048;

/**
 * @typedef {object} Handlers
 * @property {(message: object) => void} message a control message came
 * @property {(bytes: Uint8Array, arrivedAt: number) => void} datagram
 * @property {() => void} ready the transport was behind, and is not any more
 * @property {() => void} closed it broke, or the host closed it; told once, and not after `close()`
 */

export class WebSocketTransport {
    /** @param {URL} base the page's own @param {Handlers} handlers @param {number} patience ms */
    static open(base, handlers, patience) {
        return new Promise((resolve, reject) => {
            const url = new URL("/api/controller", base);
            url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
            const socket = new WebSocket(url);
            const give = () => {
                socket.onopen = socket.onerror = socket.onclose = null;
                socket.close();
                reject(new Error("no WebSocket"));
            };
            const timer = setTimeout(give, patience);
            socket.onerror = socket.onclose = () => { clearTimeout(timer); give(); };
            socket.onopen = () => { clearTimeout(timer); resolve(new WebSocketTransport(socket, handlers)); };
        });
    }

    /** @param {WebSocket} socket @param {Handlers} handlers */
    constructor(socket, handlers) {
        this.socket = socket;
        this.handlers = handlers;
        socket.binaryType = "arraybuffer";
        socket.onerror = null;
        socket.onclose = () => { this.close(); handlers.closed(); };
        socket.onmessage = ({ data }) => {
            if (typeof data === "string") handlers.message(JSON.parse(data));
            else handlers.datagram(new Uint8Array(data), performance.now());
        };
    }

    /** Between the first sign of its end and `closed` it takes nothing any more. */
    get isOpen() { return this.socket.readyState === WebSocket.OPEN; }

    get isBehind() {
        if (!this.isOpen) return true;
        if (this.socket.bufferedAmount <= BEHIND) return false;
        // No event tells when the buffer has drained.
        this.watch ??= setInterval(() => {
            if (this.socket.bufferedAmount > BEHIND) return;
            this.watch = clearInterval(this.watch);
            this.handlers.ready();
        }, 10);
        return true;
    }

    send(message) { if (this.isOpen) this.socket.send(JSON.stringify(message)); }
    sendDatagrams(list) { for (const bytes of list) this.socket.send(bytes); }
    /** For the moment in which the page goes away. @param {Uint8Array | object} item a datagram, or a control message */
    sendLast(item) { if (this.isOpen) this.socket.send(item instanceof Uint8Array ? item : JSON.stringify(item)); }

    close() {
        this.socket.onclose = this.socket.onmessage = null;
        this.watch = clearInterval(this.watch);
        this.socket.close();
    }
}
