// What the start page says before anybody joins: whose room this is, and what is played on its big screen.

import { connect } from "./transport/connect.js";

/** The start page does not wait for longer, in ms. */
const PATIENCE = 5_000;

/** @returns {Promise<{name?: string, game?: string}>} empty where the room says nothing; joining says it, too */
export async function introduction() {
    const [hello, title] = await Promise.all([helloOf(), titleOfGame()]);
    return { name: hello?.name, game: title ?? hello?.game };
}

/** The first thing that a room says on every connection. */
async function helloOf() {
    let close = () => {};
    const hello = await new Promise((resolve) => {
        setTimeout(resolve, PATIENCE);
        const quiet = () => {};
        const opening = connect({ message: resolve, datagram: quiet, ready: quiet, closed: () => resolve() });
        opening.catch(() => resolve());
        close = () => opening.then((transport) => transport.close(), quiet);
    });
    close();
    return hello?.type === "hello" ? hello : null;
}

/** What the game's page calls itself, where one is played in this room. */
async function titleOfGame() {
    try {
        const answer = await fetch("/game/", { headers: { Accept: "text/html" } });
        if (!answer.ok) return undefined;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        return page.title.trim().slice(0, 60) || undefined;
    } catch {
        return undefined;
    }
}
