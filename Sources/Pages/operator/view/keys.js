// Single keys for who has a keyboard. They rest while a field or a question has the focus, and can be switched off
// (WCAG 2.2, 2.1.4).

import { sentence } from "/common/language.js";
import { byId, make } from "./make.js";

const KEPT = "roomful.operator-keys";

/** @param {[key: string, deed: string, act: () => void][]} keys `deed`: of the sentence `keys.…` */
export function listenForKeys(keys) {
    const list = byId("keys-list");
    const all = [["↑ ↓", "arrows"], ...keys, ["Esc", "escape"]];
    for (const [key, deed] of all) {
        list.append(make("div", {}, make("dt", {}, make("kbd", {}, key)), make("dd", {}, sentence(`keys.${deed}`))));
    }
    const on = byId("keys-on");
    try { on.checked = localStorage.getItem(KEPT) !== "off"; } catch { /* Then they are on. */ }
    on.addEventListener("change", () => {
        try { localStorage.setItem(KEPT, on.checked ? "on" : "off"); } catch { /* For now. */ }
    });
    byId("keys-close").addEventListener("click", () => byId("keys").close());
    byId("show-keys").addEventListener("click", () => byId("keys").showModal());
    const acts = new Map(keys.map(([key, , act]) => [key, act]));
    document.addEventListener("keydown", (event) => {
        const isElsewhere = event.ctrlKey || event.altKey || event.metaKey || event.repeat
            || document.querySelector("dialog[open]")
            || event.target.closest?.("input:not([type=checkbox]), select, textarea");
        if (isElsewhere || !on.checked || byId("room").hidden) return;
        const act = acts.get(event.key.length === 1 ? event.key.toLowerCase() : event.key);
        if (!act) return;
        event.preventDefault();
        act();
    });
}
