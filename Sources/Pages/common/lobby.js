// The way into a game, on its big screen: the room's QR code, who is here, who is ready, and the countdown. Elements of
// their own (shadow trees), so that no page's styles and theirs meet; roomful.js hands them to makers of games.

import { language, sentence } from "./language.js";
import { isolated, write } from "./names.js";
import { shapeOf } from "./shape.js";
import { inkOn } from "./ink.js";
import { qrSource } from "./qr.js";

const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
};

/** An element with a tree and a stylesheet of its own, from beside this module. */
function rooted(name, ...children) {
    const element = Object.assign(document.createElement(name), { lang: language });
    const href = new URL("lobby.css", import.meta.url).href;
    // To a page of another server (`--allow-origin`) a room gives it only where it is asked for across origins.
    const sheet = make("link", { rel: "stylesheet", crossOrigin: "anonymous", href });
    element.attachShadow({ mode: "open" }).append(sheet, ...children);
    return element;
}

/**
 * How to join: the QR code, the address and the code that can be typed instead, and how many seats are free. Where the
 * room does not show its ticket to this page, it says where the code is to be seen. Whoever sees the screen can join.
 *
 * @param {object} room what `join` returned
 * @param {{side?: boolean, small?: boolean, corner?: boolean}} [options] `side`: the words stand beside the code; `small`:
 *   the code alone, gone while every seat is taken (`change` is told then); `corner`: that, in the screen's corner
 * @returns {HTMLElement} to be put anywhere; its width is `--join-size`
 */
export function joinCode(room, { side = false, corner = false, small = corner } = {}) {
    const parts = {
        image: make("img", { className: "qr", hidden: true }), how: make("p", { className: "how" }),
        typed: make("p", { className: "typed" }), warning: make("p", { className: "fine" }),
        seats: make("p", { className: "fine" }),
    };
    const className = ["join", side && "side", small && "small", corner && "corner"].filter(Boolean).join(" ");
    const box = make("div", { className }, ...Object.values(parts));
    const element = rooted("roomful-join", box);
    let ticket = null;

    async function ask() {
        // Where it was not asked, or only the connection failed, what was shown stays.
        ticket = await room.send({ task: "ticket" })
            .catch(({ code }) => (["noAnswer", "connectionBroke", "tooOften"].includes(code) ? ticket : null));
        element.dataset.code = ticket?.qr ? "shown" : "elsewhere";
        parts.image.hidden = !ticket?.qr;
        if (ticket?.qr) parts.image.src = qrSource(ticket.qr);
        parts.image.alt = sentence("lobby.code", { room: room.hello.room });
        write(parts.how, sentence(ticket?.qr ? "lobby.scan" : "lobby.elsewhere"));
        const [address, code] = [ticket?.url?.split("#")[0].replace(/\/$/, ""), ticket?.code];
        write(parts.typed, !address ? "" : code
            ? sentence("lobby.openAndType", { address: isolated(address), code: isolated(code) })
            : sentence("lobby.open", { address: isolated(address) }));
        write(parts.warning, ticket?.warns ? sentence("lobby.warning") : "");
        count();
    }

    function count() {
        const seats = room.hello?.seats ?? 0;
        // A seat is a controller's: where the room is collaborative, all are one player's.
        const taken = [...room.players.values()].reduce((sum, { controllers }) => sum + controllers.length, 0);
        const free = Math.max(0, seats - taken);
        write(parts.seats, free === 0 ? sentence("lobby.full") : sentence("lobby.free", { free, seats }));
        const isHidden = small && (free === 0 || !ticket?.qr);
        if (isHidden === element.hidden) return;
        element.hidden = isHidden;
        element.dispatchEvent(new Event("change"));
    }

    element.hidden = small;
    const ends = [room.on("hello", ask), room.on("changed", ask), room.on("player", count)];
    // The host may be at another address by then. That is no event, for which games would begin anew.
    const timer = setInterval(() => { if (ticket && room.status === "live") ask(); }, 30_000);
    element.end = () => { clearInterval(timer); ends.forEach((end) => end()); element.remove(); };
    if (room.hello) ask();
    return element;
}

/**
 * A lobby: how to join, who is here, who is ready, and the countdown to the game.
 *
 *     document.body.append(lobby(room, { begin: (players) => start(players) }));
 *
 * @param {object} room what `join` returned
 * @param {object} [options]
 * @param {string} [options.gesture] by which players say that they are ready
 * @param {number} [options.others] ms for which the others are waited for, from the first who is ready on
 * @param {number} [options.countdown] ms
 * @param {(players: number[]) => void} [options.begin] called when the countdown is over; the lobby hides then, until
 *   `open()` is called on it
 * @returns {HTMLElement}
 */
export function lobby(room, { gesture = "jump", others = 15_000, countdown = 3_000, begin = () => {} } = {}) {
    const list = make("ul");
    list.setAttribute("aria-label", sentence("game.players"));
    const prompt = make("p", { className: "prompt" });
    prompt.setAttribute("role", "status");
    const door = joinCode(room);
    const element = rooted("roomful-lobby", make("div", { className: "lobby" }, door, list, prompt));
    /** Number -> when it said so, in the room's time. */
    let ready = new Map();
    let startsAt = null;

    const present = () => [...room.players.values()].filter((one) => one.state !== "lost")
        .sort((a, b) => a.player - b.player);

    function show() {
        list.replaceChildren(...present().map(({ player, name, color }) => {
            const badge = make("b", { textContent: `P${player}` });
            badge.style.background = color;
            badge.style.color = inkOn(color);
            const item = make("li", {}, badge, make("bdi", { textContent: name }));
            Object.assign(item.dataset, { player, shape: shapeOf(player), ready: ready.has(player) });
            if (ready.has(player)) item.append(make("span", { textContent: `✓ ${sentence("lobby.ready")}` }));
            return item;
        }));
        tell();
    }

    /** What is to be done now; asked for ten times a second, as it counts. */
    function tell() {
        if (element.hidden) return;
        const now = room.now();
        const left = (until) => Math.max(0, Math.ceil((until - now) / 1000));
        // Nothing begins with nobody: who is lost stays ready, and may be back.
        const isAnyoneReady = present().some((one) => ready.has(one.player));
        if (!isAnyoneReady) startsAt = null;
        const since = Math.min(...ready.values());
        if (isAnyoneReady && startsAt === null && now >= since + others) startsAt = now + countdown;
        element.dataset.phase = startsAt !== null ? "countdown" : isAnyoneReady ? "waiting" : "open";
        if (startsAt !== null && now >= startsAt) return close();
        write(prompt, startsAt !== null ? String(left(startsAt))
            : isAnyoneReady ? sentence("lobby.startsIn", { seconds: left(since + others) })
            : sentence(present().length > 0 ? "lobby.jump" : "lobby.nobody"));
    }

    function close() {
        element.hidden = true;
        begin([...ready.keys()].sort((a, b) => a - b));
    }

    const ends = [
        room.on("hello", () => { ready = new Map(); startsAt = null; show(); }),
        room.on("player", ({ player }) => {
            if (!room.players.has(player)) ready.delete(player);
            show();
        }),
        room.on("gesture", ({ gesture: made, phase, player, at }) => {
            if (made !== gesture || phase !== "began" || element.hidden || startsAt !== null) return;
            // Made while this page was cut off, and told afterwards.
            if (at < room.hello.at) return;
            ready.set(player, at);
            if (present().every((one) => ready.has(one.player))) startsAt = room.now() + countdown;
            show();
        }),
    ];
    const timer = setInterval(tell, 100);
    element.open = () => { ready = new Map(); startsAt = null; element.hidden = false; show(); };
    element.end = () => { clearInterval(timer); [...ends, door.end].forEach((end) => end()); element.remove(); };
    show();
    return element;
}
