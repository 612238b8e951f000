// The module for games: a room's events and commands, in any page. Documentation/WEB.md, sections 3 to 5, says what
// travels; Documentation/events.schema.json says what each event holds.
//
//     import { join } from "/roomful.js";
//     const room = join({ motion: true });
//     room.on("gesture", (e) => { if (e.gesture === "jump") console.log(`P${e.player}: jump ${e.phase}`); });
//     room.players           // Map: number -> {player, name, color, state, controllers, attitude, tilt, …}
//     room.queue             // who waits for a seat, in order: [{controller, name}, …]
//     room.state(1)?.tilt    // how P1 holds the controller now: [roll, pitch] in rad; null until it is known
//     room.now()             // milliseconds since the room opened, to compare with an event's `at`
//     await room.send({ task: "play", who: "P1", intensity: 1, duration: 80 });    // throws RoomError, in plain words
//     document.body.append(joinCode(room, { corner: true }));                      // the QR code that lets phones in
//     document.body.append(lobby(room, { begin: (players) => start(players) }));   // that, who is ready, a countdown
//
// It connects by itself, by WebSocket or else by server-sent events and POST; when the connection breaks it comes back
// and goes on after the last event that it saw; where the host was started anew meanwhile, with all that it told since.

import { Pace } from "./common/pace.js";
import { RoomClock } from "./common/room-clock.js";
import { RoomError } from "./common/room-error.js";
import { timeout } from "./common/timeout.js";
import { ownToken } from "./common/token.js";

export { joinCode, lobby } from "./common/lobby.js";
export { RoomError } from "./common/room-error.js";

/**
 * Joins the room that this module was loaded from. Options: `motion`, whether to get `motion` events, default no; `motionRate`, at
 * most so many a second of each player; `types`, only these (and `player`, `queue`); `after`, replay what happened after that event
 * number, and `openedAt`, as the `hello` of that time said: of a room that was opened anew since, replay everything; `token`, the
 * game token, else that of the page's address (`#t=…`) or of this tab; `server`, the room's address;
 * `room`, another room of its site, by id or name, in place of it; `site`, what every room of the site tells, as `record` events.
 */
export function join(options = {}) { return new Room(options); }

const patience = { hello: 2500, reply: 10_000, silence: 10_000, returns: [200, 0, 500, 1000, 2000, 5000] };  // ms
const noAnswer = () => new RoomError({ code: "noAnswer", message: "the room did not answer" });
/** Fewer than the 500 commands a second that the room takes of one page, with all that may be on their way. */
const pace = { perSecond: 400, atOnce: 64, waiting: 1024, patience: patience.reply, late: noAnswer };
/** These are answered when somebody at a phone has done their part, ms, unless `timeout` says otherwise. */
const deeds = { invite: 120_000, move: 60_000 };
const patienceFor = ({ task, timeout }) => patience.reply + (task in deeds ? (timeout ?? deeds[task]) + 10_000 : 0);

/** What comes first, once events come. */
const isGreeting = ({ type }) => type === "hello" || type === "site";

class Room {
    /** Who is here, by number. Each entry holds the newest `player` event and the newest `motion` event. */
    players = new Map();
    /** Who waits for a seat, the first first: {controller, name}; changes are told to `on("queue")`. */
    queue = [];
    /** `connecting`, `live`, `reconnecting`, or `refused`, for good; changes are told to `on("status")`. */
    status = "connecting";
    /** The newest `hello`: the room's name and seats, and how many of the events since the last one are `missing`. */
    hello = null;
    /** Number -> id -> the newest `player` event of that controller: all drive one player where a room is collaborative. */
    #controllers = new Map();
    #handlers = new Map();
    #replies = new Map();
    #nextId = 1;
    #failures = 0;
    #streams = false;  // WebSocket was refused just now: server-sent events next.
    #mayStream = true;  // Not where a socket has opened, until one is refused though the host answers.
    #clock = new RoomClock();
    #say = null;       // Sends by the socket, where there is one.
    #hangUp = null;    // Ends the stream, where there is one.
    #pace = new Pace(pace);

    constructor(options) {
        this.options = options;
        this.server = new URL(options.server ?? import.meta.url, location.href);
        this.token = options.token ?? ownToken();
        this.last = options.after;
        setInterval(() => this.#look(), patience.silence);
        this.#connect();
    }

    /**
     * Calls the handler with each event of this type, with `status`, `error`, `changed` (other terms), `lost` (its `events`, in all,
     * this page was too slow for) or `*` (every event). Returns its end.
     */
    on(type, handler) {
        if (!this.#handlers.has(type)) this.#handlers.set(type, new Set());
        this.#handlers.get(type).add(handler);
        return () => this.#handlers.get(type).delete(handler);
    }

    /** The newest attitude (w, x, y, z, device to earth), tilt, gravity … of a player; null until any is known. */
    state(player) { return this.players.get(player)?.attitude ? this.players.get(player) : null; }

    /** Milliseconds since the room opened, now, on the host's clock, as far as this page knows it. */
    now() { return this.#clock.now(); }

    /**
     * Gives a command (WEB.md, section 4) and returns the answer. Throws RoomError when it was refused. Where a page has more to
     * say than the room takes, commands wait here, and are said in their order; when too many do, it throws `tooOften`, and
     * `noAnswer` where one waited for 10 s.
     */
    async send(command) {
        if (this.#pace.isFull) {
            const message = `${pace.waiting} commands wait to be said: this one is not`;
            throw new RoomError({ code: "tooOften", message });
        }
        return this.#inTurn(command);
    }

    #inTurn(command) { return this.#pace.run(() => this.#order(command), command.task in deeds); }

    #order(command) {
        if (this.options.room) command = { room: this.options.room, ...command };
        return this.#say && this.status === "live" ? this.#ask(command) : this.#post("/api/commands", command);
    }

    #ask(command) {
        const id = this.#nextId++;
        return new Promise((resolve, reject) => {
            const timer = setTimeout(() => this.#replies.delete(id) && reject(noAnswer()), patienceFor(command));
            this.#replies.set(id, (answer) => {
                clearTimeout(timer);
                this.#replies.delete(id);
                answer.error ? reject(new RoomError(answer.error)) : resolve(answer);
            });
            this.#say({ ...command, id });
        });
    }

    async #post(path, body) {
        const headers = { "Content-Type": "application/json" };
        if (this.token) headers.Authorization = `Bearer ${this.token}`;
        const signal = timeout(patienceFor(body));
        const request = { method: "POST", headers, body: JSON.stringify(body), signal };
        const answer = await fetch(new URL(path, this.server), request).catch(() => null);
        if (!answer) throw new RoomError({ code: "noAnswer", message: "the room does not answer; is it still open?" });
        const object = await answer.json().catch(() => ({}));
        if (answer.ok) return object;
        throw new RoomError(object.error ?? { message: `the room answered ${answer.status}` });
    }

    /** Asks for the time there, as two clocks drift apart. A stream that is silent may have no other end any more. */
    async #look() {
        if (this.status !== "live") return;
        const [hello, asked] = [this.hello, performance.now()];
        const { status, code } = await this.#order({ task: "status" }).catch((error) => error);
        if (status && hello === this.hello) this.#clock.read(status.uptimeMs, asked);
        if (code === "noAnswer" && this.#streams) this.#hangUp();
    }

    /** One connection from beginning to end; then the next, later each time, until one holds. */
    async #connect() {
        const { motion, motionRate, types, room, site } = this.options;
        const wanted = types && (site ? types : ["player", "queue", "room", ...types]);
        // Of which life of the host the number is: the next one counts from 1 again.
        const openedAt = this.hello?.openedAt ?? this.options.openedAt;
        const wish = { motion, motionRate, types: wanted, after: this.last, openedAt, room, site };
        const wasLive = await (this.#streams ? this.#stream(wish) : this.#socket(wish)).catch((error) => {
            this.#tell("error", error);
            // It would be so again: who asks, or what for, is wrong.
            if (error.code !== "wrongToken" && error.code !== "badOption") return false;
            // A page that does not listen looks merely dead: its maker looks into the console.
            if (!this.#handlers.get("error")?.size) console.error(`roomful.js: ${error.message}`);
            return null;
        });
        this.#say = null;
        const error = { code: "connectionBroke", message: "the connection broke" };
        for (const reply of this.#replies.values()) reply({ error });
        this.#setStatus(wasLive === null ? "refused" : this.hello ? "reconnecting" : "connecting");
        if (wasLive === null) return;
        if (wasLive) this.#mayStream = this.#streams;
        this.#streams = !wasLive && !this.#streams;
        this.#failures = wasLive ? 0 : this.#failures + 1;
        setTimeout(() => this.#connect(), patience.returns[Math.min(this.#failures, patience.returns.length - 1)]);
    }

    /** Ends when the socket does; the answer is whether it was ever live. */
    #socket(wish) {
        const address = new URL("/api/events", this.server);
        address.protocol = address.protocol.replace("http", "ws");
        return new Promise((resolve) => {
            const socket = new WebSocket(address);
            let isLive = false;
            const end = () => { clearTimeout(timer); socket.onclose = null; socket.close(); resolve(isLive); };
            const check = () => {  // A host that vanished without a word is found out by asking when it is silent.
                if (!isLive) return end();
                timer = setTimeout(end, patience.hello * 2);
                this.#say({ task: "status", id: 0 });
            };
            let timer = setTimeout(check, patience.hello);
            socket.onopen = () => socket.send(JSON.stringify({ token: this.token, ...wish }));
            socket.onclose = end;
            socket.onmessage = ({ data }) => {
                clearTimeout(timer);
                timer = setTimeout(check, patience.silence);
                const message = JSON.parse(data);
                isLive ||= isGreeting(message);
                this.#receive(message);
            };
            this.#say = (value) => socket.send(JSON.stringify(value));
        });
    }

    async #stream(wish) {
        const { stream } = await this.#post("/api/events", { token: this.token, ...wish });
        if (!this.#mayStream) {  // It is back: the socket again, at once.
            [this.#mayStream, this.#failures] = [true, 0];
            return false;
        }
        return new Promise((resolve) => {
            let isLive = false;
            const source = new EventSource(new URL(`/api/events?stream=${stream}`, this.server));
            source.onmessage = ({ data }) => {
                const message = JSON.parse(data);
                isLive ||= isGreeting(message);
                this.#receive(message);
            };
            this.#hangUp = source.onerror = () => { source.close(); resolve(isLive); };
        });
    }

    #receive(event) {
        if (event.type === "reply") return void this.#replies.get(event.id)?.(event);
        if (event.seq) return this.#noteRecord(event);
        if (event.type === "site") this.#begin(event);
        if (event.n) this.last = event.n;
        const known = this.players.get(event.player);
        if (event.type === "hello") this.#greet(event);
        if (event.type === "player") this.#note(event);
        if (event.type === "queue") this.#queue(event);
        if (event.type === "room" && event.state === "changed") this.#learnTerms();
        if (event.type === "motion" && known) Object.assign(known, { ...event, type: "player" });
        this.#tell(event.type, event);
        this.#tell("*", event);
    }

    /** What a room of the site told, with its place in the site's stream. */
    #noteRecord(record) {
        this.last = record.seq;
        this.#tell("record", record);
        this.#tell("*", record);
    }

    #begin({ after }) {
        this.last = after;
        this.#setStatus("live");
    }

    #note(event) {
        this.#clock.heard(event.at);
        this.#seat(event);
    }

    /** What became of one controller: its player is here until the last has left, and lost only while all are. */
    #seat(event) {
        const number = event.player;
        const own = this.#controllers.get(number) ?? new Map();
        this.#controllers.set(number, own);
        for (const id of event.controllers) {
            own.delete(id);  // The newest comes last.
            if (event.state !== "left") own.set(id, event);
        }
        const all = [...own.values()];
        const newest = all.filter(({ state }) => state !== "lost").at(-1) ?? all.at(-1);
        if (!newest) return void (this.#controllers.delete(number) && this.players.delete(number));
        const { state, name, color } = newest;
        const known = this.players.get(number);
        this.players.set(number, { ...known, ...event, state, name, color, controllers: [...own.keys()] });
    }

    #queue({ state, controller, name, place }) {
        this.queue = this.queue.filter((one) => one.controller !== controller);
        if (state === "queued" || state === "called") this.queue.splice(place - 1, 0, { controller, name });
    }

    #greet(hello) {
        this.#clock.greeted(hello.at, hello.openedAt === this.hello?.openedAt);
        const known = this.players;
        [this.players, this.#controllers] = [new Map(), new Map()];
        for (const one of hello.players) this.#seat({ ...known.get(one.player), ...one });
        this.queue = (hello.queue ?? []).map(({ controller, name }) => ({ controller, name }));
        this.hello = hello;
        this.last = hello.after;
        this.#setStatus("live");
    }

    /** The host goes by another configuration: how many seats there are is asked for anew, then `changed` is told. */
    async #learnTerms() {
        const { status } = await this.#inTurn({ task: "status" }).catch(() => ({}));
        if (status && this.hello) this.hello.seats = status.seats;
        this.#tell("changed", status);
    }

    #setStatus(status) { if (status !== this.status) this.#tell("status", this.status = status); }

    /** What a handler throws is its page's matter, told as any error there: the next one hears, and the room goes on. */
    #tell(type, event) {
        for (const handler of this.#handlers.get(type) ?? []) {
            try {
                handler(event);
            } catch (thrown) { (globalThis.reportError ?? console.error)(thrown); }
        }
    }
}
