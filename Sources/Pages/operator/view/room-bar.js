// The room itself: its name and state, who waits at its door, and what is wrong in it.

import * as format from "../figures/format.js";
import { byId, make, say } from "./make.js";

const TROUBLES = 6;

export class RoomBar {
    /** @param {(task: string, who: string) => void} answer accepts or declines somebody */
    constructor(answer) {
        this.answer = answer;
        this.waiting = "";
        this.troubles = "";
    }

    show(status) {
        say(byId("room-name"), status.name);
        document.title = `${status.name} – operator`;
        const joining = { code: "who has the code may join", open: "anybody may join", ask: "you let them in" };
        this.#showFacts([
            `${status.freeSeats} of ${status.seats} seats free`,
            status.isLocked ? "locked: nobody new" : joining[status.policy] ?? status.policy,
            status.game && `game ${status.game}`, status.discovery, `open for ${format.duration(status.uptimeMs)}`,
        ].filter(Boolean));
        say(byId("lock"), status.isLocked ? "Unlock" : "Lock");
        byId("lock").setAttribute("aria-pressed", status.isLocked);
        this.#showWaiting(status.waiting);
        this.#showTroubles(status.peers);
    }

    #showFacts(facts) {
        const list = byId("facts");
        while (list.children.length > facts.length) list.lastChild.remove();
        facts.forEach((text, place) => {
            if (!list.children[place]) list.append(make("li", { class: place < 2 && "is-main" }));
            say(list.children[place], text);
        });
    }

    #showWaiting(names) {
        byId("waiting").hidden = names.length === 0;
        const key = JSON.stringify(names);
        if (key === this.waiting) return;  // Else a button would vanish under the finger, or lose the focus.
        this.waiting = key;
        byId("accept-all").hidden = names.length < 2;
        byId("waiting-list").replaceChildren(...names.map((name) => make("li", { class: "row" },
            make("strong", { class: "name" }, name), make("span", {}, "asks to join"),
            this.#button("Accept", name, "button primary"), this.#button("Decline", name, "button"))));
    }

    #button(word, name, kind) {
        const onclick = () => this.answer(word.toLowerCase(), name);
        return make("button", { class: kind, type: "button", "aria-label": `${word} ${name}`, onclick }, word);
    }

    #showTroubles(peers) {
        const all = peers.flatMap((peer) => (peer.recent?.troubles ?? []).map((text) => ({ peer, text })));
        byId("troubles").hidden = all.length === 0;
        const key = all.map(({ peer, text }) => `${peer.name}\n${text}`).join("\n");
        if (key === this.troubles) return;
        this.troubles = key;
        const items = all.slice(0, TROUBLES).map(({ peer, text }) => make("li", {},
            make("strong", {}, `P${peer.player} ${peer.name}`), `: ${text}${/[.?!]$/.test(text) ? "" : "."}`));
        const more = all.length - TROUBLES;
        if (more > 0) items.push(make("li", { class: "muted" }, `and ${more} more, beside each player`));
        byId("troubles-list").replaceChildren(...items);
    }
}
