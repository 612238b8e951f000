// Finds the way to the room: WebSocket first, then POST with server-sent events.

import { PostTransport } from "./post.js";
import { WebSocketTransport } from "./web-socket.js";

/** WebSocket has so long to open before the other way is tried; that one has longer. In ms, twice that for a slow host. */
const WEB_SOCKET_PATIENCE = 1_500;
const POST_PATIENCE = 5_000;

/**
 * @typedef {object} Transport
 * @property {boolean} isBehind what is sent now would only wait: let samples share the next datagram
 * @property {(message: object) => void} send
 * @property {(list: Uint8Array[]) => void} sendDatagrams
 * @property {(bytes: Uint8Array) => void} sendLast as the page goes away
 * @property {() => void} close
 */

/**
 * How often POST worked right after WebSocket did not. Once may be a host that was just starting; twice is a rule, unless one
 * has opened here: then it is the network that is away, now and then.
 */
let refusals = 0;

/**
 * @param {import("./web-socket.js").Handlers} handlers
 * @param {number} stretch by how much longer than usual it may take
 * @returns {Promise<Transport>} rejected when the room cannot be reached at all
 */
export async function connect(handlers, stretch = 1, base = new URL(location.href)) {
    if (refusals < 2) {
        try {
            const transport = await WebSocketTransport.open(base, handlers, WEB_SOCKET_PATIENCE * stretch);
            refusals = -Infinity;
            return transport;
        } catch {
            // The other way tells whether the room is gone, or only WebSocket refused.
        }
    }
    const transport = await PostTransport.open(base, handlers, POST_PATIENCE * stretch);
    refusals += 1;
    return transport;
}
