// The page in its reader's language: one module of sentences for each, the same keys in all;
// Tests/Browser/test_languages.py finds gaps.

/** @type {Object<string, string>} */
let sentences = {};

/**
 * Learns the first of these languages that the browser's user reads, else the first of all, and writes what stands in the
 * page. To be done before anything says a sentence.
 * @param {Object<string, Object<string, string>>} known sentences by key, by the two letters of their language
 */
export function learn(known) {
    const wanted = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
    const language = wanted.find((candidate) => candidate in known) ?? Object.keys(known)[0];
    sentences = known[language];
    document.documentElement.lang = language;
    for (const element of document.querySelectorAll("[data-say]")) element.textContent = sentence(element.dataset.say);
}

/** A sentence, in which `{name}` stands for `values.name`. @param {Object<string, string | number>} [values] */
export function sentence(key, values = {}) {
    const text = sentences[key];
    if (text === undefined) throw new Error(`no sentence is called ${key}`);
    return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** A number as this page's readers write it. @param {number} value @param {number} digits after the point */
export function decimal(value, digits) {
    const { lang } = document.documentElement;
    return value.toLocaleString(lang, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
