// What lets a phone into a room: as whom it asks, by which code, secret or pass, and what it tries once refused.

import { tidyCode } from "./ticket.js";

/** What a room answers, for good, to whom it keeps no seat. */
const NOTHING_KEPT = new Set(["expired", "alreadySeated", "kicked"]);

/** @typedef {"again" | "expired" | null} Course ask again at once; give up, as nothing is kept here; or neither */

export class Admission {
    /**
     * @param {import("./store.js").Store} store
     * @param {import("./ticket.js").Ticket} ticket
     */
    constructor(store, ticket) { Object.assign(this, { store, ticket }); }

    /** Whether the QR code was this room's, as far as it says whose it is. */
    get isMeant() { return !this.ticket.roomID || this.ticket.roomID === this.room; }

    /** @returns {import("./refusals.js").CodeSource} */
    get codeSource() {
        if (this.code) return this.typed || (this.ticket.isTyped && this.code === this.ticket.code) ? "typed" : "scanned";
        return this.isMeant ? "none" : "other";
    }

    /**
     * Settles what is told to this room. What was meant for another one is not.
     * @param {string} room its id
     * @returns {boolean} false where a seat was kept in a room that is here no more, and nothing is known of this one
     */
    greet(room) {
        this.room = room;
        const known = this.store.room(room);
        if (this.ticket.pass && !this.isMeant) {
            this.usePass();
            if (!known.secret) return false;
        }
        const own = this.store.controllerIn(room);
        // Any page can send a phone here under any name: only what the room promised makes it another than it is, and
        // that stands without the code, which would let in everybody.
        const { pass } = this.ticket;
        this.controller = pass ? this.ticket.controller : own;
        this.code = pass ? undefined : this.typed ?? (this.isMeant ? this.ticket.code : undefined) ?? known.code;
        const isSame = this.controller === own;
        this.secret = isSame ? (this.fallsBack && known.earlier) || known.secret : undefined;
        return true;
    }

    /** Whether this phone was in the room; before that has said which it is, in the one whose QR code it was. */
    get isKnown() { return Boolean(this.store.room(this.room ?? this.ticket.roomID).secret); }

    /** What is told of it in an `invite`. */
    get claims() {
        return {
            controller: this.controller, name: this.store.get("name") ?? "", ...(this.code && { code: this.code }),
            ...(this.secret && { secret: this.secret }), ...(this.ticket.pass && { ticket: this.ticket.pass }),
        };
    }

    /** The player typed this code. */
    type(code) { this.typed = tidyCode(code); }

    /** There is a seat: what brought the phone to it has done its work, and this secret brings it back. */
    admitted(secret) {
        this.fallsBack = false;
        this.keep(secret, this.secret);
        this.usePass();
    }

    /** Keeps of this room who the phone is here, what brings it back and brought it, and the code that admitted. */
    keep(secret, earlier = undefined) {
        const isSent = this.controller !== this.store.controller;
        this.store.keepRoom(this.room, {
            secret, earlier, controller: isSent ? this.controller : undefined, ...(this.code && { code: this.code }),
        });
    }

    /** The player goes: the browser keeps neither its name nor its seat, and this page the code, until it is closed. */
    forget() {
        this.store.remove("name");
        if (this.room) this.store.forgetRoom(this.room);
        if (this.isMeant) this.store.remove("ticket");
    }

    /** The name that the room goes by, where the player has chosen one. */
    called(name) { if (this.store.get("name")) this.store.set("name", name); }

    /** @returns {Course} */
    afterRefusal(reason) {
        return this.renounce(reason) ?? (this.fallBack(reason) || this.dropName(reason) ? "again" : null);
    }

    /** Who has a seat that is kept never waits for one. @returns {Course} */
    afterWaiting() { return this.renounce("expired"); }

    /** What admitted this phone alone is worth nothing any more, nor is the name that it stood for. */
    usePass() {
        if (!this.ticket.pass) return;
        delete this.ticket.pass;
        delete this.ticket.controller;
        this.store.set("ticket", this.ticket);
    }

    /**
     * The seat that was to be kept for this phone is not, or not any more: from now on it is a phone like any other,
     * who it was before, and goes back to its own seat if it has one here.
     * @returns {Course}
     */
    renounce(reason) {
        if (!this.ticket.pass || !NOTHING_KEPT.has(reason)) return null;
        this.usePass();
        if (this.controller === this.store.controllerIn(this.room)) return null;
        return this.store.room(this.room).secret ? "again" : "expired";
    }

    /**
     * A host that went on with the room when another died may not know the secret that the other gave last: the one
     * before is tried, once.
     * @returns {boolean} whether it is
     */
    fallBack(reason) {
        const { earlier } = this.store.room(this.room);
        this.fallsBack = reason === "alreadySeated" && !this.fallsBack && Boolean(earlier) && earlier !== this.secret;
        return this.fallsBack;
    }

    /** A name that the room does not take would keep the phone out for good: it asks once more, without one. */
    dropName(reason) {
        if (reason !== "badInvitation" || !this.store.get("name")) return false;
        this.store.set("name", "");
        return true;
    }
}
