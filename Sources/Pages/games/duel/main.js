// Duel: who jumped first, from the gestures' times and how sure they are. judge.js decides; where the room itself
// judges (`roomful host --contest jump`), its verdict counts instead, as it also knows whom it had to wait for.
//
// The address may say more: `?signal=none` (somebody else calls the start; the first jump opens a round), and
// `?gesture=flick`, or any other gesture that is to be first at.
import { join, joinCode } from "/roomful.js";
import { readPage, sentence } from "/common/language.js";
import { dress } from "/games/colors.js";
import { element, make, onKeys, tellTroubles } from "/games/game.js";
import { jumpOf, precedes, ranks, words } from "./judge.js";

readPage();
const address = new URLSearchParams(location.search);
const gesture = address.get("gesture") ?? "jump";
const times = { before: [2000, 5000], perRound: 3000, afterFirst: 1000, between: 7000 };  // ms
const room = join({ types: ["player", "gesture", "verdict", "room"] });

let phase = "waiting";
let isOurSignal = address.get("signal") !== "none";
/** When this phase is over, in the room's time. */
let until = Infinity;
/** When the signal was given; null where somebody else calls. */
let goAt = null;
/** The round's jumps: player -> {player, at, uncertainty}. */
let jumps = new Map();
/** Who surely jumped before the signal, in this round. */
let early = new Set();
let verdict = null;
let result = null;
const wins = new Map();
let openedAt = null;
/** When this page last looked, in the room's time. */
let seenAt = 0;

const present = () => [...room.players.values()].sort((a, b) => a.player - b.player);

room.on("gesture", (event) => {
    if (event.gesture !== gesture || event.phase !== "began") return;
    const jump = jumpOf(event);
    if (phase === "ready") tooEarly(jump);
    // One that was made while this page was cut off, and told afterwards, opens nothing.
    if (phase === "open" && event.at >= room.hello.at) openRound(event.at);
    if (phase === "go" && !jumps.has(jump.player)) note(jump);
});
room.on("verdict", (event) => {
    if (event.gesture !== gesture || (phase !== "go" && phase !== "result")) return;
    if (!isOfThisRound(event)) return;
    verdict = event;
    const moved = event.evidence.filter((one) => one.at !== null);
    for (const { player, at, uncertainty } of moved) jumps.set(player, { player, at, uncertainty });
    if (phase === "result") decide();
});
room.on("hello", (hello) => {
    // Another clock, or one that stood still while its machine slept: a round that was on is void.
    if (hello.openedAt !== openedAt || room.now() < seenAt) enter("waiting");
    openedAt = hello.openedAt;
    showRows();
});
room.on("player", (event) => {
    if (!room.players.has(event.player)) wins.delete(event.player);  // Whoever sits there next begins with none.
    showRows();
});
tellTroubles(room);

/** The room's contests open when they will: one that began amid our round says nothing of who was before it. */
function isOfThisRound({ order, unranked }) {
    const first = (order[0] ?? []).map((player) => jumps.get(player)).filter(Boolean);
    const judged = new Set([...order.flat(), ...unranked]);
    const others = [...jumps.values()].filter((jump) => !judged.has(jump.player) && jump.uncertainty !== null);
    return first.length > 0 && !others.some((other) => first.some((jump) => precedes(other, jump)));
}

function note(jump) {
    if (goAt !== null && jump.uncertainty !== null && precedes(jump, { at: goAt, uncertainty: 0 })) tooEarly(jump);
    else if (!early.has(jump.player)) {
        jumps.set(jump.player, jump);
        if (present().every(({ player }) => jumps.has(player) || early.has(player))) {
            until = Math.min(until, room.now() + 300);  // A moment for a verdict of the room.
        }
    }
    showRows();
}

function tooEarly(jump) {
    early.add(jump.player);
    showRows();
}

// A round's course

function enter(next, lasts = Infinity) {
    phase = document.body.dataset.phase = next;
    until = room.now() + lasts;
    element("next").hidden = next !== "result";
}

function startRound() {
    [jumps, early, verdict, result, goAt] = [new Map(), new Set(), null, null, null];
    if (isOurSignal) {
        say(sentence("duel.still"), sentence("duel.stillText"));
        enter("ready", times.before[0] + Math.random() * (times.before[1] - times.before[0]));
    } else {
        say(sentence("duel.ready"), sentence("duel.readyText"));
        enter("open");
    }
    showRows();
}

function openRound(at) {
    say("…", "");
    enter("go", at + times.afterFirst - room.now());
}

function giveSignal() {
    goAt = room.now();
    say(sentence("duel.jump"), "");
    beep();
    enter("go", times.perRound);
}

function decide() {
    const all = [...jumps.values()];
    // The room's verdict ranks who moved within its window; who came later is behind them, by our own reckoning.
    const judged = new Set([...(verdict?.order ?? []).flat(), ...(verdict?.unranked ?? [])]);
    const order = [...(verdict?.order ?? []), ...ranks(all.filter((jump) => !judged.has(jump.player)))];
    const winners = verdict?.winners ?? (order[0]?.length === 1 ? order[0] : []);
    const isFirst = result === null;
    result = { order, all };
    const { headline, detail } = words(order, all, { isReplay: verdict?.replay });
    const isDrawn = verdict?.ties === "draw" && order[0]?.length > 1;
    const drawn = isDrawn ? ` ${sentence("duel.lot", { player: `P${winners[0]}` })}` : "";
    say(headline, detail + drawn);
    if (isFirst) {
        enter("result", times.between);
        if (winners.length === 1) {
            wins.set(winners[0], (wins.get(winners[0]) ?? 0) + 1);
            const buzz = { intensity: 1, sharpness: 0.6, duration: 250 };
            room.send({ task: "play", who: `P${winners[0]}`, ...buzz }).catch(() => { /* It need not be felt. */ });
        }
    }
    element("stage").dataset.verdict = JSON.stringify({ order, by: verdict ? "room" : "page" });
    showRows();
}

function tick() {
    const now = seenAt = room.now();
    const count = room.players.size;
    if (phase === "waiting" && count > 0 && room.status === "live") startRound();
    else if (count === 0 && phase !== "waiting") {
        say(sentence("duel.nobody"), sentence("game.scan"));
        enter("waiting");
    } else if (now >= until) {
        if (phase === "ready") giveSignal();
        else if (phase === "go") decide();
        else if (phase === "result") startRound();
    }
    requestAnimationFrame(tick);
}

// The screen

function say(headline, detail) {
    element("headline").textContent = headline;
    element("detail").textContent = detail;
}

function showRows() {
    const players = present();
    const isTwo = players.length > 10;
    const lines = isTwo ? Math.ceil(players.length / 2) : players.length;
    const rows = element("rows");
    rows.classList.toggle("two", isTwo);
    rows.style.setProperty("--lines", lines);
    rows.style.setProperty("--row", `min(7.2vh, ${50 / Math.max(lines, 1) - 0.8}vh)`);
    rows.style.setProperty("--gap", lines > 6 ? "0.7vh" : "1.1vh");
    rows.parentElement.style.setProperty("--text", isTwo ? "1rem" : lines > 6 ? "1.25rem" : "1.5rem");
    const known = [...jumps.values()].filter((jump) => jump.uncertainty !== null);
    const from = Math.min(...known.map((jump) => jump.at - jump.uncertainty));
    const span = Math.max(100, Math.max(...known.map((jump) => jump.at + jump.uncertainty)) - from) * 1.04;
    const zero = goAt ?? Math.min(...known.map((jump) => jump.at));
    rows.replaceChildren(...players.map((player) => row(player, from - span * 0.02, span, zero)));
    element("axis").hidden = !result || known.length === 0 || isTwo;
    const [left, right] = element("axis").children;
    const end = `${Math.round(from + span - zero)}`.replace("-", "−");
    left.textContent = `${Math.round(from - zero)} ms`.replace("-", "−");
    right.textContent = sentence(goAt === null ? "duel.afterFirst" : "duel.afterSignal", { ms: end });
}

function row(player, from, span, zero) {
    const item = make("li");
    item.dataset.player = player.player;
    dress(item, player.color, player.player);
    const who = make("div", { className: "who" });
    who.append(make("b", { textContent: `P${player.player}` }), make("bdi", { textContent: player.name }));
    const track = make("div", { className: "track" });
    const time = make("div", { className: "time" });
    const jump = jumps.get(player.player);
    if (result?.order[0]?.length > 1) track.append(shade(from, span));
    if (result && jump && jump.uncertainty !== null) {
        const bar = make("div", { className: "bar" });
        bar.style.left = `${((jump.at - jump.uncertainty - from) / span) * 100}%`;
        bar.style.width = `${((2 * jump.uncertainty) / span) * 100}%`;
        track.append(bar);
        time.textContent = `${Math.round(jump.at - zero)} ms ± ${Math.max(1, Math.round(jump.uncertainty))}`;
        item.dataset.rank = result.order.findIndex((rank) => rank.includes(player.player)) + 1;
    } else {
        const missing = early.has(player.player) ? sentence("duel.early") : result ? sentence("duel.missed") : "";
        item.dataset.note = jump && result ? sentence("duel.clockUnknown") : missing;
        time.textContent = item.dataset.note;
    }
    const won = make("div", { className: "wins", textContent: wins.get(player.player) ?? 0 });
    won.dataset.wins = wins.get(player.player) ?? 0;
    item.append(who, track, time, won);
    return item;
}

/** From the first one's earliest to its latest: whoever reaches into it may have been first. */
function shade(from, span) {
    const tied = result.order[0].map((player) => jumps.get(player)).filter(Boolean);
    const leader = tied.reduce((a, b) => (b.at + b.uncertainty < a.at + a.uncertainty ? b : a), tied[0]);
    const area = make("div", { className: "shade" });
    if (!leader) return area;
    area.style.left = `${((leader.at - leader.uncertainty - from) / span) * 100}%`;
    area.style.width = `${((2 * leader.uncertainty) / span) * 100}%`;
    return area;
}

let context = null;
const unlock = () => { context ??= new AudioContext(); };

function beep() {
    if (context?.state !== "running") return;
    const tone = new OscillatorNode(context, { frequency: 880 });
    const volume = new GainNode(context, { gain: 0.2 });
    tone.connect(volume).connect(context.destination);
    tone.start();
    tone.stop(context.currentTime + 0.25);
}

const setSignal = () => {
    isOurSignal = !isOurSignal;
    element("signal").setAttribute("aria-pressed", !isOurSignal);
    if (phase !== "waiting") startRound();
};
element("signal").setAttribute("aria-pressed", !isOurSignal);
element("signal").addEventListener("click", setSignal);
element("next").addEventListener("click", startRound);
for (const type of ["pointerdown", "keydown"]) addEventListener(type, unlock);
onKeys({ " ": () => { if (phase === "result") startRound(); }, s: setSignal });
element("door").append(joinCode(room, { side: true }));
element("nook").append(joinCode(room, { small: true }));
showRows();
requestAnimationFrame(tick);
