// The table of players: a row each, in the order of the seats; one of them is chosen.

import { sentence } from "/common/language.js";
import { byId, make, say } from "./make.js";
import { PlayerRow } from "./player-row.js";

/** More players than these have a line each, not three. */
const ROOMY = 8;

export class Players {
    #rows = new Map();
    #chosen = null;

    /** @param {(controller: ?string) => void} onChoice */
    constructor(animation, motionOf, onChoice) {
        Object.assign(this, { animation, motionOf, onChoice });
        this.body = byId("rows");
        this.body.addEventListener("keydown", (event) => this.#walk(event));
    }

    get chosen() { return this.#chosen; }

    show(status) {
        const peers = [...status.peers].sort((a, b) => a.seat - b.seat);
        const here = new Set(peers.map((peer) => peer.controller));
        const hadFocus = this.body.contains(document.activeElement);
        for (const [controller, row] of this.#rows) {
            if (here.has(controller)) continue;
            row.end();
            this.#rows.delete(controller);
        }
        peers.forEach((peer, place) => {
            if (!this.#rows.has(peer.controller)) this.#rows.set(peer.controller, this.#row(peer.controller));
            const row = this.#rows.get(peer.controller);
            row.show(peer);
            const there = this.body.children[place] ?? null;
            if (there !== row.element) this.body.insertBefore(row.element, there);
        });
        byId("players").classList.toggle("is-many", peers.length > ROOMY);
        byId("nobody").hidden = peers.length > 0;
        byId("players-scroll").hidden = peers.length === 0;
        const [taken, { seats }] = [peers.length, status];
        say(byId("players-count"), taken === 0 ? "" : sentence("players.taken", { taken, seats }));
        if (!here.has(this.#chosen)) this.choose(peers[0]?.controller ?? null);
        // A row that moves, or goes, takes the focus along.
        if (hadFocus && !this.body.contains(document.activeElement)) {
            this.#rows.get(this.#chosen)?.button.focus({ preventScroll: true });
        }
    }

    choose(controller, { focus = false } = {}) {
        this.#chosen = controller;
        for (const [own, row] of this.#rows) row.mark(own === controller);
        if (focus) this.#rows.get(controller)?.button.focus();
        this.onChoice(controller);
    }

    /** The player before or after the chosen one. */
    step(by) {
        const order = [...this.body.children].map((element) => element.dataset.controller);
        const place = Math.min(order.length - 1, Math.max(0, order.indexOf(this.#chosen) + by));
        if (order[place]) this.choose(order[place], { focus: true });
    }

    #row(controller) {
        const row = new PlayerRow(this.animation, this.motionOf, () => this.choose(controller));
        row.element.dataset.controller = controller;
        return row;
    }

    #walk(event) {
        const by = { ArrowDown: 1, ArrowUp: -1, Home: -1e9, End: 1e9 }[event.key];
        if (!by) return;
        event.preventDefault();
        this.step(by);
    }
}
