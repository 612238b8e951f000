// A plain sentence for everything that may keep a phone out, and what its player can do.

import { isolated } from "/common/names.js";

/**
 * @typedef {object} Trouble
 * @property {string} title
 * @property {string} text
 * @property {"code" | "again" | "reload"} [offer] what helps: typing the code, asking again, loading the page anew
 * @property {string} [again] what the button says that asks again
 * @property {number} [retryIn] ms after which the page asks again by itself
 */

/** @typedef {"typed" | "scanned" | "none"} CodeSource where the code came from that the room was told */

/** @type {Object<CodeSource, Trouble>} */
const WRONG_CODE = {
    typed: {
        title: "That is not this room’s code",
        text: "Compare it with the eight letters and digits beside the QR code, and correct it.", offer: "code",
    },
    scanned: {
        title: "This code is not valid any more", text: "Scan the QR code again, or type the code beside it.",
        offer: "code",
    },
    none: {
        title: "Which code?", text: "Type the eight letters and digits that stand beside the QR code.", offer: "code",
    },
};

/** @type {Object<string, (details: {source: CodeSource}) => Trouble>} by `reason` of a `refused` */
const REFUSED = {
    full: () => ({
        title: "The room is full", text: "Every seat is taken. You come in as soon as one is free.", offer: "again",
        again: "Ask now", retryIn: 5_000,
    }),
    locked: () => ({
        title: "The room is locked", text: "The host lets nobody new in at the moment. You come in when it is opened.",
        offer: "again", again: "Ask now", retryIn: 5_000,
    }),
    wrongCode: ({ source }) => ({ ...WRONG_CODE[source] }),
    tooManyAttempts: () => ({
        title: "Too many wrong codes",
        text: "Wrong codes were tried in this room, so it waits a while before it takes another one. You need do nothing.",
        offer: "code", retryIn: 30_000,
    }),
    declined: () => ({ title: "The host said no", text: "You can ask again.", offer: "again", again: "Ask again" }),
    expired: () => ({
        title: "Nobody answered", text: "The host did not let you in in time.", offer: "again", again: "Ask again",
    }),
    wrongVersion: () => ({
        title: "This page is too old, or too new", text: "Load it again to get the one that fits the room.",
        offer: "reload",
    }),
    alreadySeated: () => ({
        title: "Your seat is still held", text: "It was not given back yet. You get it in half a minute at most.",
        retryIn: 5_000,
    }),
    kicked: () => ({ ...GOODBYES.kicked }),
    closing: () => ({
        title: "The room is closing", text: "If it opens again, you come back by yourself.", retryIn: 3_000,
    }),
};

/** @param {{reason: string, message?: string, retryAfter?: number}} refused @param {CodeSource} source @returns {Trouble} */
export function troubleOfRefusal({ reason, message, retryAfter }, source) {
    const trouble = REFUSED[reason]?.({ source })
        ?? { title: "The room did not let you in", text: message ?? "It gave no reason.", offer: "again" };
    if (retryAfter && trouble.retryIn) trouble.retryIn = Math.max(1_000, retryAfter);
    return trouble;
}

/** @type {Object<string, Trouble>} by the reason of the host's goodbye */
const GOODBYES = {
    closing: {
        title: "The room was closed", text: "If it opens again, you come back by yourself.", retryIn: 2_000,
    },
    kicked: {
        title: "You were taken out of the game", text: "The host removed this phone.", offer: "again",
        again: "Ask to come back",
    },
    replaced: {
        title: "You play in another tab", text: "This phone has the page open twice. Only one can play.",
        offer: "again", again: "Play here",
    },
    tooFast: {
        title: "The link broke", text: "This phone sent more than it had announced.", offer: "again",
        again: "Join again",
    },
};

/** What the host says by itself; what its operator wrote is shown. */
const HOST_WORDS = "The operator removed this controller";

/** @param {string} reason @param {string} [message] @returns {Trouble} */
export function troubleOfGoodbye(reason, message) {
    if (reason === "kicked" && message && !message.startsWith(HOST_WORDS)) {
        return { ...GOODBYES.kicked, text: `The host removed this phone, and says: “${isolated(message)}”` };
    }
    return GOODBYES[reason]
        ?? { title: "The host ended the link", text: "You can come back.", offer: "again", again: "Join again" };
}

/** @param {boolean} wasSeated whether the room heard of it @returns {Trouble} after the player's own goodbye */
export function troubleOfLeaving(wasSeated) {
    const text = wasSeated ? "Your seat is free for somebody else." : "Your seat becomes free for somebody else soon.";
    return { title: "You left the room", text, offer: "again", again: "Join again" };
}
