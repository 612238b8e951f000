// The operator's token: from the address into this tab's memory, never to be read off the address bar.

import { timeout } from "/common/timeout.js";

const KEY = "roomful.operator-token";

/** Takes the token out of the fragment, or out of this tab's memory; `null` where there is none. */
export function takeToken() {
    const fragment = new URLSearchParams(location.hash.slice(1));
    const token = fragment.get("t");
    if (token) {
        keepToken(token);
        fragment.delete("t");
        history.replaceState(null, "", location.pathname + location.search + (fragment.size ? `#${fragment}` : ""));
        return token;
    }
    try { return sessionStorage.getItem(KEY); } catch { return null; }
}

export function keepToken(token) {
    try { sessionStorage.setItem(KEY, token); } catch { /* A browser without storage asks again after a reload. */ }
}

export function forgetToken() {
    try { sessionStorage.removeItem(KEY); } catch { /* Nothing was kept. */ }
}

/** What a person pastes: the token, or the whole link that holds it; `null` when it is neither. */
export function tokenIn(text) {
    const found = /(?:^|[#&?]t=)([A-Za-z0-9_-]{43})(?:$|[&\s])/.exec(text.trim());
    return found ? found[1] : null;
}

/** What the room says to the token: its status, `wrong`, or `unreachable`. */
export async function tryToken(token) {
    const answer = await fetch("/api/commands", {
        method: "POST", headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
        body: JSON.stringify({ task: "status" }), signal: timeout(8000),
    }).catch(() => null);
    const { status, error } = await answer?.json().catch(() => ({})) ?? {};
    return status ?? (error?.code === "wrongToken" ? "wrong" : "unreachable");
}
