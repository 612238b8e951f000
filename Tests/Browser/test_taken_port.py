"""What another user of the machine, who had the room's port before it, has left in the operator's browser."""

import contextlib
import http.server
import os
import threading

import pytest
from hosted_room import wait_until


class Squatter(http.server.BaseHTTPRequestHandler):
    """Another user's program, which had the port before the room, and leaves a service worker in browsers."""

    script = "/worker.js"
    PAGE = ("<!doctype html><title>left</title><script>"
            "navigator.serviceWorker.register('%s', {scope: '/'}).then(() => { document.title = 'set'; })</script>")
    WORKER = b"""
        self.addEventListener("install", () => self.skipWaiting());
        self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
        self.addEventListener("fetch", (event) => { if (event.request.mode === "navigate") event.respondWith(new Response(
            "<!doctype html><title>stolen</title>", {headers: {"content-type": "text/html"}})); });
    """

    def do_GET(self):
        isScript = self.path == self.script and self.headers.get("Service-Worker") == "script"
        body, kind = (self.WORKER, "text/javascript") if isScript else ((self.PAGE % self.script).encode(), "text/html")
        self.send_response(200)
        self.send_header("Service-Worker-Allowed", "/")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def squatting(room, handler):
    """Whoever has a room's port until it opens."""
    room.stop()
    squatter = http.server.ThreadingHTTPServer(("127.0.0.1", room.http), handler)
    threading.Thread(target=squatter.serve_forever, daemon=True).start()
    yield
    squatter.shutdown()
    squatter.server_close()
    room.start()


@pytest.mark.parametrize("script", ["/worker.js", "/in/a/folder.js", "/game/"])
def test_a_service_worker_of_whoever_had_the_port_before_the_room_is_gone_after_one_load(browser, host, script):
    room = host("--play", "duel")
    handler = type("Handler", (Squatter,), {"script": script})
    with contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        with squatting(room, handler):
            page.goto(f"http://127.0.0.1:{room.http}/")
            page.wait_for_function("navigator.serviceWorker.controller !== null")
        page.goto(f"http://127.0.0.1:{room.http}/operator/")
        assert page.title() == "stolen", "the worker does not stand between"
        # The worker that takes its leave loads the page anew.
        page.wait_for_selector("main")
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{room.http}/operator/")
        assert page.title() not in ("stolen", "left")
        assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0


class Keeper(http.server.BaseHTTPRequestHandler):
    """Another user's program, whose pages a browser may keep for a year."""

    def do_GET(self):
        kind = "text/javascript" if self.path.endswith(".js") else "text/html"
        body = b"" if kind == "text/javascript" else b"<!doctype html><title>kept</title><script src='main.js'></script>"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "max-age=31536000, immutable")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_what_a_browser_kept_of_whoever_had_the_port_before_is_not_shown_by_roomful_open(browser, host, tmp_path):
    room = host()
    with contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        with squatting(room, Keeper):
            page.goto(f"http://127.0.0.1:{room.http}/operator/")
        page.goto(f"http://127.0.0.1:{room.http}/operator/")
        assert page.title() == "kept", "a browser that keeps nothing shows nothing here"
        # What `roomful open` gives a desktop's browser.
        opener = tmp_path / "xdg-open"
        opener.write_text(f'#!/bin/sh\ncp "$1" {tmp_path}/opened.html\n')
        opener.chmod(0o755)
        room.cli("open", environment={"DISPLAY": ":9", "PATH": f"{tmp_path}:{os.environ['PATH']}"})
        wait_until((tmp_path / "opened.html").exists, what="the page to be opened")
        page.goto(f"file://{tmp_path}/opened.html")
        page.wait_for_url("http://127.0.0.1:*/operator/**")
        page.wait_for_selector("main")
        assert page.title() != "kept"
        page.goto(f"http://127.0.0.1:{room.http}/operator/")
        assert page.title() != "kept", "it is gone for good"
