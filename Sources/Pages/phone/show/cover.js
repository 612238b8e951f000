// What fills the whole screen for a moment: a flash, a word for everyone to see.

import { announce, element, say } from "./page.js";

export class Cover {
    /**
     * In place of a vibration.
     * @param {number} duration ms
     * @param {number} intensity 0 to 1
     * @returns {boolean} whether it is to be seen
     */
    flash(duration, intensity) { return this.show("", duration, { isFlash: true, opacity: 0.35 + 0.65 * intensity }); }

    /** Words as large as the screen takes. */
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
        clearTimeout(this.timer);
        this.timer = setTimeout(() => { cover.hidden = true; }, duration);
        return true;
    }
}
