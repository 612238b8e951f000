// What the operator does with a player or the room: asks first where it matters, and says what the room answers.

import { isolated } from "/common/names.js";
import { make, byId, say } from "./make.js";
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
            const text = `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;
            say(byId("refusal-text"), text.replace(/([.?!])\.$/, "$1"));
            byId("refusal").hidden = false;
        }
    }

    identify() { if (this.peer()) this.do({ task: "identify", who: this.peer().controller }); }
    rezero() { if (this.peer()) this.do({ task: "rezero", who: this.peer().controller }); }
    acceptFirst() { if (this.watch.status?.waiting[0]) this.do({ task: "accept", who: this.watch.status.waiting[0] }); }

    async acceptAll() {
        for (const who of this.watch.status?.waiting ?? []) await this.do({ task: "accept", who });
    }

    toggleLock() { this.do({ task: this.watch.status?.isLocked ? "unlock" : "lock" }); }

    kick() {
        const peer = this.peer();
        if (!peer) return;
        const input = make("input", { class: "field", maxlength: "120", autocomplete: "off" });
        const field = labelled("A word for its screen, if you like", input);
        const text = "Its seat is free again; it stays out until the room is unlocked.";
        ask({ title: `Kick ${isolated(peer.name)}?`, text, yes: "Kick", isGrave: true, field },
            (message) => this.watch.send({ task: "kick", who: peer.controller, ...(message ? { message } : {}) }));
    }

    rename() {
        const peer = this.peer();
        if (!peer) return;
        const input = make(
            "input", { class: "field", maxlength: "63", required: true, autocomplete: "off", value: peer.name,
                dir: "auto" });
        ask({ title: `Rename ${isolated(peer.name)}`, yes: "Rename", field: labelled("New name", input) },
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
            sitting.has(seat) ? `Seat ${seat}: swap with ${isolated(sitting.get(seat).name)}` : `Seat ${seat}: free`));
        ask({ title: `Another seat for ${isolated(peer.name)}`, text: `Now in seat ${peer.seat}.`, yes: "Move",
            field: labelled("Seat", make("select", { class: "field" }, ...options)) },
        (value) => this.watch.send(sitting.has(Number(value))
            ? { task: "seatSwap", who: peer.controller, other: sitting.get(Number(value)).controller }
            : { task: "seatMove", who: peer.controller, seat: Number(value) }));
    }
}

function labelled(text, control) { return make("label", {}, text, control); }
