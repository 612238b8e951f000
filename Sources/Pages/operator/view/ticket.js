// The room's QR code and address for who comes late. It holds the code, so it is asked for, and forgotten, each time.

import { byId, say } from "./make.js";

export class Ticket {
    constructor(watch) {
        this.dialog = byId("ticket");
        this.watch = watch;
        byId("ticket-close").addEventListener("click", () => this.dialog.close());
        byId("ticket-copy").addEventListener("click", () => this.#copy());
        this.dialog.addEventListener("close", () => {
            byId("ticket-code").removeAttribute("src");
            say(byId("ticket-url"), "");
        });
    }

    async show() {
        const { url, qr } = await this.watch.ask({ task: "ticket" });
        byId("ticket-code").hidden = !qr;
        if (qr) byId("ticket-code").src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(qr)}`;
        say(byId("ticket-url"), url ?? "");
        const holdsCode = /[#&]c=/.test(url ?? "");
        say(byId("ticket-note"), holdsCode ? "The code in it lets in whoever has it. Close this when everybody is in."
            : "It says where the room is; it holds no code.");
        say(byId("ticket-copy"), "Copy the address");
        this.dialog.showModal();
        byId("ticket-close").focus();
    }

    async #copy() {
        try {
            await navigator.clipboard.writeText(byId("ticket-url").textContent);
            say(byId("ticket-copy"), "Copied");
        } catch {
            getSelection().selectAllChildren(byId("ticket-url"));
            say(byId("ticket-copy"), "Selected: copy it with your keys");
        }
    }
}
