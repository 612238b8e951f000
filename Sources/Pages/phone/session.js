// A phone's stay in a room: it asks for a seat, keeps it through whatever happens to the network, and gives it back.

import { Admission } from "./admission.js";
import { addressOf } from "./ticket.js";
import { randomHex } from "./store.js";
import {
    troubleOfClosing, troubleOfForgetting, troubleOfGoodbye, troubleOfLeaving, troubleOfPause, troubleOfRefusal,
} from "./refusals.js";
import { Uplink } from "./link/uplink.js";
import { LastingConnection } from "./transport/lasting-connection.js";

/** However long a host says that it will be away, in ms. */
const LONGEST_PAUSE = 86_400_000;
/** States in which a host that lives says something all the time, or soon. */
const TALKATIVE = new Set(["connecting", "reconnecting", "asking", "seated"]);
/** Who waits is told so every 5 s: silence is borne for so many times as long as elsewhere, two of these. */
const PATIENCE_OF_WAITING = 4;

const words = (list) => (Array.isArray(list) ? list.filter((word) => typeof word === "string") : []);

/**
 * ```
 * connecting ──▶ asking ──▶ waiting ──▶ seated ◀──▶ paused
 *     ▲             │          │           │
 *     └─────────────┴── reconnecting ◀─────┘          stopped: refused, kicked, left
 * ```
 */
export class Session {
    state = "idle";
    /**
     * Why there is no seat, until there is one, or the player asks anew.
     * @type {import("./refusals.js").Trouble | null}
     */
    trouble = null;
    /** When the page asks again by itself, on its own clock. @type {number | null} */
    retryAt = null;
    /** When the room was lost that is being looked for, on the page's clock. @type {number | null} */
    lostAt = null;
    /** When the room means to be open again, as it said when it closed. */
    backAt = 0;
    /** Whether the host said that it closes, and has let nobody in since: then nothing is wrong with the network. */
    isClosed = false;
    /** The host's last `hello` and `seated`. */
    hello = null;
    seat = null;
    /** The place in the queue for a seat, from 1; `null` while the operator decides. @type {?number} */
    place = null;

    /**
     * @param {{store: import("./store.js").Store, ticket: import("./ticket.js").Ticket}} parts
     * @param {object} hooks
     * @param {(session: Session) => void} hooks.changed anything of it may look different
     * @param {(message: object, late: number) => void} hooks.message a reliable message to act on
     * @param {() => void} hooks.begun there is a seat of a host that does not know this page yet, or not any more
     * @param {(list: {gestures: string[], taught: string[]}) => void} hooks.buttons what buttons can mean now
     * @param {(offer: {name: string, warns?: boolean}, url: string) => void} hooks.leaving another room's page is to be opened
     */
    constructor({ store, ticket, isMovable = true }, hooks) {
        Object.assign(this, { store, isMovable, hooks });
        this.admission = new Admission(store, ticket);
        this.process = randomHex(8);
        this.connection = new LastingConnection({
            message: (message) => this.receive(message),
            datagram: (bytes, arrivedAt) => this.receiveDatagram(bytes, arrivedAt),
            ready: () => this.uplink.pump(),
            lost: () => this.lose(),
        });
    }

    get isSeated() { return this.state === "seated"; }
    /** Whether it was in here, also before the page was loaded again. */
    get wasIn() { return Boolean(this.seat) || (this.place === null && this.admission.isKnown); }

    /**
     * Comes in with these streams, which stay the same for as long as the page lives.
     * @param {import("./link/link.js").Link} link
     * @param {object[]} streams
     */
    start(link, streams) {
        Object.assign(this, { link, streams, uplink: new Uplink(this.connection, link) });
        setInterval(() => this.tick(), 50);
        this.connect();
    }

    /**
     * Comes in again with other streams.
     * @param {import("./link/link.js").Link} link
     * @param {object[]} streams
     */
    redeclare(link, streams) {
        if (this.isSeated) this.uplink.goodbye("paused");
        this.connection.close();
        Object.assign(this, { link, streams, uplink: new Uplink(this.connection, link) });
        if (this.state !== "stopped") this.connect();
    }

    connect() {
        clearTimeout(this.timer);
        this.retryAt = null;
        this.enter("connecting");
        this.connection.open();
    }

    enter(state) {
        this.state = state;
        if (this.uplink) this.uplink.isOpen = this.isSeated;
        if (state === "seated" || state === "waiting") {
            Object.assign(this, { trouble: null, isClosed: false, lostAt: null });
        }
        this.hooks.changed(this);
    }

    /** The connection broke, and is tried again. A page that nobody sees rests until it is seen. */
    lose() {
        if (this.state === "paused") return this.connection.close();
        if (this.backAt > performance.now()) return this.stop(troubleOfPause(this.backAt - performance.now()));
        if (this.isClosed) return this.stop(troubleOfClosing(performance.now() - this.lostAt));
        this.trouble = null;
        this.lostAt ??= performance.now();
        return this.enter("reconnecting");
    }

    /** Ends the stay with a reason for the player; asks again by itself where that makes sense. */
    stop(trouble) {
        this.connection.close();
        clearTimeout(this.timer);
        const wait = trouble.retryIn + 1_000 * Math.random();  // Phones that were refused together come one by one.
        if (trouble.retryIn) this.timer = setTimeout(() => this.connect(), wait);
        this.retryAt = trouble.retryIn ? performance.now() + wait : null;
        this.trouble = trouble;
        this.seat = this.place = null;
        this.lostAt ??= performance.now();
        this.enter("stopped");
    }

    // What the host says

    receive(message) {
        switch (message.type) {
        case "hello": return this.introduce(message);
        case "waiting": return this.goOn(this.admission.afterWaiting()) ?? this.wait(message);
        case "seated": return this.sit(message);
        case "refused":
            this.isClosed = message.reason === "closing";
            return this.goOn(this.admission.afterRefusal(message.reason)) ?? this.stop(this.refusal(message));
        case "goodbye": return this.part(message);
        case "offer": return this.follow(message);
        case "renamed":
            if (this.seat) this.seat.name = message.name;
            // Where players choose, the page would otherwise bring its own name back with the next joining.
            this.admission.called(message.name);
            return this.hooks.changed(this);
        case "recording":
            if (this.seat) this.seat.recorded = message.recorded;
            return this.hooks.changed(this);
        case "buttons": return this.hooks.buttons({ gestures: words(message.gestures), taught: words(message.taught) });
        case "unknown": return undefined;
        default: return this.connection.send({ type: "unknown", kind: String(message.type).slice(0, 64) });
        }
    }

    /** The host says goodbye; when it means to be back, the seat is asked for until then and longer. */
    part({ reason, message, backIn }) {
        this.isClosed = reason === "closing";
        // Whoever was taken out and asks in vain reads again why: the refusal does not say it.
        if (reason === "kicked") this.parting = message;
        if (!(this.isClosed && backIn >= 0)) return this.stop(troubleOfGoodbye(reason, message));
        this.backAt = performance.now() + Math.min(backIn, LONGEST_PAUSE);
        return this.stop(troubleOfPause(backIn));
    }

    /** Asks for a seat. */
    introduce(hello) {
        this.hello = hello;
        if (!this.admission.greet(hello.room)) return this.goOn("expired");
        this.enter("asking");
        return this.connection.send({
            type: "invite", v: 1, process: this.process, streams: this.streams, haptics: true, wait: true,
            ...this.admission.claims,
        });
    }

    /** Goes on as was decided; nothing where nothing was. @param {import("./admission.js").Course} course */
    goOn(course) {
        if (!course) return undefined;
        if (course === "again") this.connect(); else this.stop(this.refusal({ reason: course }));
        return true;
    }

    refusal(message) { return troubleOfRefusal(message, this.admission.codeSource, this.parting); }

    /** Another room keeps a seat for this phone: the page goes there. */
    follow(offer) {
        const url = this.isMovable && addressOf(offer);
        if (!url) return this.connection.send({ type: "refused", reason: "declined", message: "This page cannot go there." });
        return this.hooks.leaving(offer, url);
    }

    /** Not yet: the operator decides, or it is in the queue for a seat, where its secret keeps its place. */
    wait({ place = null, secret }) {
        if (secret) this.admission.keep(secret);
        this.connection.succeeded();
        this.place = place;
        this.seat = null;  // The seat that it had is another's now.
        this.enter("waiting");
    }

    sit(seated) {
        this.admission.admitted(seated.secret);
        this.connection.succeeded();
        this.backAt = 0;
        this.parting = undefined;
        this.seat = seated;
        // A room that resets its visitors takes no newcomer's name.
        if (this.hello.names === "free") this.admission.called(seated.name);
        if (!seated.continues) this.hooks.begun();
        this.link.open(seated.link.connection, seated.continues, performance.now());
        this.enter("seated");
        this.uplink.pump();
    }

    receiveDatagram(bytes, arrivedAt) {
        for (const event of this.link.receive(bytes, arrivedAt)) {
            if (event.type === "goodbye") return this.part(event);
            if (event.message.kind === "seat") {
                const { seat, player, color } = event.message;
                Object.assign(this.seat, { seat, player, color });
                this.hooks.changed(this);
            } else {
                this.hooks.message(event.message, event.late);
            }
        }
        this.uplink.pump();
    }

    /** A sample; before Start there is nobody to take it. @param {import("./wire/samples.js").Sample} sample */
    append(sample) { this.uplink?.append(sample); }

    tick() {
        const now = performance.now();
        const patience = this.state === "waiting" ? PATIENCE_OF_WAITING : Infinity;
        this.connection.tick(now, TALKATIVE.has(this.state) ? 1 : patience);
        this.uplink.tick(now);
    }

    // What the player or the system does

    /** The page goes away, perhaps for good: the seat, or the place in the queue, waits a little for its owner. */
    goAway() {
        if (!["seated", "paused", "waiting"].includes(this.state)) return;
        if (this.isSeated) this.uplink.goodbye("paused");
        this.connection.sendLast({ type: "goodbye", reason: "away", lastSent: this.link.lastSent });
        this.connection.close();
        this.enter("paused");
    }

    /** The page is hidden: the seat is kept for the grace period. */
    pause() {
        if (!this.isSeated) return;
        this.uplink.goodbye("paused");
        this.enter("paused");
    }

    /** The page is seen again: on the same connection if that survived, else by joining again. */
    resume() {
        const isCutOff = this.state === "paused" && !this.connection.isOpen;
        if (this.state === "reconnecting" || isCutOff) return this.connect();
        if (this.state !== "paused") return undefined;
        const now = performance.now();
        this.link.resume(now);
        this.connection.heard(now);
        this.enter("seated");
        return this.uplink.pump();
    }

    /** Gives the seat back, or the place in the queue. */
    leave() {
        const { state } = this;
        if (state === "seated") this.uplink.goodbye("left");
        if (state === "waiting") this.connection.sendLast({ type: "goodbye", reason: "left" });
        this.admission.forget();
        this.stop(troubleOfLeaving(state));
    }

    /** Who was here is nobody that this phone knows. */
    forget() {
        this.store.clear();
        this.stop(troubleOfForgetting());
    }

    /** The player asks again, perhaps with a code or under another name. */
    retry({ code, name } = {}) {
        if (code) this.admission.type(code);
        if (name !== undefined) this.store.set("name", name);
        this.trouble = null;
        this.connect();
    }
}
