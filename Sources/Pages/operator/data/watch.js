// What the page knows of the room: events as they happen, figures once a second while somebody looks.

import { join } from "/roomful.js";
import { Motions } from "./motions.js";
import { Patience } from "./patience.js";

const PERIOD = 1000;  // ms

/** Tells of `status` (a RoomStatus), `site` (a SiteOverview), `line` (is the host there), `event`, `refused`, and keeps
 * everyone's motion. */
export class Watch extends EventTarget {
    status = null;
    /** The newest SiteOverview, in a site. */
    site = null;
    motions = new Motions();
    #isAsking = false;
    #isAskingSite = false;
    #patience = new Patience();

    /** @param {?string} elsewhere another room of the site, by its id, in place of this host's */
    constructor(token, seats, elsewhere = null) {
        super();
        this.elsewhere = elsewhere;
        // Sixty players at sixty a second would keep a tablet busy with what no eye can follow.
        this.room = join({
            token, motion: true, motionRate: seats > 12 ? 12 : 30, room: elsewhere ?? undefined });
        this.room.on("*", (event) => this.#receive(event));
        this.room.on("status", (line) => this.#tell(line === "refused" ? "refused" : "line", line));
        this.timer = setInterval(() => this.#look(), PERIOD);
        document.addEventListener("visibilitychange", () => this.#look());
        this.#look();
    }

    /** Gives a command; throws RoomError in plain words. What it changed is looked at at once. */
    async send(command) {
        const answer = await this.room.send(command);
        this.refresh();
        return answer;
    }

    /** Whether the token is the operator's: a game's may look on, but decide nothing. */
    async mayOperate() {
        // Only the operator may ask whether the evening is recorded.
        const answer = await this.room.send({ task: "recordStatus" }).catch((error) => error);
        return answer.code !== "notAllowed";
    }

    /** The site's rooms beside the one that is shown, as they speak now. */
    get otherRooms() {
        const shown = this.status?.room ?? this.elsewhere;
        const heard = (this.site?.rooms ?? []).filter(({ silentForMs }) => (silentForMs ?? null) === null);
        return heard.map(({ room }) => room).filter(({ room, isClosing }) => room !== shown && !isClosing);
    }

    /** A question that changes nothing. */
    ask(command) { return this.room.send(command); }

    #look() {
        this.refresh();
        this.#refreshSite();
    }

    /** How the whole site stands, also while a room of it does not answer. */
    async #refreshSite() {
        if (document.hidden || this.#isAskingSite || !(this.elsewhere || this.status?.site)) return;
        this.#isAskingSite = true;
        try {
            this.site = (await this.room.send({ task: "site" })).site;
            this.#tell("site", this.site);
        } catch {
            // As below.
        } finally {
            this.#isAskingSite = false;
        }
    }

    async refresh() {
        if (document.hidden || this.#isAsking || this.room.status !== "live") return;
        this.#isAsking = true;
        try {
            this.status = (await this.room.send({ task: "status", minute: true })).status;
            this.#bePatient(this.status.peers);
            this.motions.keep(new Set(this.status.peers.map((peer) => peer.player)));
            this.#tell("status", this.status);
        } catch {
            // The connection itself says when the host is gone.
        } finally {
            this.#isAsking = false;
        }
    }

    #bePatient(peers) {
        const all = peers.map(({ controller, recent }) => ({ controller, faults: recent?.faults ?? [] }));
        this.#patience.standing(all).forEach((faults, place) => {
            if (peers[place].recent) peers[place].recent.faults = faults;
        });
    }

    #receive(event) {
        if (event.type === "motion") return this.motions.add(event);
        if (event.type === "gesture") this.motions.mark(event);
        if (event.type === "hello" && this.openedAt !== event.openedAt) {
            this.motions.clear();  // Another opening: its clock began anew.
            this.openedAt = event.openedAt;
        }
        this.#tell("event", event);
    }

    #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }
}
