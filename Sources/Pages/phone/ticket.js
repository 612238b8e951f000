// What the QR code says, taken from the address bar (Ticket+URL.swift), and kept so that a reload finds it.

/**
 * @typedef {object} Ticket
 * @property {string} [roomID] 32 hexadecimal digits
 * @property {string} [code] what admits
 * @property {string} [room] the room's name
 * @property {string} [pass] what admits this phone alone, once: another room of the house, or its lobby, has sent it
 * @property {string} [controller] as whom it is admitted by the pass; without one, who has a seat there already
 * @property {boolean} [isTyped] whether somebody typed the code, for all virtual phones
 */

/** Reads a fragment such as `#v=1&i=…&p=…&c=7KQM2X9D&r=Living%20Room`; null if it is none. @returns {Ticket | null} */
export function readTicket(fragment) {
    const fields = new URLSearchParams(fragment.replace(/^#/, "").replaceAll("+", "%2B"));
    if (fields.get("v") !== "1") return null;
    const roomID = hexOfBase64url(fields.get("i") ?? "");
    // It says neither where nor by what, and would only take the place of one that does.
    if (roomID === undefined && !fields.has("c")) return null;
    // Who sends a phone names the room and the player.
    const isSent = roomID !== undefined && isHex(fields.get("k"), 32);
    return {
        roomID,
        code: fields.has("c") ? tidyCode(fields.get("c")) : undefined,
        room: fields.get("r") ?? undefined,
        ...(isSent && { controller: fields.get("k") }),
        ...(isSent && isHex(fields.get("t"), 64) && { pass: fields.get("t") }),
        ...(fields.has("typed") && { isTyped: true }),
    };
}

/**
 * The ticket of this visit, or of the one before; the address bar forgets it.
 * @param {import("./store.js").Store} store
 */
export function takeTicket(store, location, history) {
    const ticket = readTicket(location.hash);
    if (ticket) store.set("ticket", ticket);
    if (location.hash) history.replaceState(history.state, "", location.pathname + location.search);
    return ticket ?? store.get("ticket") ?? {};
}

/**
 * Whether the page may begin by itself, as another room, or the lobby, has sent this phone: to its own seat, or to one
 * that is kept for it where it has none. Any page can make such an address up, so who has a seat here gives it up for
 * another only by a tap.
 * @param {Ticket} ticket
 * @param {import("./store.js").Store} store
 */
export function isSent({ roomID, pass, controller }, store) {
    if (!controller) return false;
    const isOwn = controller === store.controllerIn(roomID);
    const hasSeat = Boolean(store.room(roomID).secret);
    return pass ? isOwn || !hasSeat : isOwn && hasSeat;
}

/** Where another room's page is, with what admits this phone there; nothing for what is no page of a room. */
export function addressOf({ url, ticket, controller }) {
    const isRoom = /^https:\/\/[^#]*#v=1&/.test(url ?? "") && isHex(ticket, 64) && isHex(controller, 32);
    return isRoom ? `${url}&t=${ticket}&k=${controller}` : null;
}

/**
 * A code as hosts compare it, however it was typed: `7kqm 2x9d` is 7KQM-2X9D (Crockford's Base 32). Keyboards give
 * full-width letters in Japan, digits and dashes of their own elsewhere.
 */
export function tidyCode(typed) {
    const latin = typed.normalize("NFKC").replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => digit.charCodeAt(0) & 15);
    const digits = latin.toUpperCase().replace(/[\s\p{Pd}ー−]/gu, "").replaceAll("O", "0").replace(/[IL]/g, "1");
    return digits.length === 8 ? `${digits.slice(0, 4)}-${digits.slice(4)}` : digits;
}

const isHex = (text, digits) => /^[0-9a-f]+$/.test(text ?? "") && text.length === digits;

/** 128 bits; nothing for anything else. */
function hexOfBase64url(text) {
    if (!/^[\w-]{22}$/.test(text)) return undefined;
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Array.from(bytes, (letter) => letter.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}
