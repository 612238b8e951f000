// What a browser shows where the room has no page: in its reader's language, with the way in.

import { readPage, sentence } from "/common/language.js";

readPage();
if (location.pathname === "/game" || location.pathname === "/game/") {
    document.getElementById("text").textContent = sentence("missing.noGame");
}
