"""A large screen that shows a game, and how it is watched."""

import json

SCREEN = {"width": 1280, "height": 720}


class GameScreens:
    """Opens games on large screens of one browser. What a page complained of, or asked of another place, is kept."""

    def __init__(self, browser):
        self.browser = browser
        self.contexts, self.complaints = [], []

    def open(self, room, path, heard=None, script="", **options):
        """In `heard` is put what the room tells the page, whenever Playwright waits; `script` runs before the page's own."""
        context = self.browser.new_context(viewport=SCREEN, **options)
        self.contexts.append(context)
        context.add_init_script(script)
        page = context.new_page()
        complain = self.complaints.append
        page.on("pageerror", lambda error: complain(str(error)))
        page.on(
            "console", lambda message: complain(message.text)
            if message.type == "error" and not message.location["url"].endswith("/favicon.ico") else None)
        page.on(
            "request", lambda request: None if request.url.startswith((room.local, "data:", "blob:"))
            else complain(f"asked for {request.url}"))
        if heard is not None:
            page.on("websocket", lambda socket: socket.on("framereceived", lambda text: heard.append(json.loads(text))))
        page.goto(room.game_link(path))
        return page

    def close(self):
        for context in self.contexts:
            context.close()
