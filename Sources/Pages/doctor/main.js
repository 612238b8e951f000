// Tells the person with the phone what got through to the machine that runs `roomful doctor --phone`.

import { readPage, sentence } from "/common/language.js";
import { timeout } from "/common/timeout.js";
import { sendDatagrams } from "./datagrams.js";

const show = (id, text, kind) => {
    const element = document.getElementById(id);
    if (element.textContent !== text) element.textContent = text;
    if (kind !== undefined) element.className = `state ${kind}`;
};

readPage();
let hasReachedUDP = false;

/** How the machine sees it; `null` once it no longer listens. */
async function state() {
    try {
        const answer = await fetch("/state", { cache: "no-store", signal: timeout(3_000) });
        return answer.ok ? await answer.json() : null;
    } catch {
        return null;
    }
}

function showEnd() {
    if (!hasReachedUDP) {
        show("udp", sentence("doctor.udpNo"), "bad");
        show("udp-more", sentence("doctor.udpNoText"));
    }
    show("end", sentence("doctor.over"));
}

const canTry = sendDatagrams(location.hostname, Number(location.port) || 80);
if (!canTry) {
    show("udp", sentence("doctor.udpUnable"), "warn");
    show("udp-more", sentence("doctor.udpUnableText"));
}

for (let misses = 0; misses < 3;) {
    const now = await state();
    misses = now ? 0 : misses + 1;
    if (now?.udp && !hasReachedUDP) {
        hasReachedUDP = true;
        show("udp", sentence("doctor.udpYes"), "good");
        show("udp-more", sentence("doctor.udpYesText"));
    }
    if (now) show("left", now.secondsLeft > 0 ? sentence("figure.seconds", { seconds: now.secondsLeft }) : "");
    await new Promise((resolve) => setTimeout(resolve, 400));
}
showEnd();
