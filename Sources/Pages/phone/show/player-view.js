// The page of one player, from the welcome to the seat and whatever may come between.

import { announce, element, level, paint, say, show } from "./page.js";
import { SENSOR_TROUBLE, connectionInWords } from "./words.js";

export class PlayerView {
    constructor(isPad) {
        this.isPad = isPad;
        this.isStarted = false;
        this.told = "";
        document.querySelector("main").classList.toggle("pad", isPad);
    }

    /** Before Start. */
    welcome({ ticket, isReturning }) {
        say("room", ticket.room ?? "the room");
        document.title = ticket.room ? `${ticket.room} – controller` : "Controller";
        if (isReturning) say("start", "Continue");
    }

    started() {
        this.isStarted = true;
        show("welcome", false);
        show("status", true);
    }

    /** @param {{start: () => void, rezero: () => void, leave: () => void, retry: (details?: object) => void}} hooks */
    on({ start, rezero, leave, retry }) {
        const click = (id, action) => element(id).addEventListener("click", action);
        click("start", start);
        click("rezero", () => { rezero(); announce("Straight ahead is set."); });
        click("leave", leave);
        click("again", () => retry());
        click("reload", () => location.reload());
        click("sensor-again", () => location.reload());
        click("rename", () => this.openRename());
        click("rename-cancel", () => element("rename-dialog").close());
        element("code-form").addEventListener("submit", (event) => {
            event.preventDefault();
            retry({ code: element("code").value });
        });
        element("rename-form").addEventListener("submit", () => retry({ name: element("new-name").value.trim() }));
    }

    openRename() {
        element("new-name").value = element("name").textContent;
        element("rename-dialog").showModal();
        element("new-name").select();
    }

    /** What became of the question for motion. */
    sensor(permission) {
        const trouble = SENSOR_TROUBLE[permission];
        show("sensor-trouble", Boolean(trouble));
        if (!trouble && !this.isPad) return;
        element("buttons").open = true;
        if (!trouble) return;
        say("sensor-title", trouble.title);
        say("sensor-text", trouble.text);
        show("sensor-again", Boolean(trouble.canAsk));
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
        const isStopped = state === "stopped";
        document.querySelector("main").dataset.state = state;
        document.querySelector("main").toggleAttribute("data-seated", Boolean(seat));
        show("badge", Boolean(seat));
        show("controls", Boolean(seat) && !isStopped);
        show("status", !isStopped);
        show("trouble", isStopped);
        if (seat) this.showSeat(seat, session.hello);
        if (isStopped) this.showTrouble(trouble);
        const { text, kind, advice } = connectionInWords(session, performance.now());
        say("connection", text);
        element("connection").className = `state ${kind}`;
        say("advice", advice || (seat ? "" : "Keep this page open."));
        show("advice", element("advice").textContent !== "");
        this.tell(isStopped ? `${trouble.title}. ${trouble.text}` : seat && session.isSeated
            ? `You are player ${seat.player}, ${seat.name}.` : text);
    }

    showSeat({ player, name, color }, { name: room, names }) {
        say("number", String(player));
        say("name", name);
        say("where", room);
        paint(color);
        show("rename", names === "free");
        document.title = `P${player} ${name} – ${room}`;
    }

    showTrouble({ title, text, offer, retryIn }) {
        say("trouble-title", title);
        say("trouble-text", text);
        show("trouble-more", Boolean(retryIn));
        say("trouble-more", retryIn ? "Trying again by itself…" : "");
        show("code-form", offer === "code");
        show("again", offer === "again");
        show("reload", offer === "reload");
    }

    /** To screen readers, when the meaning changes, not with every figure. */
    tell(text) {
        const meaning = text.replace(/\d+(\.\d+)? s/g, "");
        if (meaning === this.told) return;
        this.told = meaning;
        announce(text);
    }

    level(up) { if (!element("level").hidden) level(up); }

    /** Where a virtual phone is dragged: made when it is needed. */
    stage() {
        this.device = Object.assign(document.createElement("div"), { className: "device" });
        const stage = Object.assign(document.createElement("div"), { className: "stage", id: "stage", tabIndex: 0 });
        stage.setAttribute("role", "application");
        stage.setAttribute("aria-label", "Virtual phone: drag, or press the arrow keys, to tilt it");
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
