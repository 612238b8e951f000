// Asks before something cannot be taken back, or for a word; what the room says against it stands in the same place.

import { refusalWords } from "/common/language.js";
import { byId, say } from "./make.js";

/**
 * @param {{title: string, text?: string, yes: string, isGrave?: boolean, field?: HTMLElement}} question
 * @param {(value: string) => Promise<void>} act what is done on yes; throws in plain words
 */
export function ask({ title, text = "", yes, isGrave = false, field = null }, act) {
    const dialog = byId("question");
    const form = byId("question-form");
    say(byId("question-title"), title);
    say(byId("question-text"), text);
    say(byId("question-problem"), "");
    byId("question-field").replaceChildren(...(field ? [field] : []));
    say(byId("question-yes"), yes);
    byId("question-yes").className = `button ${isGrave ? "danger" : "primary"}`;
    form.onsubmit = async (event) => {
        event.preventDefault();
        try {
            await act(field?.querySelector("input, select")?.value ?? "");
            dialog.close();
        } catch (error) {
            say(byId("question-problem"), refusalWords(error));
        }
    };
    byId("question-no").onclick = () => dialog.close();
    dialog.showModal();
    (field?.querySelector("input, select") ?? byId("question-no")).focus();
}
