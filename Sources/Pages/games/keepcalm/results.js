// What is shown after a game: who had how many coins, and the best ten of this screen, whose newcomers type initials.
import { sentence } from "/common/language.js";
import { isolated, write } from "/common/names.js";
import { dress } from "/games/colors.js";
import { element, make } from "/games/game.js";
import { loadRanking, saveRanking, tidy, withResults } from "./ranking.js";

/** Shows these results, [{number, label, name, color, score, initials}], the best first, and keeps the ranking. */
export function showResults(results) {
    element("results").classList.toggle("many", results.length > 8);
    element("results").replaceChildren(...results.map(({ number, label, name, color, score }) => {
        const item = make("li");
        item.dataset.player = number;
        item.dataset.score = score;
        dress(item, color, number);
        const badge = make("span", { className: "badge", textContent: label ?? `P${number}` });
        item.append(badge, make("bdi", { textContent: name }), make("b", { textContent: score }));
        return item;
    }));
    const best = results[0];
    const winners = results.filter((result) => result.score === best.score);
    const coins = (count) => sentence("keepcalm.coins", { count });
    const outcome = winners.length === 1
        ? sentence("keepcalm.wins", { name: isolated(best.name) }) : sentence("keepcalm.tie");
    write(element("over-title"), results.length === 1 ? coins(best.score) : outcome);
    write(element("told"), results
        .map(({ name, score }) => sentence("keepcalm.score", { name: isolated(name), coins: coins(score) })).join("; "));
    const ranking = withResults(loadRanking(), results);
    saveRanking(ranking);
    element("ranking").replaceChildren(...ranking.map((entry) => rankingLine(entry, ranking)));
    element("hint").hidden = !ranking.some((entry) => entry.number);
}

function rankingLine(entry, ranking) {
    const item = make("li");
    const score = make("b", { textContent: entry.score });
    if (!entry.number) {
        item.append(make("span", { textContent: entry.initials }), score);
        return item;
    }
    const input = make("input", { value: entry.initials, maxLength: 3, autocomplete: "off", spellcheck: false });
    input.setAttribute("aria-label", sentence("keepcalm.initialsOf", { name: entry.name }));
    input.addEventListener("input", () => { entry.initials = tidy(input.value); saveRanking(ranking); });
    item.className = "new";
    item.append(input, make("small", { textContent: entry.label ?? `P${entry.number}` }), score);
    return item;
}
