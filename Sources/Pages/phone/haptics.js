// What the host commands to be felt: vibration where there is any, else a flash, a tone and large words.

/** No more than three flashes a second (WCAG 2.2, 2.3.1). In ms. */
const BETWEEN_FLASHES = 350;
const LONGEST = 5_000;
/** The shortest on and off of a vibration weaker than full. */
const BEAT = 20;

/** @typedef {{id: number, intensity: number, sharpness: number, duration: number, timeToLive: number}} Haptic */

/** Plays haptics, and says of each what became of it. */
export class Haptics {
    /** @param {{flash: (duration: number, intensity: number) => boolean}} show whether it is to be seen */
    constructor(show) {
        this.show = show;
        this.playing = { until: 0, intensity: 0 };
        this.flashedAt = -Infinity;
    }

    get vibrates() { return typeof navigator.vibrate === "function"; }

    /** In the handler of a tap: browsers let nobody make a sound or vibrate before one. */
    unlock() {
        if (!wasTouched()) return;
        const Audio = globalThis.AudioContext ?? globalThis.webkitAudioContext;
        if (!this.audio && Audio) this.audio = new Audio();
        this.audio?.resume?.().catch(() => {});
    }

    /**
     * @param {Haptic} haptic
     * @param {number} late ms since it was commanded, as far as this side can tell
     * @returns {{outcome: "played" | "expired" | "notAllowed" | "busy", playedAt: number}} `playedAt` in ms; busy, too,
     *   where a flash would be one too many, or hide words, and no tone can be heard
     */
    play(haptic, late) {
        const now = performance.now();
        const refused = (outcome) => ({ outcome, playedAt: 0 });
        if (haptic.timeToLive > 0 && late > haptic.timeToLive) return refused("expired");
        if (document.hidden) return refused("notAllowed");
        if (now < this.playing.until && this.playing.intensity > haptic.intensity) return refused("busy");
        const duration = Math.min(haptic.duration, LONGEST);
        const isFelt = this.vibrates && wasTouched() && navigator.vibrate(pattern(duration, haptic.intensity));
        if (!isFelt) {
            const isHeard = this.sound(duration, haptic);
            const isSeen = this.flash(duration, haptic.intensity, now);
            if (!isHeard && !isSeen) return refused("busy");
        }
        this.playing = { until: now + duration, intensity: haptic.intensity };
        return { outcome: "played", playedAt: now };
    }

    /** @returns {boolean} whether it is to be seen */
    flash(duration, intensity, now) {
        if (now - this.flashedAt < BETWEEN_FLASHES || !this.show.flash(Math.max(duration, 150), intensity)) return false;
        this.flashedAt = now;
        return true;
    }

    /** A tone: the sharper, the higher; the stronger, the louder. @returns {boolean} whether it is to be heard */
    sound(duration, { intensity, sharpness }) {
        if (this.audio?.state !== "running") return false;
        const [begin, end] = [this.audio.currentTime, this.audio.currentTime + Math.max(duration, 60) / 1_000];
        const tone = this.audio.createOscillator();
        const volume = this.audio.createGain();
        tone.frequency.value = 220 * 4 ** sharpness;
        volume.gain.setValueAtTime(0, begin);
        volume.gain.linearRampToValueAtTime(0.05 + 0.25 * intensity, begin + 0.01);
        volume.gain.setValueAtTime(0.05 + 0.25 * intensity, end - 0.02);
        volume.gain.linearRampToValueAtTime(0, end);
        tone.connect(volume).connect(this.audio.destination);
        tone.start(begin);
        tone.stop(end);
        return true;
    }
}

/** Whether the player touched the page at all; who does not know says yes, and is refused by the browser. */
const wasTouched = () => navigator.userActivation?.hasBeenActive ?? true;

/** Motors know only on and off: what is weaker than full beats. */
function pattern(duration, intensity) {
    if (intensity > 0.7 || duration <= 2 * BEAT) return [Math.max(1, Math.round(duration))];
    const [on, off] = intensity > 0.4 ? [2 * BEAT, BEAT] : [BEAT, BEAT];
    return Array.from({ length: 2 * Math.ceil(duration / (on + off)) - 1 }, (_, place) => (place % 2 ? off : on));
}
