// The game token: from the address into this tab's memory, never to be read off the address bar.

const KEY = "roomful.token";

/** A link with a token that is opened where the page is open already loads nothing by itself. */
function followLink() { if (new URLSearchParams(location.hash.slice(1)).get("t")) location.reload(); }

/** Takes it out of the fragment, or out of this tab's memory, which outlives a reload. */
export function ownToken() {
    addEventListener("hashchange", followLink);
    const fragment = new URLSearchParams(location.hash.slice(1));
    const token = fragment.get("t");
    try {
        if (token) {
            sessionStorage.setItem(KEY, token);
            fragment.delete("t");
            history.replaceState(null, "", location.pathname + location.search + (fragment.size ? `#${fragment}` : ""));
        }
        return token ?? sessionStorage.getItem(KEY) ?? undefined;
    } catch { return token ?? undefined; }  // A browser without storage.
}
