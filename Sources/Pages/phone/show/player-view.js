// The page of one player, from the welcome to the seat and whatever may come between.

import { sentence } from "/common/language.js";
import { isolated } from "/common/names.js";
import { tidyCode } from "../ticket.js";
import { announce, element, isFocusHidden, level, paint, say, show, turned } from "./page.js";
import { connectionInWords, sensorTrouble, untilRetry } from "./words.js";

/** Rooms take names of so many bytes: 21 Japanese letters. */
const LONGEST_NAME = 63;

/** A trouble as it is read aloud. */
const inOneBreath = ({ title, text }) => `${title}${/[?؟？]$/.test(title) ? "" : "."} ${text}`;

export class PlayerView {
    constructor(isPad) {
        this.isPad = isPad;
        this.isStarted = false;
        /** Whether the phone asks its player for motion, perhaps. */
        this.isAsking = false;
        this.lacksMotion = false;
        this.told = "";
        /** What the sensor lacks, until it was told. */
        this.untold = null;
        /** Whether the player has typed a code that the room did not take yet. */
        this.hasTyped = false;
        document.querySelector("main").classList.toggle("pad", isPad);
    }

    /** Before Start, which cannot be pressed until everything is there that hears it. */
    welcome({ ticket, isUsed, isReturning }) {
        this.meet({ name: ticket.room });
        show("forget", isUsed && !this.isPad);
        if (isReturning || ticket.pass) say("start", sentence("start.continue"));
        // A seat is kept, and the phone wants a tap before it gives motion.
        if (ticket.pass) say("welcome-text", sentence("start.sent"));
        element("start").disabled = false;
        show("unloaded", false);
    }

    /** Whose door this is, and what is played there, as far as it is known. */
    meet({ name, game }) {
        if (name) say("room", name);
        element("room").translate = !name;
        this.title = name ? sentence("title.room", { room: isolated(name) }) : this.title ?? sentence("title");
        if (!this.isStarted) this.entitle(this.title);
        this.game = game;
        say("game", game ? sentence("start.game", { game: isolated(game) }) : "");
        show("game", Boolean(game));
        show("look-up", Boolean(game));
    }

    started() {
        this.isStarted = true;
        show("welcome", false);
        show("forget", false);
        show("status", true);
        this.goOn();
    }

    /** Who goes by keyboard, or by ear, goes on where that stands which came in the place of what they pressed. */
    goOn() {
        if (!isFocusHidden()) return;
        const next = ["trouble", "status"].map(element).find(({ hidden }) => !hidden);
        next?.focus({ preventScroll: true });
    }

    /**
     * @param {{start: () => void, rezero: () => void, leave: () => void, forget: () => void,
     *     retry: (details?: object) => void}} hooks
     */
    on({ start, rezero, leave, forget, retry }) {
        const click = (id, action) => element(id).addEventListener("click", action);
        click("start", start);
        click("rezero", () => { rezero(); announce(sentence("seated.rezeroDone")); });
        click("leave", leave);
        click("forget", forget);
        click("again", () => retry());
        click("retry", () => retry());
        click("reload", () => location.reload());
        click("sensor-again", () => location.reload());
        click("rename", () => this.openRename());
        click("rename-cancel", () => element("rename-dialog").close());
        element("code-form").addEventListener("submit", (event) => {
            event.preventDefault();
            this.takeCode(element("code"), retry);
        });
        element("code").addEventListener("input", () => element("code").setCustomValidity(""));
        element("new-name").addEventListener("input", () => this.judgeName());
        element("rename-form").addEventListener("submit", () => retry({ name: element("new-name").value.trim() }));
    }

    /** A slip of the finger is told here: the room counts every code that it is asked about. */
    takeCode(field, retry) {
        const signs = tidyCode(field.value).replace("-", "");
        const fault = signs.length === 8 ? "" : sentence("code.length", { count: signs.length });
        field.setCustomValidity(fault);
        if (!field.reportValidity()) return;
        this.hasTyped = true;
        retry({ code: field.value });
    }

    /** Whoever saves a name that no room takes is told so here. */
    judgeName() {
        const field = element("new-name");
        const length = new TextEncoder().encode(field.value.trim()).length;
        field.setCustomValidity(length > LONGEST_NAME ? sentence("rename.long") : "");
    }

    openRename() {
        element("new-name").value = this.name;
        this.judgeName();
        show("rename-dialog", true);
        element("rename-dialog").showModal();
        element("new-name").select();
    }

    /** What became of the question for motion, and of the sensor: "silent" while it has stopped. */
    sensor(permission) {
        const trouble = sensorTrouble(permission);
        if (this.lacksMotion && !trouble) {
            show("level", true);
            show("rezero", true);
        }
        this.lacksMotion = Boolean(trouble);
        this.untold = trouble;
        if (!trouble && !this.isPad) return;
        element("buttons").open = true;
        if (!trouble) return;
        say("sensor-title", trouble.title);
        say("sensor-text", trouble.text);
        show("sensor-again", trouble.again !== null);
        say("sensor-again", trouble.again ?? "");
        // Nothing moves: there is no level to show, and no way to hold it.
        show("level", false);
        show("rezero", false);
    }

    /** Whether the screen may go dark by itself. */
    sleepy(isSleepy) { show("sleepy", isSleepy && !this.isPad); }

    /** @param {import("../session.js").Session} session */
    update(session) {
        if (!this.isStarted) return;
        const { seat, trouble, state } = session;
        // What keeps the phone out stands while the page asks again by itself: nothing vanishes under a finger.
        const isOut = trouble !== null;
        document.querySelector("main").dataset.state = state;
        document.querySelector("main").toggleAttribute("data-seated", Boolean(seat));
        show("badge", Boolean(seat));
        show("controls", Boolean(seat) || state === "waiting");
        show("sensor-trouble", Boolean(seat) && this.lacksMotion);
        if (this.device) this.device.parentElement.hidden = !seat;
        show("status", !isOut);
        show("recorded", seat?.recorded === true);
        show("retry", state === "reconnecting" && !seat);
        const isQueued = state === "waiting" && session.place !== null;
        if (isQueued) element("status").dataset.place = session.place; else delete element("status").dataset.place;
        show("trouble", isOut);
        show("forget", isOut && Boolean(trouble.isOver) && !this.isPad);
        if (seat) this.showSeat(seat, session.hello); else this.entitle(this.title);
        if (isOut) this.showTrouble(trouble, session);
        this.goOn();
        const { text, kind, advice } = this.isAsking
            ? { text: sentence("sensor.asked"), kind: "muted", advice: "" } : connectionInWords(session, performance.now());
        say("connection", text);
        element("connection").className = `state ${kind}`;
        say("advice", advice || (seat ? this.lookUp : sentence("seated.keepOpen")));
        show("advice", element("advice").textContent !== "");
        const isIn = !isOut && seat && session.isSeated;
        this.tell(isOut ? inOneBreath(trouble) : isIn
            ? this.greeting(seat) : text, isIn && this.untold);
    }

    greeting({ player, name, recorded }) {
        const you = sentence("player.you", { number: player, name: isolated(name) });
        return recorded === true ? `${you} ${sentence("seated.recorded")}` : you;
    }

    get lookUp() {
        return this.game && !this.isPad ? sentence("seated.lookUp", { game: isolated(this.game) }) : "";
    }

    showSeat({ player, name, color }, { name: room, names }) {
        say("number", String(player));
        document.documentElement.style.setProperty("--digits", String(player).length);
        say("name", name);
        say("where", room);
        paint(color);
        // An old browser has no such window.
        show("rename", names === "free" && "showModal" in element("rename-dialog"));
        this.entitle(`P${player} ${isolated(name)} – ${isolated(room)}`);
        this.name = name;
    }

    /** Names the page, only where that changed: a translated name stays. */
    entitle(title) {
        if (title !== this.entitled) document.title = this.entitled = title;
    }

    showTrouble({ title, text, offer, again }, { state, retryAt }) {
        say("trouble-title", title);
        say("trouble-text", text);
        const more = state === "stopped" ? untilRetry(retryAt, performance.now()) : sentence("again.trying");
        show("trouble-more", more !== "");
        say("trouble-more", more);
        show("code-form", offer === "code");
        // It was hidden while the room was asked, which took the focus, and the keyboard, away from who types.
        const isFocusLost = document.activeElement === document.body || isFocusHidden();
        if (this.hasTyped && offer === "code" && isFocusLost) element("code").focus();
        if (state === "stopped") this.hasTyped = false;
        show("again", offer === "again");
        say("again", again ?? sentence("again"));
        show("reload", offer === "reload");
    }

    /** To screen readers, when the meaning changes, not with every figure; and what the sensor lacks, once. */
    tell(text, lack) {
        const meaning = text.replace(/\d+([.,]\d+)? s/g, "");
        const news = [...(meaning === this.told ? [] : [text]), ...(lack ? [inOneBreath(lack)] : [])];
        if (news.length === 0) return;
        this.told = meaning;
        announce(news.join(" "));
        if (lack) this.untold = null;
    }

    /** A virtual phone is not turned with the screen that shows it. */
    level(up) { if (!element("level").hidden) level(up, this.isPad ? 0 : turned()); }

    /** Where a virtual phone is dragged: made when it is needed. */
    stage() {
        this.device = Object.assign(document.createElement("div"), { className: "device", translate: false });
        const stage = Object.assign(document.createElement("div"), { className: "stage", id: "stage", tabIndex: 0 });
        stage.setAttribute("role", "application");
        stage.setAttribute("aria-label", sentence("pad.tilt"));
        stage.append(this.device);
        element("status").after(stage);
        return stage;
    }

    turn({ pitch, roll, yaw }) {
        this.device.style.transform = `rotateX(35deg) rotateZ(${-yaw}rad) rotateX(${-pitch}rad) rotateY(${roll}rad)`;
        const number = element("number").textContent;
        if (this.device.textContent !== number) this.device.textContent = number;
    }
}
