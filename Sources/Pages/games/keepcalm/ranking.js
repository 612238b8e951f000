// The best ten of today's games on this screen: initials, coins and the day, nothing else, kept in this browser until
// another day begins, or whoever operates it clears them.

const key = "roomful.keepcalm.ranking";
const places = 10;

/** At most three letters or digits, to begin with the first ones of a name's words: "Blue Otter" is BO. */
export function initialsOf(name) {
    const words = name.normalize("NFC").match(/[\p{L}\p{N}]+/gu) ?? [];
    return tidy(words.map((word) => [...word][0]).join("")) || "?";
}

export function tidy(text) {
    return [...text.toUpperCase()].filter((sign) => /[\p{L}\p{N}]/u.test(sign)).slice(0, 3).join("");
}

const today = () => new Date().toDateString();

/** [{initials, score, day}], the best first; whatever else lies there is not believed. */
export function loadRanking() {
    let kept;
    try { kept = JSON.parse(localStorage.getItem(key)); } catch { kept = null; }
    if (!Array.isArray(kept)) return [];
    return kept.filter((entry) => entry?.day === today())
        .filter((entry) => typeof entry.initials === "string" && Number.isInteger(entry.score))
        .map(({ initials, score, day }) => ({ initials: tidy(initials), score, day })).slice(0, places);
}

/** Nothing of another day stays, whether anybody plays or not. @returns {boolean} whether anything of today's is there */
export function sweepRanking() {
    const ranking = loadRanking();
    saveRanking(ranking);
    return ranking.length > 0;
}

/** The ranking with this game's results in their places: new entries keep what else they hold, until they are saved. */
export function withResults(ranking, results) {
    const all = [...ranking, ...results.map((result) => ({ ...result, day: today() }))];
    return all.sort((a, b) => b.score - a.score).slice(0, places);  // Stable: the older is before.
}

export function saveRanking(ranking) {
    try {
        const kept = ranking.filter((entry) => entry.day === today());  // A list may have lain open over midnight.
        localStorage.setItem(key, JSON.stringify(kept.map(({ initials, score, day }) => ({ initials, score, day }))));
    } catch { /* A browser without storage plays on; the ranking ends with the page. */ }
}
