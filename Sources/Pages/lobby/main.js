// The lobby of a house: asks where a seat is free, waits in order, and goes there.

import { readPage, sentence } from "/common/language.js";
import { isolated, write } from "/common/names.js";
import { timeout } from "/common/timeout.js";
import { randomHex, Store } from "/phone/store.js";
import { readTicket } from "/phone/ticket.js";

/** When it asks again where nothing else is said, and the longest that it waits for an answer, in ms. */
const AGAIN = 2_000;
const PATIENCE = 8_000;
/** What is said of the room, and of a warning, stands for so long before the page goes there, in ms. */
const TIME_TO_READ = 1_500;
const TIME_FOR_WARNING = 4_000;

readPage();
const store = new Store(null);
const element = (id) => document.getElementById(id);

/** The code of this lobby, from the QR code or from the visit before; the address bar forgets it. */
function takeCode() {
    const code = readTicket(location.hash)?.code;
    if (code) store.set("houseCode", code);
    if (location.hash) history.replaceState(history.state, "", location.pathname);
    return code ?? store.get("houseCode");
}

/** What nobody else knows: others can read who this phone is. */
function ownKey() {
    let key = store.get("houseKey");
    if (!/^[0-9a-f]{64}$/.test(key ?? "")) store.set("houseKey", key = randomHex(32));
    return key;
}

const code = takeCode();

/** Writes the state of things; screen readers hear it when it changes. */
function tell(state, text) {
    write(element("state"), state);
    write(element("text"), text);
    write(element("live"), `${state} ${text}`);
}

async function ask() {
    const question = { controller: store.controller, key: ownKey(), code, last: store.get("houseRoom") };
    const answer = await fetch("/api/lobby", {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(question),
        signal: timeout(PATIENCE),
    });
    return answer.json();
}

/** A seat is kept: the room is named, and the page goes there. */
function go({ room, name, url, warns }) {
    store.set("houseRoom", room);
    tell(sentence("house.found", { room: isolated(name) }), sentence("house.foundText"));
    element("warning").hidden = !warns;
    Object.assign(element("go"), { href: url, hidden: false });
    setTimeout(() => location.assign(url), warns ? TIME_FOR_WARNING : TIME_TO_READ);
}

/** Everything is taken, or nobody can say. */
function wait({ place, rooms }) {
    if (rooms === 0) return tell(sentence("house.closed"), sentence("house.waitText"));
    if (!place) return tell(sentence("house.busy"), sentence("house.waitText"));
    return tell(place === 1 ? sentence("queue.next") : sentence("queue.place", { place }), sentence("house.waitText"));
}

/** @returns {boolean} whether it makes sense to ask again */
function refuse({ code }) {
    const key = {
        wrongCode: "house.wrongCode", noLobby: "house.none", alreadySeated: "house.twice", unwanted: "house.unwanted",
    }[code];
    tell(sentence(key ?? "house.silent"), key ? sentence(`${key}Text`) : sentence("house.waitText"));
    // Another room may open.
    return key === undefined || code === "unwanted";
}

/** How often `follow` was called: an answer to an earlier call is heard no more. */
let calls = 0;
let next;

async function follow() {
    clearTimeout(next);
    const mine = ++calls;
    let again = AGAIN;
    try {
        const answer = await ask();
        if (mine !== calls) return;
        if (answer.go) return go(answer.go);
        if (answer.error && !refuse(answer.error)) return;
        if (answer.wait) {
            wait(answer.wait);
            again = Math.max(1_000, answer.wait.again);
        }
    } catch {
        if (mine !== calls) return;
        tell(sentence("house.silent"), sentence("house.waitText"));
    }
    next = setTimeout(follow, again + Math.random() * 500);
}

// A page that the browser has kept asks anew: the room may have been left.
addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    element("go").hidden = true;
    follow();
});
// A link that is opened where this page is open already loads nothing by itself.
addEventListener("hashchange", () => { if (readTicket(location.hash)) location.reload(); });
follow();
