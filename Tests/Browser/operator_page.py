"""The operator's page of a room, in a real browser, and what a test asks of it."""

from hosted_room import wait_until

TABLET = {"width": 1180, "height": 820}


class OperatorPage:
    """`page` is Playwright's; a page that threw, or was refused something by its own policy, is in `errors`."""

    def __init__(self, browser, room, token="own", viewport=TABLET, script="", **options):
        self.context = browser.new_context(ignore_https_errors=True, viewport=viewport, **options)
        self.context.add_init_script(script)
        self.page = self.context.new_page()
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._note)
        fragment = f"#t={room.token('operator') if token == 'own' else token}" if token else ""
        self.asked = []  # Every command sent by WebSocket.
        self.page.on("websocket", lambda socket: socket.on("framesent", lambda text: self.asked.append(text)))
        self.page.goto(f"{room.base}/operator/{fragment}")

    def _note(self, message):
        if message.type == "error":
            self.errors.append(f"{message.text} at {message.location.get('url')}")

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def row(self, name):
        return self.page.locator("#rows tr").filter(has=self.page.get_by_text(name, exact=True))

    def names(self):
        """The players' names, from top to bottom."""
        return self.page.locator("#rows .name").all_inner_texts()

    def wait_names(self, *names):
        wait_until(lambda: self.polled() == list(names), what=lambda: f"players {names}; here are {self.names()}")

    def polled(self):
        self.page.wait_for_timeout(30)  # Playwright's own events come only while it waits.
        return self.names()

    def choose(self, name):
        self.row(name).get_by_role("button").click()
        self.says("#chosen-name", name)

    def says(self, selector, text):
        """Waits until the element's text holds this."""
        self.page.wait_for_function(
            "([selector, text]) => document.querySelector(selector)?.textContent.includes(text)", arg=[selector, text])

    def close(self):
        self.context.close()


def axe(page, *exclude):
    """The serious findings of axe-core on the page as it stands, each with where it is."""
    import importlib.resources

    script = (importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text()
    page.evaluate(script)
    found = page.evaluate(
        "exclude => axe.run({exclude}, {resultTypes: ['violations']})", [[selector] for selector in exclude])
    return [
        f"{violation['impact']} {violation['id']}: {violation['help']}: "
        + str([node["html"][:160] for node in violation["nodes"][:3]])
        for violation in found["violations"] if violation["impact"] in ("serious", "critical")
    ]
