// The page in its reader's language. The room picks the file by what the browser says that it reads (Accept-Language,
// RFC 9110, 12.5.4): one file comes, with the page itself. All languages stand in Sources/Pages/language.

import sentences, { language } from "../language/reader.js";

export { language };

/** Languages of ours, and of those who add one, that are written from right to left. */
export const isRightToLeft = ["ar", "fa", "he", "ur"].includes(language);
/** English as most of its readers write it, and digits that are the same for all: they stand on badges and seats. */
const locale = `${language === "en" ? "en-GB" : language}-u-nu-latn`;
const plural = new Intl.PluralRules(language);

/**
 * A sentence, in which `{name}` stands for `values.name`; `values.count` chooses among its plural's forms.
 * @param {string} key @param {Object<string, string | number>} [values]
 */
export function sentence(key, values = {}) {
    const found = sentences[key];
    if (found === undefined) throw new Error(`no sentence is called ${key}`);
    const text = typeof found === "string" ? found : found[plural.select(values.count)] ?? found.other;
    return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** Whether there is a sentence of that name. */
export const knows = (key) => Object.hasOwn(sentences, key);

/** The sentence of that name where there is one, else what the room itself says. */
export const sentenceOr = (key, otherwise) => (knows(key) ? sentence(key) : otherwise);

/** What the room answered, as far as there are words of this page's own for it. @param {{code?: string}} error */
export const refusalWords = ({ code, message }) => (language === "en" ? message : sentenceOr(`error.${code}`, message));

/** A number as this page's readers write it. @param {number} value @param {number} digits after the point */
export const decimal = (value, digits = 0) =>
    value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** "P1, P2 and P3". @param {string[]} items */
export const listed = (items) => new Intl.ListFormat(locale, { type: "conjunction" }).format(items);

/** A sentence as nodes, in which `signs` that are to be typed stand as code. */
export const withCode = (text) => text.split(/(`[^`]*`)/).filter(Boolean).map((part) => (part.startsWith("`")
    ? Object.assign(document.createElement("code"), { textContent: part.slice(1, -1), dir: "ltr" }) : part));

/**
 * Writes what stands in the page: `data-say` names the sentence of an element, `data-say-label` and `data-say-alt` those
 * of its attributes. To be done first.
 */
export function readPage() {
    Object.assign(document.documentElement, { lang: language, dir: isRightToLeft ? "rtl" : "ltr" });
    for (const root of [document, ...[...document.querySelectorAll("template")].map((one) => one.content)]) {
        for (const element of root.querySelectorAll("[data-say]")) {
            element.replaceChildren(...withCode(sentence(element.dataset.say)));
        }
        for (const [name, attribute] of [["data-say-label", "aria-label"], ["data-say-alt", "alt"]]) {
            for (const element of root.querySelectorAll(`[${name}]`)) {
                element.setAttribute(attribute, sentence(element.getAttribute(name)));
            }
        }
    }
}
