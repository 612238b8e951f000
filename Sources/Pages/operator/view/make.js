// Elements in one line. Text is always text: nothing that a peer calls itself is ever read as markup, or turns the
// words around it.

import { nodesOf, write } from "/common/names.js";

/** make("td", { class: "x", onclick }, "text", child) */
export function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (value === true) element.setAttribute(name, "");
        else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
    }
    element.append(...children.flatMap((child) => (typeof child === "string" ? nodesOf(child) : child)));
    return element;
}

/** Sets the text only where it changed, so that a screen reader's place and a selection stay. */
export function say(element, text) { write(element, text); }

export const byId = (id) => document.getElementById(id);
