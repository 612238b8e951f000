// The list of games: which room this is, and who is here. The token of the page's address stays with this tab, so that
// the links need none.
import { listed, readPage, refusalWords, sentence } from "/common/language.js";
import { isolated, write } from "/common/names.js";
import { join, joinCode } from "/roomful.js";

readPage();
const room = join({ types: ["player"] });
const people = document.getElementById("people");

function show() {
    write(document.getElementById("room"), document.title = isolated(room.hello?.room ?? sentence("games.title")));
    const count = room.players.size;
    const names = listed([...room.players.values()].map((one) => isolated(one.name)));
    write(people, count === 0 ? sentence("games.nobody") : sentence("games.people", { count, names }));
}

document.querySelector("header").append(joinCode(room, { side: true }));
room.on("hello", show);
room.on("player", show);
room.on("error", (error) => { write(people, refusalWords(error)); });
