// The room's QR code and address for who comes late. It holds the code, so it is asked for, and forgotten, each time.

import { sentence } from "/common/language.js";
import { qrSource } from "/common/qr.js";
import { byId, say } from "./make.js";
import { printPoster } from "./poster.js";

export class Ticket {
    constructor(watch) {
        this.dialog = byId("ticket");
        this.watch = watch;
        byId("ticket-close").addEventListener("click", () => this.dialog.close());
        byId("ticket-copy").addEventListener("click", () => this.#copy());
        byId("ticket-print").addEventListener("click", () => this.#print());
        this.dialog.addEventListener("close", () => {
            this.ticket = null;
            byId("ticket-code").removeAttribute("src");
            say(byId("ticket-url"), "");
        });
    }

    async show() {
        this.ticket = await this.watch.ask({ task: "ticket" });
        const { url, qr } = this.ticket;
        byId("ticket-print").hidden = !url || !qr;
        byId("ticket-code").hidden = !qr;
        if (qr) byId("ticket-code").src = qrSource(qr);
        say(byId("ticket-url"), url ?? "");
        const holdsCode = /[#&]c=/.test(url ?? "");
        say(byId("ticket-note"), sentence(holdsCode ? "ticket.holdsCode" : "ticket.noCode"));
        say(byId("ticket-copy"), sentence("ticket.copy"));
        this.dialog.showModal();
        byId("ticket-close").focus();
    }

    #print() { if (this.ticket) printPoster(this.watch.room.hello?.room ?? "", this.ticket); }

    async #copy() {
        try {
            await navigator.clipboard.writeText(byId("ticket-url").textContent);
            say(byId("ticket-copy"), sentence("ticket.copied"));
        } catch {
            getSelection().selectAllChildren(byId("ticket-url"));
            say(byId("ticket-copy"), sentence("ticket.selected"));
        }
    }
}
