// Tells the person with the phone what got through to the machine that runs `roomful doctor --phone`.

import { sendDatagrams } from "./datagrams.js";

const show = (id, text, kind) => {
    const element = document.getElementById(id);
    if (element.textContent !== text) element.textContent = text;
    if (kind !== undefined) element.className = `state ${kind}`;
};

let hasReachedUDP = false;

/** How the machine sees it; `null` once it no longer listens. */
async function state() {
    try {
        const answer = await fetch("/state", { cache: "no-store", signal: AbortSignal.timeout?.(3000) });
        return answer.ok ? await answer.json() : null;
    } catch {
        return null;
    }
}

function showEnd() {
    if (!hasReachedUDP) {
        show("udp", "No: nothing came through the direct way.", "bad");
        show("udp-more", "Over UDP. Phones can play without it; other controllers cannot.");
    }
    show("end", "The test is over. The other screen says what to do.");
}

const canTry = sendDatagrams(location.hostname, Number(location.port) || 80);
if (!canTry) {
    show("udp", "This browser cannot try the direct way.", "warn");
    show("udp-more", "Over UDP: it has no WebRTC. Try another browser, or another phone.");
}

for (let misses = 0; misses < 3;) {
    const now = await state();
    misses = now ? 0 : misses + 1;
    if (now?.udp && !hasReachedUDP) {
        hasReachedUDP = true;
        show("udp", "Yes: the direct way is open, too.", "good");
        show("udp-more", "Over UDP. This phone, and other controllers, can play here.");
    }
    if (now) show("left", now.secondsLeft > 0 ? `${now.secondsLeft} s` : "");
    await new Promise((resolve) => setTimeout(resolve, 400));
}
showEnd();
