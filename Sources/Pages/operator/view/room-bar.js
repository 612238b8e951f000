// The room itself: its name and state, who waits at its door, and what is wrong in it.

import { knows, sentence, sentenceOr } from "/common/language.js";
import { isolated, plain } from "/common/names.js";
import { numbers, together } from "../data/same-trouble.js";
import * as format from "../figures/format.js";
import { byId, make, say } from "./make.js";

const SHOWN = 3;

export class RoomBar {
    /** @param {(task: string, who: string) => void} answer accepts or declines somebody */
    constructor(answer) {
        this.answer = answer;
        this.waiting = "";
        /** The machine that has the room, where that is another one than this page's. */
        this.machine = null;
        this.troubles = "";
    }

    show(status) {
        say(byId("room-name"), status.name);
        document.title = sentence("operator.titleOf", { room: isolated(status.name) });
        this.#showFacts([
            sentence("operator.seatsFree", { free: status.freeSeats, seats: status.seats }),
            status.isLocked ? sentence("operator.locked") : sentenceOr(`policy.${status.policy}`, status.policy),
            this.machine && sentence("site.elsewhere", { host: isolated(this.machine) }),
            status.game && sentence("operator.game", { game: isolated(status.game) }), discovery(status),
            sentence("operator.openFor", { time: format.duration(status.uptimeMs) }),
        ].filter(Boolean));
        byId("facts").title = plain(status.discovery);
        say(byId("lock"), sentence(status.isLocked ? "operator.unlock" : "operator.lock"));
        byId("lock").setAttribute("aria-pressed", status.isLocked);
        this.#showWaiting(status.newcomers);
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

    /** Who wants a seat and has none; each button says an id, as names may be anything. */
    #showWaiting(newcomers) {
        byId("waiting").hidden = newcomers.length === 0;
        const key = JSON.stringify(newcomers.map((one) => [one.controller, one.name, one.place, one.isPresent]));
        if (key === this.waiting) return;  // Else a button would vanish under the finger, or lose the focus.
        this.waiting = key;
        byId("accept-all").hidden = newcomers.filter(({ place }) => place === null).length < 2;
        byId("waiting-list").replaceChildren(...newcomers.map((one) => make("li", { class: "row" },
            make("strong", { class: "name", title: one.controller }, isolated(one.name)), make("span", {}, wish(one)),
            this.#button(one.place === null ? "accept" : "callIn", "accept", one, "button primary"),
            this.#button("decline", "decline", one, "button"))));
    }

    #button(word, task, { name, controller }, kind) {
        const onclick = () => this.answer(task, controller);
        const label = sentence(`waiting.${word}One`, { name });
        const attributes = { class: kind, type: "button", "aria-label": label, onclick };
        return make("button", attributes, sentence(`waiting.${word}`));
    }

    #showTroubles(peers) {
        const all = peers.filter((peer) => peer.recent?.faults.length > 0);
        byId("troubles").hidden = all.length === 0;
        const key = JSON.stringify(all.map((peer) => [peer.player, peer.name, peer.recent.faults]));
        if (key === this.troubles) return;
        this.troubles = key;
        // The first is the gravest; the others stand beside the player.
        const sentences = together(all.map(({ player, name, recent }) => ({ player, name, faults: recent.faults })));
        const items = sentences.slice(0, SHOWN).map(({ players, name, text, others }) => {
            const end = /[.?!。？]$/.test(text) ? "" : ".";
            const who = name !== null ? `P${players[0]} ${isolated(name)}`
                : sentence("operator.many", { count: players.length, numbers: numbers(players) });
            return make("li", {}, make("strong", {}, who), `: ${text}${end}`,
                make("span", { class: "muted" }, others > 0 ? ` ${sentence("operator.othersToo", { count: others })}` : ""));
        });
        const left = sentences.slice(SHOWN).flatMap(({ players }) => players).sort((a, b) => a - b);
        const words = sentence("operator.somethingElse", { numbers: numbers(left) });
        if (left.length > 0) items.push(make("li", { class: "muted" }, words));
        byId("troubles-list").replaceChildren(...items);
    }
}

/** What somebody without a seat waits for: the operator's word, or a seat. */
function wish({ place, address, isPresent }) {
    if (place !== null) return sentence(isPresent ? "waiting.queued" : "waiting.queuedAway", { place });
    return address ? sentence("waiting.asksFrom", { address: isolated(address) }) : sentence("waiting.asks");
}

/** Whether others find the room by its name; the host's own line, in English, says it in full. */
function discovery({ discovery: line, discoveryState: state }) {
    const reason = isolated(line.replace(/^[^:]*: /, ""));
    return knows(`discovery.${state}`) ? sentence(`discovery.${state}`, { reason }) : isolated(line);
}
