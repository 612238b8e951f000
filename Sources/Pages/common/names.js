// Names within sentences: those written from right to left must not scramble what stands around them. A sentence is a
// text that marks its names with isolates (Unicode UAX #9: U+2068 … U+2069); on a page they are <bdi>.

const [OPEN, CLOSE] = ["\u2068", "\u2069"];
/** What a name might use to turn the words around it: embeddings, overrides and isolates. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/** A name as part of a sentence: for `write`, and where there is no markup, as in a window's title. */
export const isolated = (name) => OPEN + String(name).replace(TURNING, "") + CLOSE;

/** The sentence as people hear it, without marks. @param {string} text */
export const plain = (text) => text.replaceAll(OPEN, "").replaceAll(CLOSE, "");

/**
 * The sentence as nodes: texts, and each name in a <bdi> of its own.
 * @param {string} text @returns {(string | HTMLElement)[]}
 */
export function nodesOf(text) {
    return text.split(/(\u2068[^\u2069]*\u2069)/).filter(Boolean).map((part) => (part.startsWith(OPEN)
        ? Object.assign(document.createElement("bdi"), { textContent: plain(part), translate: false }) : part));
}

/** What each element was given last: a browser that translates the page has put words of its own there since. */
const written = new WeakMap();

/**
 * Sets an element's sentence, only where it changed: a screen reader's place, a selection and a translation stay. No
 * other hand writes there.
 */
export function write(element, text) {
    if (written.get(element) === text) return;
    written.set(element, text);
    if (text.includes(OPEN)) element.replaceChildren(...nodesOf(text)); else element.textContent = text;
}
