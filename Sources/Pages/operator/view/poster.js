// A sheet for the wall, in the operator's language: printed by the browser, and forgotten afterwards, as it holds the code.

import { sentence } from "/common/language.js";
import { isolated } from "/common/names.js";
import { qrSource } from "/common/qr.js";
import { byId, say } from "./make.js";

/** @param {string} room its name @param {{url: string, qr: string, code?: string, warns?: boolean}} ticket */
export function printPoster(room, { url, qr, code, warns }) {
    const address = url.split("#")[0];
    say(byId("poster-room"), isolated(room));
    byId("poster-code").src = qrSource(qr);
    say(byId("poster-address"), address);
    say(byId("poster-typed"), code ? sentence("poster.code", { code: isolated(code) }) : "");
    say(byId("poster-warning"), warns ? sentence("poster.warning", { host: isolated(new URL(address).host) }) : "");
    addEventListener("afterprint", forget, { once: true });
    byId("poster-code").decode().finally(() => print());
}

function forget() {
    byId("poster-code").removeAttribute("src");
    for (const part of ["room", "address", "typed", "warning"]) say(byId(`poster-${part}`), "");
}
