// The controller's page: puts its parts together.

import { readPage, sentence } from "/common/language.js";
import { isolated } from "/common/names.js";
import { Haptics } from "./haptics.js";
import { introduction } from "./introduction.js";
import { Link } from "./link/link.js";
import { Pad } from "./pad.js";
import { ButtonLog, MEANINGS } from "./sensor/button-log.js";
import { answerInTime, askForMotion } from "./sensor/permission.js";
import { MotionMixer } from "./sensor/mixer.js";
import { MotionSensor } from "./sensor/motion-sensor.js";
import { TapFinder } from "./sensor/tap-finder.js";
import { Session } from "./session.js";
import { Cover } from "./show/cover.js";
import { GestureButtons } from "./show/gesture-buttons.js";
import { PlayerView } from "./show/player-view.js";
import { Store } from "./store.js";
import { isSent, readTicket, takeTicket } from "./ticket.js";
import { WakeLock, keepsScreenOn } from "./wake-lock.js";
import { FIRST_FIND, foundTap, hapticReceipt, rezero } from "./wire/messages.js";

readPage();

/** When the host first hears of the sensor, and how often then, in ms. */
const FIRST_REPORT = 2_000;
const SENSOR_REPORTS = 5_000;
/** What is said before the page goes to another room stands for so long, in ms. */
const TIME_TO_READ = 4_000;
const LOOK_HERE = { intensity: 1, sharpness: 0.5, duration: 600, timeToLive: 0 };

const padNumber = new URLSearchParams(location.search).get("pad");
const isPad = padNumber !== null;
const store = new Store(padNumber);
const isUsed = store.isUsed;
const hasArrived = readTicket(location.hash) !== null;
const ticket = takeTicket(store, location, history);
/** Another room, or the lobby, opened this page; a seat that is kept is still kept when the page is loaded anew. */
const wasSent = (hasArrived || Boolean(ticket.pass)) && isSent(ticket, store);

const cover = new Cover();
const haptics = new Haptics(cover);
const wakeLock = new WakeLock((isHeld) => view.sleepy(!isHeld));
const view = new PlayerView(isPad);
const buttons = new ButtonLog();
const gestureButtons = new GestureButtons(buttons, isPad);
const session = new Session({ store, ticket, isMovable: !isPad }, {
    changed: () => {
        view.update(session);
        feelTurn();
        wakeLock.want(keepsScreenOn(session));
        // A connection that came back while nobody looks.
        if (session.isSeated && document.hidden) session.pause();
    },
    message: act,
    begun: () => { reflex = null; },
    buttons: (list) => gestureButtons.offer(list),
    leaving: leaveFor,
});
const mixer = new MotionMixer(buttons, (sample) => {
    // Where there is no sensor a sample tells of buttons alone.
    if (sample.acceleration && reflex?.finder.take(sample)) feelTap(sample);
    session.append(sample);
});
const sensor = new MotionSensor(store.get("sign"), (sample) => mixer.feel(sample));
let permission = "absent";
/** @type {?BatteryManager} of browsers that tell */
let battery = null;
Promise.resolve().then(() => navigator.getBattery?.()).then((found) => { battery = found ?? null; }, () => {});
let isStarted = false;
/** Whether it waits for a seat, or looks for the room where it did. */
let isWaiting = false;
/** What the host wants to be looked for here, and played then. @type {?{finder: TapFinder, haptic: object}} */
let reflex = null;
let finds = 0;

/** Who has waited for a seat, and looks elsewhere by now, feels that it has one. */
function feelTurn() {
    const { state } = session;
    if (isWaiting && state === "seated") haptics.play(LOOK_HERE, 0);
    isWaiting = state === "waiting" || (isWaiting && state !== "seated" && state !== "stopped");
}

/** What the host wants of this phone. */
function act(message, late) {
    if (message.kind === "haptic") {
        const { outcome, playedAt } = haptics.play(message, late);
        session.uplink.sendMessage(hapticReceipt(message.id, outcome, Math.round(playedAt * 1e6)));
    } else if (message.kind === "detect") {
        const { tap, intensity, sharpness, duration } = message;
        reflex = tap && { finder: new TapFinder(tap), haptic: { intensity, sharpness, duration, timeToLive: 0 } };
    } else if (message.kind === "identify") {
        haptics.play(LOOK_HERE, 0);
        cover.words(sentence("player.number", { number: session.seat.player }), 2_500);
    } else if (message.kind === "application") {
        const text = new TextDecoder().decode(message.body).trim();
        if (text) cover.words(text, 2_500);
    }
}

/** Another room keeps a seat for this phone: says where it goes, and goes there once that could be read. */
function leaveFor({ name, warns }, url) {
    const room = isolated(String(name));
    cover.words(warns ? sentence("moving.warns", { room }) : sentence("moving", { room }), TIME_TO_READ * 2);
    setTimeout(() => { location.href = url; }, warns ? TIME_TO_READ : 1_000);
}

/** The phone was tapped: its player feels that at once, and the host is told. */
function feelTap({ time }) {
    if (!session.isSeated || mixer.isAlone) return;
    const id = FIRST_FIND + finds;
    finds = (finds + 1) % FIRST_FIND;
    session.uplink.sendMessage(foundTap(id, time * 1_000));
    if (reflex.haptic.duration === 0) return;
    const { outcome, playedAt } = haptics.play(reflex.haptic, 0);
    session.uplink.sendMessage(hapticReceipt(id, outcome, Math.round(playedAt * 1e6)));
}

/** The tap on Start. Permission comes first: iOS asks only as the tap's immediate consequence. */
async function start() {
    if (isStarted) return;
    isStarted = true;
    const asked = isPad ? Promise.resolve("granted") : askForMotion();
    haptics.unlock();
    view.isAsking = true;
    view.started();
    wakeLock.want(true);
    permission = await answerInTime(asked);
    view.isAsking = false;
    if (isPad) startPad();
    else if (permission === "granted") permission = await sensor.start();
    else asked.then((answer) => { if (answer === "granted") sensor.start(); });
    view.sensor(permission);
    mixer.start(permission === "granted");
    store.set("isPlaying", true);
    join();
}

function startPad() {
    const pad = new Pad(view.stage(), mixer, buttons);
    pad.turned = (attitude) => view.turn(attitude);
    pad.start();
}

/** Declares what this phone measures. */
function streams() {
    const turns = isPad || sensor.isMeasured.rotationRate;
    const motion = permission === "granted" ? ["acceleration", ...(turns ? ["rotationRate"] : [])] : [];
    return [{
        stream: 0, measures: [...motion, "buttons"], buttonGestures: MEANINGS,
        accelerationRange: 156.9064, rotationRange: 34.90658503988659, rate: 60, latency: 8,
    }];
}

/** Asks for the seat. */
function join() {
    const declared = streams();
    session.start(new Link(declared), declared);
    setTimeout(reportSensor, FIRST_REPORT);
    setInterval(reportSensor, SENSOR_REPORTS);
}

/** A sensor that did not answer does: the phone comes to its seat anew, as one that moves. */
mixer.awoke = () => {
    if (permission !== "absent") return;
    permission = "granted";
    view.sensor(permission);
    const declared = streams();
    session.redeclare(new Link(declared), declared);
};

mixer.stopped = (hasStopped) => view.sensor(hasStopped ? "silent" : permission);

/** Tells the host what is known of the sensor, so that nobody has to guess why a phone plays badly. */
function reportSensor() {
    if (sensor.sign !== 0 && session.isSeated) store.set("sign", sensor.sign);
    const health = permission === "granted" && !isPad ? { ...sensor.health.report, sign: sensor.sign } : {};
    // As the room has it: it tells the operator so, in the operator's language.
    const told = permission === "absent" ? "none" : permission;
    session.uplink.tell({ type: "sensor", permission: told, vibrates: haptics.vibrates, ...health, ...charge(battery) });
}

/** What the browser says of its battery, where it says anything. */
const charge = (battery) => (battery
    ? { battery: Math.round(battery.level * 100), charging: battery.charging } : {});

document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
        mixer.letGo();
        return session.pause();
    }
    sensor.health.interrupt();
    mixer.resume();
    wakeLock.resume();
    return session.resume();
});
// Where the browser keeps the page, pageshow brings it back.
addEventListener("pagehide", () => session.goAway());
addEventListener("pageshow", () => session.resume());
addEventListener("online", () => session.resume());
// A link that is opened where this page is open already loads nothing by itself.
addEventListener("hashchange", () => { if (readTicket(location.hash)) location.reload(); });
// A tap anywhere gives back what a reload took: sound and vibration.
addEventListener("pointerdown", () => { if (session.state !== "idle") haptics.unlock(); });

view.welcome({ ticket, isUsed, isReturning: Boolean(store.get("isPlaying")) });
view.on({
    start,
    rezero: () => { session.uplink.sendMessage(rezero()); },
    leave: () => { store.set("isPlaying", false); session.leave(); },
    forget: () => { view.started(); session.forget(); },
    retry: (details) => { store.set("isPlaying", true); session.retry(details); },
});
setInterval(() => { view.update(session); view.level(mixer.up); }, 100);

if (!isPad) introduction().then(({ name, game }) => view.meet({ name: name ?? ticket.room, game }));

/** Whether a page of this room shows this one in a frame: that of the virtual phones, whose user wants so many. */
function isShownByOurs() {
    try {
        return parent !== window && parent.location.origin === location.origin;
    } catch {
        return false;
    }
}

// A virtual phone begins where the page of all of them shows it: by its address alone, which any page may open, it
// would take a seat each time. Who was playing goes on at once after a reload, or a swipe back to the page, or in
// another room of the house, unless the phone wants a tap before it gives motion.
const isReturn = ["reload", "back_forward"].includes(performance.getEntriesByType("navigation")[0]?.type);
const goesOn = isReturn && !ticket.pass && store.get("isPlaying");
if (isPad) {
    if (isShownByOurs()) start();
} else if (wasSent || goesOn) {
    askForMotion().then((answer) => { if (answer === "granted") start(); });
}
