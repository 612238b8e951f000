// The rooms of a site: who is where, how well, and what is wrong. One of them is the room that the page shows; any other is
// opened by its name, by way of this host.

import { decimal, sentence, withCode } from "/common/language.js";
import { isolated } from "/common/names.js";
import * as format from "../figures/format.js";
import { byId, make, say } from "./make.js";

/** Rooms whose troubles are told; each row tells that there are some. */
const SHOWN = 8;

export class SiteRooms {
    #rows = new Map();
    #silent = null;
    #troubles = "";

    /** @param {(text: string) => void} announce tells a screen reader */
    constructor(announce) { this.announce = announce; }

    /** @param {object} site a SiteOverview  @param {?string} shown the room that the page shows */
    show(site, shown) {
        byId("site").hidden = false;
        const rooms = [
            ...site.rooms.map(({ room, silentForMs }) => ({ ...room, silentForMs: silentForMs ?? null })),
            ...site.absent.map((room) => ({ ...room, isAbsent: true })),
        ];
        this.#showSummary(site, rooms);
        this.#showProblem(site);
        const here = new Set(rooms.map(({ room }) => room));
        for (const [id, row] of this.#rows) {
            if (here.has(id)) continue;
            row.element.remove();
            this.#rows.delete(id);
        }
        const body = byId("site-rows");
        rooms.forEach((room, place) => {
            if (!this.#rows.has(room.room)) this.#rows.set(room.room, new Row(room.room));
            const row = this.#rows.get(room.room);
            row.show(room, { mayOpen: site.opensRooms, isShown: room.room === shown });
            if (body.children[place] !== row.element) body.insertBefore(row.element, body.children[place] ?? null);
        });
        byId("site-scroll").hidden = rooms.length === 0;
        this.#showTroubles(rooms);
        this.#announceSilence(rooms);
    }

    #showSummary(site, rooms) {
        say(byId("site-title"), sentence("site.title", { site: site.site }));
        const [players, silent] = [sum(rooms.map(({ playing }) => playing ?? 0)), rooms.filter(isSilent).length];
        const values = { rooms: rooms.length, players, silent };
        say(byId("site-count"), sentence(silent > 0 ? "site.countSilent" : "site.count", values));
    }

    #showProblem(site) {
        const { problem } = site;
        byId("site-problem").hidden = !problem;
        if (problem) say(byId("site-problem"), sentence("site.away", { problem: isolated(problem) }));
        const note = site.rooms.length === 0 && !problem ? "site.listening" : site.opensRooms ? null : "site.onlyShown";
        byId("site-note").hidden = note === null;
        if (note) byId("site-note").replaceChildren(...withCode(sentence(note)));
    }

    /** What is wrong in the rooms' own words. */
    #showTroubles(rooms) {
        const all = rooms.filter((room) => !isSilent(room) && !room.isClosing).flatMap((room) => {
            const lost = room.buffer?.lost ? [sentence("site.lost", { number: decimal(room.buffer.lost) })] : [];
            const first = room.problems.slice(0, 1);
            return [...first, ...lost].map((text) => ({ name: room.name, text, others: room.problems.length - 1 }));
        });
        const key = JSON.stringify(all);
        if (key === this.#troubles) return;
        this.#troubles = key;
        byId("site-troubles").replaceChildren(...all.slice(0, SHOWN).map(({ name, text, others }) => make("li", {},
            make("strong", {}, isolated(name)), ": ", make("bdi", {}, text),
            make("span", { class: "muted" }, others > 0 ? ` ${sentence("operator.othersToo", { count: others })}` : ""))));
    }

    /** Rooms that fall silent, or are heard again, are told to who does not see it. */
    #announceSilence(rooms) {
        const silent = new Map(rooms.filter(isSilent).map(({ room, name }) => [room, name]));
        const before = this.#silent;
        this.#silent = silent;
        if (before === null) return;
        const heard = new Map(rooms.map(({ room, name }) => [room, name]));
        const told = [
            ...[...silent].filter(([id]) => !before.has(id)).map(([, name]) => ["site.fellSilent", name]),
            ...[...before].filter(([id]) => heard.has(id) && !silent.has(id)).map(([, name]) => ["site.heardAgain", name]),
        ];
        if (told.length > 0) this.announce(told.map(([key, name]) => sentence(key, { room: isolated(name) })).join(" "));
    }
}

class Row {
    constructor(id) {
        this.link = make("a", { class: "name", href: `?room=${encodeURIComponent(id)}` });
        this.name = make("span", { class: "name" });
        this.host = make("small", {});
        this.players = make("td", {});
        this.waiting = make("td", { class: "spare" });
        this.quality = make("td", { class: "spare" });
        this.state = make("span", { class: "state" });
        this.element = make("tr", { "data-room": id }, make("th", { scope: "row" }, this.link, this.name, this.host),
            this.players, this.waiting, this.quality, make("td", {}, this.state));
    }

    show(room, { mayOpen, isShown }) {
        const isOpen = !room.isClosing && !room.isAbsent;
        this.link.hidden = isShown || !mayOpen || !isOpen;
        this.name.hidden = !this.link.hidden;
        for (const element of [this.link, this.name]) say(element, isolated(room.name));
        say(this.host, isolated(room.host));
        if (isShown) this.element.setAttribute("aria-current", "page"); else this.element.removeAttribute("aria-current");
        say(this.players, room.isAbsent ? "–" : `${decimal(room.playing)}/${decimal(room.seats)}`);
        say(this.waiting, room.isAbsent ? "–" : decimal(room.waiting));
        const known = (room.players ?? []).map(({ quality }) => quality ?? null).filter((quality) => quality !== null);
        say(this.quality, format.percent(known.length > 0 ? Math.min(...known) : null));
        const [words, kind] = stateOf(room);
        say(this.state, words);
        this.state.className = `state ${kind}`;
    }
}

const isSilent = (room) => room.isAbsent === true || (room.silentForMs !== null && !room.isClosing);

const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);

/** In a word, and how grave it is. */
function stateOf(room) {
    if (room.isAbsent) return [sentence("site.absent", { time: isolated(whenTold(room.lastToldAt)) }), "bad"];
    if (room.isClosing) return [sentence("site.closed"), "muted"];
    if (room.silentForMs !== null) return [sentence("site.silent", { time: format.duration(room.silentForMs) }), "bad"];
    if (room.isLocked) return [sentence("site.isLocked"), "warn"];
    if (room.freeSeats === 0) return [sentence("site.full"), "warn"];
    return [sentence("site.open"), room.problems.length > 0 ? "warn" : "good"];
}

/** A moment on the wall's clock, as figures. */
function whenTold(text) {
    const time = new Date(text);
    return Number.isNaN(time.getTime()) ? text : time.toLocaleString("sv-SE");
}
