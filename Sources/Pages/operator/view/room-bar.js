// The room itself: its name and state, who waits at its door, and what is wrong in it.

import { knows, sentence, sentenceOr } from "/common/language.js";
import { isolated, plain } from "/common/names.js";
import { machineWords, numbers, together } from "../data/same-trouble.js";
import * as format from "../figures/format.js";
import { byId, make, say } from "./make.js";

const SHOWN = 3;

export class RoomBar {
    /** Who waits, by controller. @type {Map<string, Newcomer>} */
    #rows = new Map();

    /** @param {(task: string, who: string) => void} answer accepts or declines somebody */
    constructor(answer) {
        this.answer = answer;
        /** The machine that has the room, where that is another one than this page's. */
        this.machine = null;
        this.troubles = "";
    }

    show(status) {
        say(byId("room-name"), status.name);
        document.title = sentence("operator.titleOf", { room: isolated(status.name) });
        const door = status.isSilent ? [sentence("operator.silent")] : [
            sentence("operator.seatsFree", { free: status.freeSeats, seats: status.seats }),
            status.isLocked ? sentence("operator.locked") : sentenceOr(`policy.${status.policy}`, status.policy)];
        this.#showFacts(door, [
            this.machine && sentence("site.elsewhere", { host: isolated(this.machine) }),
            status.game && sentence("operator.game", { game: isolated(status.game) }), discovery(status),
            sentence("operator.openFor", { time: format.duration(status.uptimeMs) }),
        ].filter(Boolean));
        byId("facts").title = plain(status.discovery);
        // Whoever is on the button stays on it.
        byId("lock").setAttribute("aria-disabled", status.isSilent === true);
        if (!status.isSilent) say(byId("lock"), sentence(status.isLocked ? "operator.unlock" : "operator.lock"));
        this.#showWaiting(status.newcomers);
        this.#showTroubles(status.peers, machineWords(status.standstill));
    }

    #showFacts(door, others) {
        const [list, facts] = [byId("facts"), [...door, ...others]];
        while (list.children.length > facts.length) list.lastChild.remove();
        facts.forEach((text, place) => {
            if (!list.children[place]) list.append(make("li"));
            list.children[place].classList.toggle("is-main", place < door.length);
            say(list.children[place], text);
        });
    }

    /** Who wants a seat and has none. Who stays keeps the row: a button must not vanish under the finger, or lose the focus. */
    #showWaiting(newcomers) {
        byId("waiting").hidden = newcomers.length === 0;
        byId("accept-all").hidden = newcomers.filter(({ place }) => place === null).length < 2;
        const list = byId("waiting-list");
        const focused = byId("waiting").contains(document.activeElement) ? document.activeElement : null;
        const left = Math.max(0, [...list.children].indexOf(focused?.closest("li")));
        const here = new Set(newcomers.map(({ controller }) => controller));
        for (const [controller, row] of this.#rows) {
            if (here.has(controller)) continue;
            row.element.remove();
            this.#rows.delete(controller);
        }
        newcomers.forEach((one, place) => {
            if (!this.#rows.has(one.controller)) this.#rows.set(one.controller, new Newcomer(one.controller, this.answer));
            const row = this.#rows.get(one.controller);
            row.show(one);
            if (list.children[place] !== row.element) list.insertBefore(row.element, list.children[place] ?? null);
        });
        if (!focused) return;
        // The focus goes to the next row itself, not to its button: nobody is let in by leaning on a key.
        const next = focused.getClientRects().length > 0 ? focused : list.children[Math.min(left, list.children.length - 1)];
        if (next !== document.activeElement) (next ?? document.querySelector("#rows .is-chosen button"))?.focus();
    }

    /** @param {?string} machine what is wrong with all of them at once */
    #showTroubles(peers, machine) {
        const all = peers.filter((peer) => peer.recent?.faults.length > 0);
        byId("troubles").hidden = all.length === 0 && machine === null;
        const key = JSON.stringify([machine, ...all.map((peer) => [peer.player, peer.name, peer.recent.faults])]);
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
        if (machine !== null) items.unshift(make("li", {}, machine));
        byId("troubles-list").replaceChildren(...items);
    }
}

/** Somebody at the door; each button says an id, as names may be anything. */
class Newcomer {
    constructor(controller, answer) {
        this.name = make("strong", { class: "name", title: controller });
        this.wish = make("span");
        const button = (task, kind) => make("button", { class: kind, type: "button", onclick: () => answer(task, controller) });
        this.accept = button("accept", "button primary");
        this.decline = button("decline", "button");
        this.element = make("li", { class: "row", tabindex: "-1" }, this.name, this.wish, this.accept, this.decline);
    }

    show(one) {
        say(this.name, isolated(one.name));
        say(this.wish, wish(one));
        for (const [button, word] of [[this.accept, one.place === null ? "accept" : "callIn"], [this.decline, "decline"]]) {
            say(button, sentence(`waiting.${word}`));
            button.setAttribute("aria-label", sentence(`waiting.${word}One`, { name: one.name }));
        }
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
