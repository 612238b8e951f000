// Opens n virtual phones, so that a game can be made and tried without a real one: /pads/?n=4, and behind # the same
// ticket as the QR code's. Each is the phone's own page with an identity of its own in this tab. They take seats, and
// any page can open this one: they come when somebody here wants them, and by themselves only when it is loaded again.

import { readPage, sentence } from "/common/language.js";
import { isolated, write } from "/common/names.js";

readPage();

const MOST = 8;
/** A phone that has no seat after so long is not waited for, in ms. */
const SLOW = 2_000;
/** The ticket's name in the tab's storage. */
const KEPT = "roomful.pads.ticket";
let loadedAt = 0;
let timer;

const element = (id) => document.getElementById(id);

/** The ticket is taken from the address bar, and kept for reloads of this tab, where the browser keeps anything. */
function ticket() {
    let fragment = location.hash;
    try {
        fragment ||= sessionStorage.getItem(KEPT) ?? "";
        if (fragment) sessionStorage.setItem(KEPT, fragment);
    } catch { /* Then a reload asks for the code again. */ }
    if (location.hash) history.replaceState(history.state, "", location.pathname + location.search);
    return fragment;
}

let fragment = ticket();
const wanted = Number(new URLSearchParams(location.search).get("n") ?? 2);
const room = new URLSearchParams(fragment.slice(1)).get("r");
if (room) write(element("title"), document.title = sentence("pads.titleIn", { room: isolated(room) }));

let count = Math.min(MOST, Math.max(1, Math.round(wanted) || 2));
/** The browser keeps it with this place of the tab's history: an address that is opened anew does not bring it. */
let hasBegun = history.state?.hasBegun === true;

/** So many phones are wanted, and stand there once they have been begun. */
function want(number) {
    count = number;
    element("count").textContent = String(count);
    element("fewer").disabled = count <= 1;
    element("more").disabled = count >= MOST;
    element("begin").textContent = sentence("pads.begin", { count });
    element("begin").hidden = hasBegun;
    history.replaceState({ hasBegun }, "", `${location.pathname}?n=${count}`);
    if (hasBegun) open();
}

function begin() {
    hasBegun = true;
    want(count);
}

/** Opens or closes phones until there are as many as are wanted. */
function open() {
    const pads = element("pads");
    while (pads.children.length > count) pads.lastElementChild.remove();
    while (pads.children.length < count) {
        const frame = document.createElement("iframe");
        frame.title = sentence("pads.one", { number: pads.children.length + 1 });
        frame.allow = "autoplay; screen-wake-lock";
        pads.append(frame);
    }
    load();
}

/** One after the other, so that the first is player 1: each begins when the one before it is seated, or slow. */
function load() {
    const next = [...element("pads").children].findIndex((frame) => !frame.src);
    if (next < 0) return;
    const before = element("pads").children[next - 1];
    const isReady = !before || isSeated(before) || performance.now() - loadedAt > SLOW;
    if (isReady) {
        element("pads").children[next].src = `/?pad=${next + 1}${fragment}`;
        loadedAt = performance.now();
    }
    clearTimeout(timer);
    timer = setTimeout(load, 50);
}

const isSeated = (frame) => Boolean(frame.contentDocument?.querySelector("main[data-seated]"));

/** Without a ticket every phone would ask for the code; it is asked for once, here. */
function askForCode() {
    const asks = (frame) => frame.contentDocument?.querySelector("main[data-state=stopped] #code-form:not([hidden])");
    element("code-form").hidden = ![...element("pads").children].some(asks);
}

function takeCode(event) {
    event.preventDefault();
    // By the address, from where it is taken at once: there may be no storage.
    history.replaceState(history.state, "", `#v=1&c=${encodeURIComponent(element("code").value)}&typed=1`);
    location.reload();
}

element("fewer").addEventListener("click", () => want(count - 1));
element("more").addEventListener("click", () => want(count + 1));
element("begin").addEventListener("click", begin);
element("code-form").addEventListener("submit", takeCode);
setInterval(askForCode, 250);
// A link that is opened where this page is open already loads nothing by itself.
addEventListener("hashchange", () => { if (location.hash) location.reload(); });
want(count);
