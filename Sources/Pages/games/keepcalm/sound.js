// KeepCalm's sounds, made in code. A browser lets a page be heard only after a key or a tap on it.

const notes = {  // [start in s, length in s, Hz at its start, Hz at its end, loudness, wave]
    jump: [[0, 0.14, 300, 620, 0.10, "triangle"]],
    banana: [[0, 0.07, 988, 988, 0.10, "square"], [0.07, 0.2, 1319, 1319, 0.10, "square"]],
    blueberry: [[0, 0.09, 523, 523, 0.14, "sine"], [0.09, 0.09, 659, 659, 0.14, "sine"],
        [0.18, 0.22, 784, 784, 0.14, "sine"]],
    cherry: [[0, 0.5, 330, 1320, 0.10, "sawtooth"]],
    poo: [[0, 0.45, 190, 55, 0.20, "sawtooth"], [0, 0.45, 97, 40, 0.20, "square"]],
    count: [[0, 0.12, 440, 440, 0.14, "sine"]],
    go: [[0, 0.4, 880, 880, 0.14, "sine"]],
    over: [[0, 0.22, 659, 659, 0.14, "triangle"], [0.22, 0.22, 587, 587, 0.14, "triangle"],
        [0.44, 0.22, 523, 523, 0.14, "triangle"], [0.66, 0.6, 392, 392, 0.14, "triangle"]],
};

export class Sound {
    isOn = true;
    #context = null;

    /** Call it from a key's or a pointer's event. */
    unlock() {
        this.#context ??= new AudioContext();
        if (this.#context.state === "suspended") this.#context.resume();
    }

    play(what) {
        if (!this.isOn || this.#context?.state !== "running") return;
        const now = this.#context.currentTime;
        for (const [start, length, from, to, loudness, wave] of notes[what]) {
            const tone = new OscillatorNode(this.#context, { type: wave, frequency: from });
            const volume = new GainNode(this.#context, { gain: loudness });
            tone.frequency.exponentialRampToValueAtTime(to, now + start + length);
            volume.gain.setValueAtTime(loudness, now + start + length * 0.6);
            volume.gain.exponentialRampToValueAtTime(0.0001, now + start + length);
            tone.connect(volume).connect(this.#context.destination);
            tone.start(now + start);
            tone.stop(now + start + length);
        }
    }
}
