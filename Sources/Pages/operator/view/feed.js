// The events as they happen, the newest on top: filtered by type, and paused when somebody wants to read.

import { sentence } from "/common/language.js";
import { TYPES, words } from "../data/event-words.js";
import { finish } from "../figures/finish.js";
import { moment } from "../figures/format.js";
import { byId, make, say } from "./make.js";

const SHOWN = 150;
const HELD = 500;  // While paused.

export class Feed {
    #waiting = [];
    #isPaused = false;
    #wanted = new Set(TYPES);
    #isDue = false;

    /** @param {(player: number) => string} name */
    constructor(name) {
        this.name = name;
        this.list = byId("events");
        for (const type of TYPES) {
            const onchange = () => this.#filter(type, box.checked);
            const box = make("input", { type: "checkbox", checked: true, value: type, onchange });
            byId("filter").append(make("label", { class: "chip" }, box, sentence(`events.type.${type}`)));
        }
        this.#count();
        byId("pause").addEventListener("click", () => this.pause(!this.#isPaused));
    }

    add(event) {
        const text = words(event, this.name);
        if (text === null) return;
        const figure = event.type === "verdict" ? finish(event, text) : null;
        this.#waiting.push({ type: event.type, at: event.at, text, figure });
        if (this.#waiting.length > HELD) this.#waiting.shift();
        if (this.#isDue) return;
        this.#isDue = true;
        setTimeout(() => this.#flush(), 150);  // A storm of gestures is one change of the page.
    }

    pause(isPaused) {
        this.#isPaused = isPaused;
        say(byId("pause"), sentence(isPaused ? "events.goOn" : "events.pause"));
        this.#flush();
    }

    toggle() { this.pause(!this.#isPaused); }

    #flush() {
        this.#isDue = false;
        const held = byId("held-back");
        held.hidden = !this.#isPaused;
        if (this.#isPaused) {
            const all = this.#waiting.length;
            const number = all === HELD ? sentence("events.moreThan", { number: HELD }) : all;
            return say(held, sentence("events.held", { number }));
        }
        const items = this.#waiting.map(({ type, at, text, figure }) => make(
            "li", { "data-type": type, hidden: !this.#wanted.has(type) },
            make("time", { class: "muted" }, moment(at)), make("span", {}, text), ...(figure ? [figure] : [])));
        this.#waiting = [];
        this.list.prepend(...items.reverse());
        while (this.list.children.length > SHOWN) this.list.lastChild.remove();
    }

    #filter(type, isWanted) {
        if (isWanted) this.#wanted.add(type); else this.#wanted.delete(type);
        for (const item of this.list.children) item.hidden = !this.#wanted.has(item.dataset.type);
        this.#count();
    }

    #count() {
        const [shown, all] = [this.#wanted.size, TYPES.length];
        say(byId("filter-count"), sentence(shown === all ? "events.allKinds" : "events.someKinds", { shown, all }));
    }
}
