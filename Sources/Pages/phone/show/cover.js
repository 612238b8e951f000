// What fills the whole screen for a moment: a flash, a word for everyone to see.

import { announce, element, say } from "./page.js";

/** What is said in many words is written smaller, down to this share of the size of a few. */
const LEAST_SHARE = 0.15;

export class Cover {
    constructor() { addEventListener("resize", () => this.fit()); }

    /**
     * In place of a vibration.
     * @param {number} duration ms
     * @param {number} intensity 0 to 1
     * @returns {boolean} whether it is to be seen
     */
    flash(duration, intensity) { return this.show("", duration, { isFlash: true, opacity: 0.35 + 0.65 * intensity }); }

    /** Words for everyone around. */
    words(text, duration) {
        announce(text);
        this.show(text, duration, { isFlash: false, opacity: 1 });
    }

    show(text, duration, { isFlash, opacity }) {
        const cover = element("cover");
        // A flash does not take away words that are still to be read.
        if (isFlash && !cover.hidden && !cover.classList.contains("flash")) return false;
        say("cover-text", text);
        cover.classList.toggle("flash", isFlash);
        cover.style.opacity = opacity;
        cover.hidden = false;
        this.fit();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => { cover.hidden = true; }, duration);
        return true;
    }

    /** As large as the screen takes all of it, also when the phone is turned meanwhile. */
    fit() {
        const cover = element("cover");
        for (let share = 1; share > LEAST_SHARE; share *= 0.9) {
            cover.style.setProperty("--share", share);
            if (cover.scrollHeight <= cover.clientHeight) return;
        }
    }
}
