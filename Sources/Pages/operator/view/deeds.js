// What the operator does with a player or the room: asks first where it matters, and says what the room answers.

import { refusalWords, sentence } from "/common/language.js";
import { isolated } from "/common/names.js";
import { make, byId } from "./make.js";
import { ask } from "./question.js";

const MOST_SEATS = 200;  // As many as a list is still a help.

export class Deeds {
    constructor(watch, peer) { Object.assign(this, { watch, peer }); }

    /** A command whose refusal is shown on the page. */
    async do(command) {
        try {
            await this.watch.send(command);
            byId("refusal").hidden = true;
        } catch (error) {
            byId("refusal-text").textContent = asSentence(refusalWords(error));
            byId("refusal").hidden = false;
        }
    }

    identify() { if (this.peer()) this.do({ task: "identify", who: this.peer().controller }); }
    rezero() { if (this.peer()) this.do({ task: "rezero", who: this.peer().controller }); }
    acceptFirst() {
        const first = this.watch.status?.newcomers.find(({ place }) => place === null);
        if (first) this.do({ task: "accept", who: first.controller });
    }

    async acceptAll() {
        await this.do({ task: "accept", all: true });
    }

    /** Of a silent room nobody knows which of the two it would be. */
    toggleLock() {
        const { isLocked, isSilent } = this.watch.status ?? {};
        if (!isSilent) this.do({ task: isLocked ? "unlock" : "lock" });
    }

    /** Points at this moment in the room's recording, by the clock on the wall. */
    mark() { this.do({ task: "mark", text: new Date().toLocaleTimeString("en-GB") }); }

    kick() {
        const peer = this.peer();
        if (!peer) return;
        const input = make("input", { class: "field", maxlength: "120", autocomplete: "off" });
        const field = labelled(sentence("kick.word"), input);
        const title = sentence("kick.question", { name: isolated(peer.name) });
        ask({ title, text: sentence("kick.text"), yes: sentence("chosen.kick"), isGrave: true, field },
            (message) => this.watch.send({ task: "kick", who: peer.controller, ...(message ? { message } : {}) }));
    }

    rename() {
        const peer = this.peer();
        if (!peer) return;
        const input = make(
            "input", { class: "field", maxlength: "63", required: true, autocomplete: "off", value: peer.name,
                dir: "auto" });
        const title = sentence("rename.of", { name: isolated(peer.name) });
        ask({ title, yes: sentence("chosen.rename"), field: labelled(sentence("rename.field"), input) },
            (name) => this.watch.send({ task: "rename", who: peer.controller, name }));
        input.select();
    }

    /** Moves the player to a free seat, or swaps with whoever sits there: who is player 1 is up to the operator. */
    seat() {
        const [peer, status] = [this.peer(), this.watch.status];
        if (!peer) return;
        const sitting = new Map(status.peers.map((other) => [other.seat, other]));
        const seats = Array.from({ length: Math.min(status.seats, MOST_SEATS) }, (_, place) => place + 1)
            .filter((seat) => seat !== peer.seat);
        if (seats.length === 0) return void this.do({ task: "seatMove", who: peer.controller, seat: peer.seat });
        const options = seats.map((seat) => make("option", { value: seat },
            sitting.has(seat) ? sentence("seat.swap", { seat, name: isolated(sitting.get(seat).name) })
                : sentence("seat.free", { seat })));
        const title = sentence("seat.of", { name: isolated(peer.name) });
        ask({ title, text: sentence("seat.now", { seat: peer.seat }), yes: sentence("seat.move"),
            field: labelled(sentence("chosen.seat"), make("select", { class: "field" }, ...options)) },
        (value) => this.watch.send(sitting.has(Number(value))
            ? { task: "seatSwap", who: peer.controller, other: sitting.get(Number(value)).controller }
            : { task: "seatMove", who: peer.controller, seat: Number(value) }));
    }

    /** Hands the player over to another room of the site; what stands against it is shown on the page, as it may take a minute. */
    move() {
        const [peer, rooms] = [this.peer(), this.watch.otherRooms];
        if (!peer || rooms.length === 0) return;
        const options = rooms.map(({ room, name, freeSeats, seats }) => make("option", { value: room },
            sentence("move.room", { room: isolated(name), free: freeSeats, seats })));
        ask({ title: sentence("move.of", { name: isolated(peer.name) }), text: sentence("move.text"), yes: sentence("seat.move"),
            field: labelled(sentence("site.room"), make("select", { class: "field" }, ...options)) },
        async (to) => void this.do({ task: "move", who: peer.controller, to }));
    }
}

/** What the room says begins small, without a stop. */
const asSentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`.replace(/([.?!。])\.$/u, "$1");

function labelled(text, control) { return make("label", {}, text, control); }
