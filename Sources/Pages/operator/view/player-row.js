// One player's row: who, how it moves, and how its link, delay, samples and clock stand.

import { decimal, sentence, sentenceOr } from "/common/language.js";
import { shapeOf } from "/common/shape.js";
import * as format from "../figures/format.js";
import { Sparkline } from "../figures/sparkline.js";
import { pushes } from "../data/motions.js";
import { make, say } from "./make.js";
import { drawSmall } from "./trace.js";

const LINKS = { good: "good", poor: "warn", silent: "bad" };
/** States of a seat that are worth a word. */
export const SEATS = {
    reserved: () => sentence("players.expected"), lost: () => sentence("players.lost"),
    released: () => sentence("players.leaving"),
};

export class PlayerRow {
    constructor(animation, motionOf, onChoice) {
        Object.assign(this, { animation, motionOf });
        this.number = make("span", { class: "number" });
        this.name = make("bdi", { class: "name" });
        this.button = make(
            "button", { type: "button", class: "who-button", tabindex: "-1", onclick: onChoice },
            this.number, this.name);
        this.seat = make("span", { class: "seat" });
        this.facts = make("span");
        this.canvas = make("canvas", { role: "img", class: "small-trace" });
        this.link = make("span", { class: "state" });
        this.loss = make("small", { class: "muted" });
        this.losses = new Sparkline({ least: 0.1, kind: "loss" });
        this.delay = make("span");
        this.queueing = new Sparkline({ least: 20, kind: "queueing" });
        this.queued = make("small", { class: "muted" });
        this.samples = make("span");
        this.missed = make("small", { class: "muted" });
        this.clock = make("span");
        this.clockError = make("small", { class: "muted" });
        this.element = make("tr", {},
            make("th", { scope: "row" }, this.button, make("small", { class: "muted" }, this.seat, this.facts)),
            make("td", { class: "motion" }, this.canvas),
            make("td", { class: "link" }, this.link, this.losses.element, this.loss),
            make("td", { class: "delay" }, this.delay, this.queueing.element, this.queued),
            make("td", { class: "samples" }, this.samples, this.missed),
            make("td", { class: "clock" }, this.clock, this.clockError));
        animation.add(this.canvas, () => {
            if (!this.peer) return;
            const { player, color } = this.peer;
            drawSmall(this.canvas, motionOf.of(player), motionOf.now(), format.color(color), motionOf.colors());
        });
    }

    mark(isChosen) {
        this.element.classList.toggle("is-chosen", isChosen);
        this.button.tabIndex = isChosen ? 0 : -1;
        this.button.setAttribute("aria-pressed", isChosen);
    }

    show(peer) {
        this.peer = peer;
        const { recent } = peer;
        say(this.number, `P${peer.player}`);
        this.number.dataset.shape = shapeOf(peer.player);
        this.number.style.background = format.color(peer.color);
        this.number.style.color = format.inkOn(peer.color);
        say(this.name, peer.name);
        const troubles = recent?.faults.length ?? 0;
        const facts = [SEATS[peer.state]?.(), troubles ? sentence("players.care") : ""].filter(Boolean);
        // A row among many has room for what is out of the ordinary alone.
        say(this.seat, sentence("players.seat", { seat: peer.seat }) + (facts.length > 0 ? " · " : ""));
        say(this.facts, facts.join(" · "));
        this.element.classList.toggle("is-troubled", troubles > 0);
        this.#showLink(peer, recent);
        say(this.delay, recent?.delayMs === undefined ? sentence("players.unknown")
            : format.milliseconds(recent.delayMs));
        this.queueing.show(recent?.queueingMs ?? []);
        const worst = Math.max(0, ...(recent?.queueingMs ?? []).map((value) => value ?? 0));
        // Less than a few samples' time is nothing out of the ordinary.
        this.queued.classList.toggle("is-usual", worst < 50);
        say(this.queued, recent ? sentence("players.queued", { time: format.milliseconds(worst) }) : "");
        say(this.samples, format.count(peer.samples.delivered));
        const [late, missing] = [peer.samples.late, peer.samples.missing].map(format.count);
        say(this.missed, sentence("players.lateMissing", { late, missing }));
        this.missed.classList.toggle("is-usual", !peer.samples.late && !peer.samples.missing);
        say(this.clock, sentenceOr(`clock.${peer.clock.state}`, peer.clock.state));
        const error = peer.clock.uncertaintyMs;
        say(this.clockError, error === undefined ? "" : `± ${format.milliseconds(error)}`);
        this.canvas.setAttribute("aria-label", motionWords(this.motionOf.of(peer.player), this.motionOf.now()));
    }

    end() {
        this.animation.remove(this.canvas);
        this.element.remove();
    }

    #showLink(peer, recent) {
        const transport = peer.transport;
        const quality = peer.quality === undefined ? "" : ` ${format.percent(peer.quality)}`;
        say(this.link, sentenceOr(`state.${peer.link}`, peer.link) + quality);
        this.link.className = `state ${LINKS[peer.link] ?? ""}`;
        const counts = peer.datagrams.missing !== null && peer.datagrams.missing !== undefined;
        this.losses.element.toggleAttribute("hidden", !counts);
        this.losses.show(recent?.lost ?? []);
        const lost = counts
            ? sentence("players.shareLost", { share: format.percent(format.lossOf(peer.datagrams) ?? 0) })
            : sentence("players.noLoss");
        say(this.loss, `${transport} · ${lost}`);
        this.loss.title = sentence(counts ? "players.lossOfAll"
            : transport === "legacy" ? "players.lossLegacy" : "players.lossReliable");
    }
}

/** A trace in words. */
export function motionWords(kept, now) {
    const push = pushes(kept, now);
    if (!push) return sentence("players.noMotion");
    const values = { now: decimal(push.now, 1), most: decimal(push.most, 1) };
    return sentence(kept.stale ? "players.lastPushed" : "players.pushed", values);
}
