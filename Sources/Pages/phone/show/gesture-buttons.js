// A large button for every gesture that the room knows, for those who cannot move the phone, or may not.

import { sentence } from "/common/language.js";
import { isolated, nodesOf } from "/common/names.js";
import { announce, element } from "./page.js";
import { GESTURES, MOST_OTHERS, momentOf } from "../sensor/button-log.js";

/** A touch, or a key, is followed by its click within so long, in ms. */
const CLICK_AFTER = 500;

export class GestureButtons {
    /** @param {import("../sensor/button-log.js").ButtonLog} log @param {boolean} isPad shows the keys, too */
    constructor(log, isPad) {
        this.log = log;
        /** By the bit that each sets. @type {Map<number, HTMLButtonElement>} */
        this.buttons = new Map();
        for (const [bit, { gesture, key }] of GESTURES.entries()) {
            const button = this.add(bit, sentence(`gesture.${gesture}`));
            button.dataset.gesture = gesture;
            if (!isPad) continue;
            const keyShown = document.createElement("kbd");
            keyShown.textContent = key.toUpperCase();
            button.append(keyShown);
            button.setAttribute("aria-keyshortcuts", key);
        }
        log.changed = (bits) => {
            for (const [bit, button] of this.buttons) button.setAttribute("aria-pressed", Boolean(bits >> bit & 1));
        };
    }

    /** What the room says that buttons can mean. @param {{gestures: string[], taught: string[]}} list */
    offer({ gestures, taught }) {
        for (const [bit, { gesture }] of GESTURES.entries()) {
            const button = this.buttons.get(bit);
            button.hidden = !gestures.includes(gesture);
            // What nobody sees nobody holds.
            if (button.hidden) button.dispatchEvent(new Event("vanish"));
        }
        const others = gestures.filter((name) => GESTURES.every(({ gesture }) => gesture !== name)).concat(taught);
        for (let place = 0; place < MOST_OTHERS; place += 1) {
            const bit = GESTURES.length + place;
            const name = others[place];
            // A button that stays keeps the finger, or the focus, that is on it.
            if (this.buttons.get(bit)?.dataset.other === name) continue;
            this.log.release(bit);
            this.buttons.get(bit)?.remove();
            this.buttons.delete(bit);
            if (name !== undefined) this.add(bit, isolated(name)).dataset.other = name;
        }
    }

    add(bit, label) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "button";
        button.append(...nodesOf(label));
        button.setAttribute("aria-pressed", "false");
        this.hold(button, bit, label);
        // Those that are not built in come last, in their order.
        const later = [...this.buttons].filter(([other]) => other > bit).sort(([a], [b]) => a - b)[0];
        element("gestures").insertBefore(button, later?.[1] ?? null);
        this.buttons.set(bit, button);
        return button;
    }
    /** The button is down while a finger is on it, or Enter or Space is held. */
    hold(button, bit, label) {
        const held = new Set();
        let heldAt = -Infinity;
        const press = (by, event) => {
            if (held.size === 0) {
                this.log.press(bit, momentOf(event), performance.now());
                announce(`${label}.`);
            }
            held.add(by);
        };
        const release = (by, event) => {
            heldAt = performance.now();
            if (held.delete(by) && held.size === 0) this.log.release(bit, momentOf(event));
        };
        button.addEventListener("pointerdown", (event) => {
            if (event.button !== 0) return;
            // A finger that slides off still holds it down.
            button.setPointerCapture(event.pointerId);
            press(event.pointerId, event);
        });
        button.addEventListener("lostpointercapture", (event) => release(event.pointerId, event));
        button.addEventListener("contextmenu", (event) => event.preventDefault());
        button.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            if (!event.repeat) press(event.key, event);
        });
        button.addEventListener("keyup", (event) => {
            if (event.key === "Enter" || event.key === " ") release(event.key, event);
        });
        button.addEventListener("vanish", (event) => [...held].forEach((by) => release(by, event)));
        // A key's end may go elsewhere; a finger's comes here, wherever it is.
        button.addEventListener("blur", (event) => {
            for (const key of ["Enter", " "]) if (held.has(key)) release(key, event);
        });
        // A switch or a screen reader, which know no longer and shorter.
        button.addEventListener("click", (event) => {
            if (held.size > 0 || performance.now() - heldAt < CLICK_AFTER) return;
            this.log.tap(bit, momentOf(event), performance.now());
            announce(`${label}.`);
        });
    }
}
