"""Pages of a room that are watched from within: what they hear, and their sockets and clock in a test's hand."""

from hosted_room import wait_until

# Its sockets; and whether it is cut off, by these and by requests.
SOCKETS = """(() => {
    window.sockets = [];
    window.isCut = false;
    const [Real, fetch] = [WebSocket, window.fetch];
    window.WebSocket = class extends Real {
        constructor(...values) {
            super(...values);
            sockets.push(this);
            if (isCut) setTimeout(() => this.close());
        }
    };
    window.fetch = (...values) => (isCut ? Promise.reject(new TypeError("cut")) : fetch(...values));
})();
"""

# Its machine slept for so long, in ms.
SLEEP = """(() => {
    window.slept = 0;
    const now = performance.now.bind(performance);
    performance.now = () => now() + slept;
})();
"""

# A page of the room that joins by hand; what it heard is in `heard`.
JOIN = """async (options) => {
    const { join } = await import("/roomful.js");
    window.heard = [];
    const begun = performance.now();
    window.room = join(options);
    room.on("*", (event) => heard.push(event));
    room.on("hello", () => { window.greetedWithin ??= performance.now() - begun; });
    room.on("status", (status) => heard.push({ type: "status", status }));
    room.on("error", (error) => heard.push({ type: "error", message: error.message }));
}"""


def heard(page, kind):
    return page.evaluate("(kind) => heard.filter((event) => event.type === kind)", kind)


def wait_heard(page, script):
    """Waits until this is true in the page, which forbids what Playwright's own wait needs."""
    return wait_until(lambda: page.evaluate(script), what=script)
