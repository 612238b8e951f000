// The operator's page: the token first, then the room as it lives.

import { readPage, sentence, withCode } from "/common/language.js";
import { isolated, plain } from "/common/names.js";
import { forgetToken, keepToken, takeToken, tokenIn, tryToken } from "./data/access.js";
import { announcement } from "./data/event-words.js";
import { Watch } from "./data/watch.js";
import { Animation } from "./view/animation.js";
import { Chosen } from "./view/chosen.js";
import { Deeds } from "./view/deeds.js";
import { Feed } from "./view/feed.js";
import { listenForKeys } from "./view/keys.js";
import { Latency } from "./view/latency.js";
import { byId, say } from "./view/make.js";
import { Players } from "./view/players.js";
import { RoomBar } from "./view/room-bar.js";
import { SiteRooms } from "./view/site-rooms.js";
import { Ticket } from "./view/ticket.js";
import { palette } from "./view/trace.js";

readPage();

const LATENCY_PERIOD = 2000;  // ms

/** Another room of the site, by its id: this page then shows that one, by way of this host. */
const elsewhere = new URLSearchParams(location.search).get("room");

/** Asks for the token, with why. */
function askForToken(why) {
    byId("bar").hidden = byId("room").hidden = byId("no-answer").hidden = true;
    byId("access").hidden = false;
    say(byId("access-text"), why);
    byId("token").value = "";
    byId("token").focus();
}

async function enter(token) {
    const status = await tryToken(token);
    if (status === "unreachable") {
        byId("no-answer").hidden = false;
        return void setTimeout(() => enter(token), 2000);
    }
    byId("no-answer").hidden = true;
    if (status !== "wrong") return open(token, status.seats);
    forgetToken();
    askForToken(sentence("token.unknown"));
}

function open(token, seats) {
    const watch = new Watch(token, seats, elsewhere);
    byId("access").hidden = true;
    let colors = palette();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { colors = palette(); });
    const motionOf = { of: (player) => watch.motions.of(player), now: () => watch.room.now(), colors: () => colors };
    const name = (player) => watch.room.players.get(player)?.name
        ?? watch.status?.peers.find((peer) => peer.player === player)?.name ?? `P${player}`;
    const named = (player) => `P${player} ${isolated(name(player))}`;

    const animation = new Animation();
    const chosen = new Chosen(animation, motionOf);
    const latency = new Latency();
    const players = new Players(animation, motionOf, () => { showChosen(); showLatency(); });
    const deeds = new Deeds(watch, () => chosen.peer);
    const bar = new RoomBar((task, who) => deeds.do({ task, who }));
    const feed = new Feed(named);
    const ticket = new Ticket(watch);
    const rooms = new SiteRooms((text) => { byId("live").textContent = plain(text); });

    function showChosen() {
        chosen.show(watch.status?.peers.find((peer) => peer.controller === players.chosen) ?? null);
    }

    async function showLatency() {
        if (document.hidden || watch.room.status !== "live") return;
        const controller = players.chosen;
        const answer = controller && await watch.ask({ task: "latency", who: controller }).catch(() => null);
        if (controller === players.chosen) latency.show(answer?.latency?.[0] ?? null);
    }

    watch.addEventListener("status", ({ detail: status }) => {
        byId("bar").hidden = byId("room").hidden = false;
        players.show(status);
        bar.show(status);
        showChosen();
    });
    watch.addEventListener("site", ({ detail: site }) => {
        const shown = watch.status?.room ?? elsewhere;
        rooms.show(site, shown);
        byId("move").hidden = watch.otherRooms.length === 0;
        bar.machine = elsewhere && (site.rooms.find(({ room }) => room.room === shown)?.room.host ?? null);
    });
    watch.addEventListener("line", ({ detail: line }) => {
        byId("no-answer").hidden = line === "live";
        document.body.classList.toggle("is-away", line !== "live");
        if (line !== "live") return;
        watch.refresh().then(showLatency);
        watch.mayOperate().then((may) => {
            if (may) return;
            byId("refusal-text").replaceChildren(...withCode(sentence("token.games")));
            byId("refusal").hidden = false;
        });
    });
    // The token is kept: with it the page finds out anew, and says, that the room does not know it any more.
    watch.addEventListener("refused", () => location.reload());
    watch.addEventListener("event", ({ detail: event }) => {
        feed.add(event);
        const text = announcement(event, named);
        if (text) byId("live").textContent = plain(text);
    });
    // A host that went away in this very moment was never there, so nothing would tell of it.
    setTimeout(() => { if (watch.room.status !== "live") byId("no-answer").hidden = false; }, 3000);
    setInterval(showLatency, LATENCY_PERIOD);

    byId("lock").addEventListener("click", () => deeds.toggleLock());
    byId("mark").addEventListener("click", () => deeds.mark());
    byId("accept-all").addEventListener("click", () => deeds.acceptAll());
    byId("show-ticket").addEventListener("click", () => ticket.show());
    byId("refusal-close").addEventListener("click", () => { byId("refusal").hidden = true; });
    for (const deed of ["identify", "rezero", "rename", "seat", "move", "kick"]) {
        byId(deed).addEventListener("click", () => deeds[deed]());
    }
    listenForKeys([
        ["i", "identify", () => deeds.identify()], ["z", "rezero", () => deeds.rezero()],
        ["r", "rename", () => deeds.rename()], ["s", "seat", () => deeds.seat()],
        ["v", "move", () => deeds.move()], ["k", "kick", () => deeds.kick()],
        ["a", "accept", () => deeds.acceptFirst()], ["l", "lock", () => deeds.toggleLock()],
        ["q", "qr", () => ticket.show()], ["m", "mark", () => deeds.mark()], ["p", "pause", () => feed.toggle()],
        ["?", "list", () => byId("keys").showModal()],
    ]);
}

// On a phone the figures are a tap away, so that players and deeds are not far apart.
if (innerWidth <= 700) for (const fold of document.querySelectorAll(".fold")) fold.open = false;

byId("access-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const token = tokenIn(byId("token").value);
    if (!token) return askForToken(sentence("token.none"));
    keepToken(token);
    enter(token);
});

const token = takeToken();
if (token) enter(token);
else askForToken(sentence("token.why"));
addEventListener("hashchange", () => { if (new URLSearchParams(location.hash.slice(1)).has("t")) location.reload(); });
