// The list of games: which room this is, and who is here. The token of the page's address stays with this tab, so that
// the links need none.
import { isolated, write } from "/common/names.js";
import { join, joinCode } from "/roomful.js";

const room = join({ types: ["player"] });
const people = document.getElementById("people");

function show() {
    write(document.getElementById("room"), document.title = isolated(room.hello?.room ?? "Games"));
    const count = room.players.size;
    const names = [...room.players.values()].map((one) => isolated(one.name)).join(", ");
    write(people, count === 0 ? "Nobody is here yet: scan the room’s QR code with a phone."
        : `${count} ${count === 1 ? "player" : "players"}: ${names}`);
}

document.querySelector("header").append(joinCode(room, { side: true }));
room.on("hello", show);
room.on("player", show);
room.on("error", (error) => { people.textContent = error.message; });
