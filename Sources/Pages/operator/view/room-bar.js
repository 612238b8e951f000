// The room itself: its name and state, who waits at its door, and what is wrong in it.

import { isolated } from "/common/names.js";
import { numbers, together } from "../data/same-trouble.js";
import * as format from "../figures/format.js";
import { byId, make, say } from "./make.js";

const SHOWN = 3;

export class RoomBar {
    /** @param {(task: string, who: string) => void} answer accepts or declines somebody */
    constructor(answer) {
        this.answer = answer;
        this.waiting = "";
        this.troubles = "";
    }

    show(status) {
        say(byId("room-name"), status.name);
        document.title = `${isolated(status.name)} – operator`;
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
            make("strong", { class: "name" }, isolated(name)), make("span", {}, "asks to join"),
            this.#button("Accept", name, "button primary"), this.#button("Decline", name, "button"))));
    }

    #button(word, name, kind) {
        const onclick = () => this.answer(word.toLowerCase(), name);
        return make("button", { class: kind, type: "button", "aria-label": `${word} ${name}`, onclick }, word);
    }

    #showTroubles(peers) {
        const all = peers.filter((peer) => peer.recent?.troubles.length > 0);
        byId("troubles").hidden = all.length === 0;
        const key = JSON.stringify(all.map((peer) => [peer.player, peer.name, peer.recent.troubles]));
        if (key === this.troubles) return;
        this.troubles = key;
        // The first is the gravest; the others stand beside the player.
        const sentences = together(all.map(({ player, name, recent }) => ({ player, name, texts: recent.troubles })));
        const items = sentences.slice(0, SHOWN).map(({ players, name, text, others }) => {
            const end = /[.?!]$/.test(text) ? "" : ".";
            const who = name !== null ? `P${players[0]} ${isolated(name)}`
                : `${players.length} players (${numbers(players)})`;
            return make("li", {}, make("strong", {}, who), `: ${text}${end}`,
                make("span", { class: "muted" }, others > 0 ? ` And ${others} more.` : ""));
        });
        const left = sentences.slice(SHOWN).flatMap(({ players }) => players).sort((a, b) => a - b);
        const words = `Something else with ${numbers(left)}: see there.`;
        if (left.length > 0) items.push(make("li", { class: "muted" }, words));
        byId("troubles-list").replaceChildren(...items);
    }
}
