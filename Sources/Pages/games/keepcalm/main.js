// KeepCalm: who jumps plays. This file is the game's course (lobby, countdown, play, results) and its ties to the room;
// rules.js knows the rules, scene.js and shapes.js the looks, sound.js the sounds, results.js and ranking.js the ends.
//
// The address may say more: `?mode=collaborative` (all drive player 1), `?seed=7` (the same items each time),
// `?gesture=flick` (another gesture that makes runners jump), and `?pace=5` (a game of five times the speed, for trying; a jump is then in the air for 80 ms).
import { join, joinCode } from "/roomful.js";
import { listed, readPage, sentence } from "/common/language.js";
import { write } from "/common/names.js";
import { Game, Runner, rules } from "./rules.js";
import { drawLane, layOut } from "./scene.js";
import { drawItem } from "./shapes.js";
import { dress } from "/games/colors.js";
import { element, make, onKeys, tellTroubles, trouble } from "/games/game.js";
import { Sound } from "./sound.js";
import { initialsOf, saveRanking, sweepRanking } from "./ranking.js";
import { showResults } from "./results.js";

readPage();
const address = new URLSearchParams(location.search);
const pace = Math.min(Math.max(Number(address.get("pace")) || 1, 0.25), 10);
const gesture = address.get("gesture") ?? "jump";
const patience = { countdown: 3000 / pace, others: 15_000, results: 4000, idleResults: 40_000, typing: 10_000 };  // ms
const haptics = {
    jump: { intensity: 0.4, sharpness: 0.8, duration: 40 }, banana: { intensity: 0.7, sharpness: 0.9, duration: 60 },
    blueberry: { intensity: 0.8, sharpness: 0.6, duration: 100 }, cherry: { intensity: 1, sharpness: 1, duration: 150 },
    poo: { intensity: 1, sharpness: 0.1, duration: 300 },
};
const room = join({ types: ["player", "gesture", "room"] });
const sound = new Sound();

let phase = "lobby";
let together = address.get("mode") === "collaborative";
/** Who said in the lobby, by a jump, that it is ready: number -> when. */
let ready = new Map();
let game = null;
/** When the game began or begins, in the room's time. */
let startsAt = 0;
/** Who plays: number -> {number, name, color}. */
let cast = new Map();
let finishedAt = 0;
/** When somebody last typed initials, on this page's clock. */
let typedAt = -Infinity;
/** When this page last looked, by the clock of the room that was open then. */
let seenAt = 0;
let openedAt = null;
let lastCount = 0;
/** Player 1 is driven by all: who jumped last feels what came of it. */
let lastJumper = 1;
/** For each runner, which happenings were heard and felt already. */
let told = new Map();
/** Runs while nobody plays. */
let dreamer = new Runner(5);
let dreamerSince = performance.now();

const byNumber = (a, b) => a.player - b.player;
const present = () => [...room.players.values()].filter((player) => player.state !== "lost").sort(byNumber);
const gameTime = (at) => (at - startsAt) * pace;
/** Whoever has typed initials may leave the field as it is: that keeps nobody from the next game for long. */
const isTyping = () => element("ranking").contains(document.activeElement)
    && performance.now() - typedAt < patience.typing;

// What the room tells

room.on("gesture", (event) => {
    if (event.gesture !== gesture || event.phase !== "began") return;
    if (phase === "countdown" || phase === "play") {
        lastJumper = event.player;
        game.jump(event.player, gameTime(event.at));
        return;
    }
    // What was done while this screen was cut off begins nothing now, by whoever may have gone.
    if (event.at < room.hello.at) return;
    if (phase === "over" && room.now() - finishedAt > patience.results && !isTyping()) openLobby();
    if (phase === "lobby") getReady(event.player, event.at);
});
room.on("hello", (hello) => {
    // A host that was started again has a new clock, and one whose machine slept went back: the game goes on where it was.
    const isOther = openedAt !== null && (hello.openedAt !== openedAt || room.now() < seenAt);
    const shift = isOther ? room.now() - seenAt : 0;
    startsAt += shift;
    finishedAt += shift;
    ready = new Map([...ready].map(([player, at]) => [player, at + shift]));
    openedAt = hello.openedAt;
    if (phase === "lobby") showLobby();
});
room.on("player", (event) => {
    if (!room.players.has(event.player)) ready.delete(event.player);
    if (phase === "lobby") showLobby();
});
room.on("room", (event) => { if (event.state === "closing") trouble(sentence("room.closed")); });
tellTroubles(room);

// Lobby

function openLobby() {
    ready = new Map();
    dreamer = new Runner(Math.floor(Math.random() * 1e6));
    dreamerSince = performance.now();
    setPhase("lobby");
    showLobby();
}

function getReady(player, at) {
    ready.set(player, at);
    sound.play("jump");
    feel(player, "jump");
    const waiting = present().filter((other) => !ready.has(other.player));
    if (waiting.length === 0) begin([...ready.keys()], Math.max(...ready.values()));
    else showLobby();
}

function showLobby() {
    const players = present();
    element("players").classList.toggle("many", players.length > 8);
    element("players").replaceChildren(...players.map((player) => {
        const item = make("li");
        item.append(make("bdi", { textContent: player.name }));
        Object.assign(item.dataset, { number: player.player, ready: ready.has(player.player), state: player.state });
        item.dataset.word = sentence("lobby.ready");
        dress(item, player.color, player.player);
        return item;
    }));
    element("start").disabled = players.length === 0;
    element("together").setAttribute("aria-pressed", together);
    element("clear").hidden = !sweepRanking();
    if (players.length === 0) write(element("prompt"), sentence("keepcalm.nobody"));
    else if (ready.size === 0) write(element("prompt"), sentence("keepcalm.jump"));
}

function begin(players, at) {
    const seed = address.has("seed") ? Number(address.get("seed")) : Math.floor(Math.random() * 2 ** 31);
    cast = new Map(players.sort((a, b) => a - b).map((number) => {
        const { name = sentence("player.number", { number }), color = "#56606b" } = room.players.get(number) ?? {};
        return [number, { number, name, color }];
    }));
    const name = sentence("keepcalm.everyone", { count: players.length });
    const everyone = { number: 1, label: sentence("keepcalm.all"), name, color: "#14664a" };
    if (together) cast = new Map([[1, everyone]]);
    game = new Game({ seed, players, together, newsWithin: rules.newsWithin * pace });
    startsAt = at + patience.countdown;
    told = new Map();
    lastCount = 0;
    document.body.dataset.startsAt = startsAt;
    // The same scores again are news.
    write(element("told"), "");
    setPhase("countdown");
}

// Play

function tick() {
    const now = seenAt = room.now();
    if (phase === "lobby" && ready.size > 0) {
        const left = Math.ceil((Math.min(...ready.values()) + patience.others - now) / 1000);
        write(element("prompt"), sentence("lobby.startsIn", { seconds: Math.max(left, 0) }));
        if (left <= 0) begin([...ready.keys()], now);
    }
    if (phase === "countdown") {
        const left = Math.ceil((startsAt - now) / (patience.countdown / 3));
        element("count").textContent = Math.max(left, 1);
        if (left !== lastCount) sound.play(left > 0 ? "count" : "go");
        lastCount = left;
        if (left <= 0) setPhase("play");
    }
    if (phase === "play") {
        game.step(gameTime(now));
        for (const [number, runner] of game.runners) tell(number, runner);
        const isAnyoneLeft = together || [...cast.keys()].some((number) => room.players.has(number));
        if (game.isOver || (room.status === "live" && (room.players.size === 0 || !isAnyoneLeft))) finish();
    }
    if (phase === "over" && now - finishedAt > patience.idleResults && !isTyping()) openLobby();
    announceNext();
    paint();
    requestAnimationFrame(tick);
}

/** Who came while others play is told that it is seen. */
function announceNext() {
    const isOn = phase === "countdown" || phase === "play";
    const late = isOn && !together ? present().filter((player) => !cast.has(player.player)) : [];
    const players = listed(late.map((player) => `P${player.player}`));
    const text = late.length === 0 ? "" : sentence("keepcalm.next", { players });
    if (element("next").textContent === text) return;
    element("next").textContent = text;
    element("next").hidden = !text;
}

/** Lets what is new be heard, and felt by who did it. News of long ago is no news. */
function tell(number, runner) {
    const heard = told.get(number) ?? new Set();
    told.set(number, heard);
    for (const { time, what, number: which } of runner.log.slice(-8)) {
        const key = `${what} ${which}`;
        if (heard.has(key)) continue;
        heard.add(key);
        if (runner.time - time > 1000 * pace) continue;
        sound.play(what);
        feel(together ? lastJumper : number, what);
    }
}

function feel(player, what) {
    if (room.players.get(player)?.state === "lost") return;
    room.send({ task: "play", who: `P${player}`, ...haptics[what] }).catch(() => { /* It need not be felt. */ });
}

function finish() {
    finishedAt = room.now();
    sound.play("over");
    const results = game.ranking.map(({ player, score }) => {
        const who = cast.get(player);
        return { ...who, score, initials: together ? "ALL" : initialsOf(who.name) };
    });
    showResults(results);
    setPhase("over");
}

// The screen

const canvas = element("screen");
const pen = canvas.getContext("2d", { alpha: false });

function paint() {
    const sharpness = Math.min(devicePixelRatio, 2);
    const [width, height] = [innerWidth, innerHeight];
    if (canvas.width !== Math.round(width * sharpness) || canvas.height !== Math.round(height * sharpness)) {
        canvas.width = Math.round(width * sharpness);
        canvas.height = Math.round(height * sharpness);
    }
    pen.setTransform(sharpness, 0, 0, sharpness, 0, 0);
    pen.fillStyle = "#20303c";
    pen.fillRect(0, 0, width, height);
    if (phase === "lobby") {
        dream();
        const nobody = { number: 1, label: "", name: "", color: "#14664a", isHere: true, isDream: true };
        drawLane(pen, { x: 0, y: 0, w: width, h: height }, dreamer, nobody);
        return;
    }
    const lanes = layOut(cast.size, width, height);
    [...cast.values()].forEach((who, place) => {
        const isHere = together || (room.players.has(who.number) && room.players.get(who.number).state !== "lost");
        drawLane(pen, lanes[place], game.runners.get(who.number), { ...who, isHere, isQuiet: phase === "over" });
    });
}

/** The runner in the lobby's background keeps calm by itself. */
function dream() {
    dreamer.step(performance.now() - dreamerSince);
    if (dreamer.road.some((item) => item.isNear && item.kind !== "poo")) dreamer.jump(dreamer.time);
    if (!dreamer.isOver) return;
    dreamer = new Runner(Math.floor(Math.random() * 1e6));
    dreamerSince = performance.now();
}

function setPhase(next) {
    phase = document.body.dataset.phase = next;
    element("lobby").hidden = next !== "lobby";
    element("count").hidden = next !== "countdown";
    element("over").hidden = next !== "over";
}

// Keys and buttons

const start = () => {
    if (phase === "lobby" && present().length > 0) begin(present().map((player) => player.player), room.now());
    else if (phase === "over") openLobby();
};
const setTogether = () => { if (phase === "lobby") { together = !together; showLobby(); } };
const setSound = () => { sound.isOn = !sound.isOn; element("sound").setAttribute("aria-pressed", sound.isOn); };

element("start").addEventListener("click", start);
element("again").addEventListener("click", start);
element("together").addEventListener("click", setTogether);
element("sound").addEventListener("click", setSound);
element("clear").addEventListener("click", () => {
    saveRanking([]);
    write(element("told"), sentence("keepcalm.cleared"));
    showLobby();
});
for (const type of ["focusin", "input"]) {
    element("ranking").addEventListener(type, () => { typedAt = performance.now(); });
}
const unlock = () => {
    sound.unlock();
    element("sound").querySelector("span").textContent = sentence("keepcalm.sound");
};
for (const type of ["pointerdown", "keydown"]) addEventListener(type, unlock);
onKeys({ " ": start, c: setTogether, m: setSound, escape: () => { if (phase === "play") finish(); } });

for (const icon of document.querySelectorAll("canvas[data-item]")) {
    const brush = icon.getContext("2d");
    brush.translate(icon.width / 2, icon.height / 2);
    drawItem(brush, icon.dataset.item, icon.width * 0.38);
}
element("door").append(joinCode(room));
setInterval(() => { if (phase === "lobby") showLobby(); else sweepRanking(); }, 60_000);
showLobby();
requestAnimationFrame(tick);
