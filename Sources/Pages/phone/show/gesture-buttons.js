// A large button for every gesture that the host knows, for those who cannot move the phone, or may not.

import { sentence } from "/common/language.js";
import { announce, element } from "./page.js";
import { PULSES } from "../sensor/pulses.js";

export class GestureButtons {
    /** @param {import("../sensor/mixer.js").MotionMixer} mixer @param {boolean} isPad shows the keys, too */
    constructor(mixer, isPad) {
        this.buttons = new Map();
        for (const pulse of PULSES) {
            const label = sentence(`gesture.${pulse.gesture}`);
            const button = document.createElement("button");
            button.type = "button";
            button.className = "button";
            button.dataset.gesture = pulse.gesture;
            button.append(label);
            if (isPad) {
                const key = document.createElement("kbd");
                key.textContent = pulse.key.toUpperCase();
                button.append(key);
                button.setAttribute("aria-keyshortcuts", pulse.key);
            }
            button.addEventListener("click", () => { if (mixer.play(pulse.gesture)) announce(`${label}.`); });
            element("gestures").append(button);
            this.buttons.set(pulse.gesture, button);
        }
        mixer.played = (gesture) => {
            for (const [name, button] of this.buttons) button.setAttribute("aria-pressed", name === gesture);
        };
    }
}
