// A plain sentence for everything that may keep a phone out, and what its player can do.

import { sentence } from "/common/language.js";
import { isolated } from "/common/names.js";

/**
 * @typedef {object} Trouble
 * @property {string} title
 * @property {string} text
 * @property {"code" | "again" | "reload"} [offer] what helps: typing the code, asking again, loading the page anew
 * @property {string} [again] what the button says that asks again
 * @property {number} [retryIn] ms after which the page asks again by itself
 * @property {boolean} [isOver] whether the player has gone, and may want to be forgotten
 */

/**
 * @typedef {"typed" | "scanned" | "other" | "none"} CodeSource where the code came from that the room was told; it is told
 *   none that was scanned at another room's door
 */

/** A trouble's two sentences. @returns {Trouble} */
const told = (key, more = {}) => ({ title: sentence(key), text: sentence(`${key}Text`), ...more });
const asking = (button) => ({ offer: "again", again: sentence(`again.${button}`) });

/** @type {Object<string, (details: {source: CodeSource, words?: string}) => Trouble>} by `reason` of a `refused` */
const REFUSED = {
    full: () => told("full", { ...asking("now"), retryIn: 5_000 }),
    locked: () => told("locked", { ...asking("now"), retryIn: 5_000 }),
    wrongCode: ({ source }) => told(`code.${source}`, { offer: "code" }),
    tooManyAttempts: () => told("code.tooMany", { offer: "code", retryIn: 30_000 }),
    declined: () => told("declined", asking("ask")),
    expired: () => told("expired", asking("ask")),
    wrongVersion: () => told("wrongVersion", { offer: "reload" }),
    // What the page of one version says, the host of another does not take.
    badInvitation: () => told("wrongVersion", { offer: "reload" }),
    alreadySeated: () => told("alreadySeated", { retryIn: 5_000 }),
    kicked: ({ words }) => troubleOfGoodbye("kicked", words),
    closing: () => ({ title: sentence("closing"), text: sentence("closingText"), retryIn: 3_000 }),
};

/**
 * @param {{reason: string, message?: string, retryAfter?: number}} refused
 * @param {CodeSource} source
 * @param {string} [words] what the operator wrote when it took this phone out @returns {Trouble}
 */
export function troubleOfRefusal({ reason, message, retryAfter }, source, words) {
    const trouble = REFUSED[reason]?.({ source, words })
        ?? { title: sentence("refused"), text: message ?? sentence("refusedText"), offer: "again" };
    if (retryAfter && trouble.retryIn) trouble.retryIn = Math.max(1_000, retryAfter);
    return trouble;
}

/** @type {Object<string, () => Trouble>} by the reason of the host's goodbye */
const GOODBYES = {
    closing: () => ({ title: sentence("closed"), text: sentence("closingText"), retryIn: 2_000 }),
    kicked: () => told("kicked", { offer: "again" }),
    replaced: () => told("replaced", asking("here")),
    tooFast: () => told("tooFast", asking("join")),
    moved: () => told("moved", asking("here")),
};

/** What the host says by itself; what its operator wrote is shown. */
const HOST_WORDS = "The operator removed this controller";

/**
 * For so long, in ms, a room that was closed may be about to open again: who loads the page of one that is still closed has
 * none any more, which would come back by itself.
 */
const LONG_CLOSED = 180_000;

/**
 * While a room that was closed has not opened again. A browser may have forgotten that its certificate was clicked through:
 * then it lets nothing of the room come, and shows why once the page is loaded again.
 * @param {number} time ms since it closed @returns {Trouble}
 */
export function troubleOfClosing(time) {
    const trouble = { ...GOODBYES.closing(), retryIn: 4_000 };
    if (time < LONG_CLOSED) return trouble;
    return { ...trouble, text: `${trouble.text} ${sentence("closingLongText")}`, offer: "reload" };
}

/** @param {number} time ms until the room means to be open again @returns {Trouble} */
export function troubleOfPause(time) {
    const minutes = Math.max(1, Math.ceil(time / 60_000));
    return { title: sentence("backSoon"), text: sentence("backSoonText", { minutes }), retryIn: 4_000 };
}

/** @param {string} reason @param {string} [message] @returns {Trouble} */
export function troubleOfGoodbye(reason, message) {
    if (reason === "kicked" && message && !message.startsWith(HOST_WORDS)) {
        return { ...GOODBYES.kicked(), text: sentence("kickedWords", { words: isolated(message) }) };
    }
    return GOODBYES[reason]?.() ?? told("ended", asking("join"));
}

/** What the room has heard of it is so at once. */
const LEAVING = { seated: "leftText", waiting: "leftWaitingText" };

/** @param {string} state the session's until then @returns {Trouble} after the player's own goodbye */
export function troubleOfLeaving(state) {
    return { title: sentence("left"), text: sentence(LEAVING[state] ?? "leftSoonText"), ...asking("join"), isOver: true };
}

/** @returns {Trouble} once this phone knows nobody any more */
export function troubleOfForgetting() { return told("forgotten", { offer: "reload" }); }
