// What this phone keeps between visits: who it is, and the secrets that bring it back to its seats.

/** Values by name. Works on when the browser keeps nothing (private windows): then until the page is closed. */
export class Store {
    /** @param {string | null} pad the number of a virtual phone: each has its own identity, and only in its own tab */
    constructor(pad) {
        this.prefix = pad === null ? "roomful." : `roomful.pad.${pad}.`;
        this.memory = new Map();
        try {
            this.storage = pad === null ? localStorage : sessionStorage;
        } catch {
            this.storage = null;
        }
    }

    get(name) {
        try {
            const text = this.storage?.getItem(this.prefix + name);
            if (text) return JSON.parse(text);
        } catch {
            // Kept by somebody else, or not readable: as if it were not there.
        }
        return this.memory.get(name);
    }

    set(name, value) {
        this.memory.set(name, value);
        try {
            this.storage?.setItem(this.prefix + name, JSON.stringify(value));
        } catch {
            // Full or forbidden: memory has it.
        }
    }

    remove(name) {
        this.memory.delete(name);
        try {
            this.storage?.removeItem(this.prefix + name);
        } catch {
            // Then nothing was kept.
        }
    }

    /** Forgets whoever was here, for good. */
    clear() {
        try {
            for (const key of Object.keys(this.storage ?? {})) {
                if (key.startsWith(this.prefix)) this.storage.removeItem(key);
            }
        } catch {
            // Then nothing was kept.
        }
        this.memory.clear();
    }

    /** Whether anybody was here before. */
    get isUsed() { return this.get("controller") !== undefined; }

    /** This controller until it is forgotten: 128 random bits, made once. */
    get controller() {
        let own = this.get("controller");
        if (!/^[0-9a-f]{32}$/.test(own ?? "")) this.set("controller", own = randomHex(16));
        return own;
    }

    /** What is known of a room: the secret of the seat there, the code that admitted. */
    room(id) { return this.get(`room.${id}`) ?? {}; }
    /** Who this phone is in a room: itself, unless it has got its seat there as who it was in another room. */
    controllerIn(id) { return this.room(id).controller ?? this.controller; }
    keepRoom(id, fields) { this.set(`room.${id}`, { ...this.room(id), ...fields }); }
    forgetRoom(id) { this.remove(`room.${id}`); }
}

/** @param {number} count bytes */
export function randomHex(count) {
    const bytes = crypto.getRandomValues(new Uint8Array(count));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
