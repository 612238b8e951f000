// Opens n virtual phones, so that a game can be made and tried without a real one: /pads/?n=4, and behind # the same
// ticket as the QR code's. Each is the phone's own page with an identity of its own in this tab.

const MOST = 8;

const element = (id) => document.getElementById(id);

/** The ticket is taken from the address bar, and kept for reloads of this tab. */
function ticket() {
    const fragment = location.hash || sessionStorage.getItem("roomful.pads.ticket") || "";
    if (fragment) sessionStorage.setItem("roomful.pads.ticket", fragment);
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    return fragment;
}

const fragment = ticket();
const wanted = Number(new URLSearchParams(location.search).get("n") ?? 2);
const room = new URLSearchParams(fragment.slice(1)).get("r");
if (room) element("title").textContent = document.title = `Virtual phones in ${room}`;

/** Opens or closes phones until there are so many. */
function open(count) {
    const pads = element("pads");
    while (pads.children.length > count) pads.lastElementChild.remove();
    while (pads.children.length < count) {
        const number = pads.children.length + 1;
        const frame = document.createElement("iframe");
        frame.src = `/?pad=${number}${fragment}`;
        frame.title = `Virtual phone ${number}`;
        frame.allow = "autoplay; vibrate; screen-wake-lock";
        pads.append(frame);
    }
    element("count").textContent = String(count);
    element("fewer").disabled = count <= 1;
    element("more").disabled = count >= MOST;
    history.replaceState(null, "", `${location.pathname}?n=${count}`);
}

const now = () => element("pads").children.length;
element("fewer").addEventListener("click", () => open(now() - 1));
element("more").addEventListener("click", () => open(now() + 1));
open(Math.min(MOST, Math.max(1, Math.round(wanted) || 2)));
