// A screen in an exhibit, in a browser without bars (kiosk mode): while nobody plays it shows the way in, and while
// somebody does, the game at /game/. When the last has left the game goes with its scores: the next visitors begin anew.
import { readPage, refusalWords, sentence } from "/common/language.js";
import { isolated, write } from "/common/names.js";
import { timeout } from "/common/timeout.js";
import { join, joinCode } from "/roomful.js";

readPage();
const room = join({ types: ["player", "room"] });
const element = (id) => document.getElementById(id);
const patience = { afterPlay: 15_000, reload: 10_000, away: 3_000, hello: 8_000 };  // ms
let game = null;    // The frame that shows it.
let ending = null;  // Runs from when the last has left.
let isLocked = false;
let openedAt = null;  // Since when the room's host runs, as it said last.
let isOld = false;  // Another host runs since, whose pages may be others than this.
let isAway = false;  // The room does not answer, for longer than a moment.
/** Where WebSocket is swallowed, the first `hello` takes its time. */
let leaving = setTimeout(leave, patience.hello);

const isPlayed = () => [...room.players.values()].some((one) => one.state !== "lost");

function show() {
    write(element("room"), document.title = isolated(room.hello?.room ?? ""));
    write(element("invitation"), sentence(isAway ? "screen.back" : isLocked ? "screen.closed" : "screen.invitation"));
    element("code").hidden = isLocked || isAway;
    if (isPlayed()) begin(); else ending ??= game && setTimeout(end, patience.afterPlay);
    element("attract").hidden = Boolean(game) && !isAway;
    if (game) game.hidden = isAway;
}

/** Who walks by is not asked in where nobody would let them in. */
function leave() {
    isAway = true;
    show();
}

function begin() {
    clearTimeout(ending);
    ending = null;
    if (game) return;
    game = Object.assign(document.createElement("iframe"), { src: "/game/", title: sentence("screen.game"), allow: "autoplay" });
    document.body.append(game);
}

function end() {
    ending = null;
    game?.remove();
    game = null;
    show();
    renew();
}

/** Whether the page can be had: a browser's own page on an error has nothing that would ever bring this one back. */
async function isServed() {
    const page = { cache: "no-store", signal: timeout(patience.reload) };
    const { ok } = await fetch(location.href, page).catch(() => ({ ok: false }));
    return ok;
}

/** A screen has nobody who loads its page again once its host has been upgraded. Each `hello` asks for it. */
async function renew() {
    const isWanted = () => isOld && !game && room.status === "live";
    if (isWanted() && await isServed() && isWanted()) location.reload();
}

/** What is played may be another now, and so may be whether the door is open. */
async function learn() {
    const { status } = await room.send({ task: "status" }).catch(() => ({}));
    if (status && !status.isSilent) isLocked = status.isLocked;
    show();
}

// Where a screen is broader than high, the words stand beside the code.
element("code").append(joinCode(room, { side: innerWidth > innerHeight }));
room.on("hello", (hello) => {
    isOld ||= openedAt !== null && hello.openedAt !== openedAt;
    openedAt = hello.openedAt;
    renew();
    return learn();
});
room.on("player", show);
room.on("room", learn);
room.on("changed", () => {
    if (game) game.src = "/game/";
});
room.on("error", (error) => { if (error.code === "wrongToken") write(element("invitation"), refusalWords(error)); });
room.on("status", (status) => {
    clearTimeout(leaving);
    isAway = false;
    if (status === "reconnecting") leaving = setTimeout(leave, patience.away);
    // A screen has nobody to press a key: it asks anew after it was refused, as when the host was set up anew.
    if (status === "refused") setInterval(async () => { if (await isServed()) location.reload(); }, patience.reload);
});
