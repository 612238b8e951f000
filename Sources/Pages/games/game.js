// What our games have in common besides their looks: elements, what is wrong, and keys.
import { refusalWords, sentence } from "/common/language.js";

export const element = (id) => document.getElementById(id);
export const make = (name, properties) => Object.assign(document.createElement(name), properties);

/** Says what is wrong, over the game; nothing with "". */
export function trouble(text) {
    element("trouble").textContent = text;
    element("trouble").hidden = !text;
}

/** Says why there is no connection, until there is one. */
export function tellTroubles(room) {
    room.on("error", (error) => trouble(refusalWords(error)));
    room.on("status", (status) => {
        if (status === "live") trouble("");
        if (status === "reconnecting") trouble(sentence("room.reconnecting"));
    });
}

/**
 * Single keys, each by its name in lower case, and what it does. While something is typed they rest, and a button that
 * has the focus keeps the space bar for itself.
 * @param {Object<string, () => void>} acts
 */
export function onKeys(acts) {
    addEventListener("keydown", (event) => {
        const isSpace = event.key === " ";
        const isElsewhere = event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement
            || (isSpace && event.target instanceof HTMLButtonElement);
        const act = isElsewhere ? null : acts[event.key.toLowerCase()];
        if (act && isSpace) event.preventDefault();
        act?.();
    });
}
