"""What README says to those who make games: its game in 30 lines, and the samples for engines."""

import http.server
import json
import math
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hosted_room import PATIENCE, HostedRoom, wait_until
from native import G, Native, Together, leap, push, recording

HERE = Path(__file__).resolve().parent.parent.parent
SAMPLE = HERE / "Examples/python/who_jumped.py"
SAMPLES = [SAMPLE, HERE / "Examples/godot/roomful.gd", HERE / "Examples/unity/Roomful.cs"]

README = (HERE / "README.md").read_text()


def readme_game():
    return re.search(r"^## Make a game$.*?^```html\n(.*?)^```$", README, re.S | re.M).group(1)


def readme_flags():
    """What its host is told beside the folder and a port."""
    command = re.search(r'^roomful host "Balloons" .*$', README, re.M).group()
    return [word for word in command.split() if word.startswith("--no-")]


def balloon(player):
    return f"[...document.querySelectorAll('div')].find((one) => one.textContent === '{player}')"


def test_the_game_in_readme_has_30_lines_and_is_won_by_five_jumps(host, screen, tmp_path, screenshots):
    """As it stands there, served from a folder; a change to the file shows on reload."""
    game = readme_game()
    assert len(game.splitlines()) <= 30
    # The natives here push at 10 Hz, which is the paper's jump and no real one.
    game = game.replace('gesture !== "jump"', 'gesture !== "keepcalm-jump"')
    (tmp_path / "index.html").write_text(game)
    room = host("--serve", str(tmp_path), *readme_flags())
    page = screen(room, "/game/")
    together = Together(room, ["Blue Otter", "Green Heron"])
    try:
        page.wait_for_selector("div:has-text('P2')")
        for jumps in range(5):
            together.jumped(1, *([2] if jumps < 2 else []))
            page.wait_for_timeout(500)
        page.wait_for_selector("h1 >> text=Blue Otter wins!")
        heights = page.locator("body > div").evaluate_all("all => all.map((one) => [one.textContent, one.style.bottom])")
        assert dict(heights) == {"P1": "70vh", "P2": "28vh"}
        page.screenshot(path=screenshots / "readme-game.png")
        assert room.wait_event(type="haptic", player=1, outcome="played")
        # However far it is tilted, a balloon stays on the screen.
        steep = (-G * math.sin(1.4), 0, G * math.cos(1.4))
        tilted = Native(room, "Red Panda", recording(room.folder, 60, lambda t: steep))
        together.natives.append(tilted)
        page.wait_for_selector("div:has-text('P3')")
        page.wait_for_function(balloon("P3") + ".style.left !== ''")
        place = page.evaluate(
            "(() => { const { left, right } = " + balloon("P3") + ".getBoundingClientRect(); return [left, right]; })()")
        assert 0 <= place[0] and place[1] <= page.viewport_size["width"]
        # No jump is felt twice.
        jumps = sum(event.get("gesture") == "keepcalm-jump" and event["phase"] == "began" and event["player"] == 1
                    for event in room.events if event["type"] == "gesture")
        assert sum(event["type"] == "haptic" and event["player"] == 1 for event in room.events) <= jumps
        # Who leaves takes the points along: the next person has the number, and none of them.
        together.natives[0].close()
        page.wait_for_function("!" + balloon("P1"))
        together.natives.append(Native(room, "Red Fox", recording(room.folder, 60, lambda t: push(t, [3]))))
        page.wait_for_function(balloon("P1") + "?.style.bottom === '14vh'")
    finally:
        together.close()
    (tmp_path / "index.html").write_text(game.replace("Jump to rise", "Hop to rise"))
    page.reload()
    assert page.inner_text("h1") == "Hop to rise, tilt to steer"


def test_a_page_of_a_development_server_is_let_in_by_its_origin_and_no_other(host, browser, tmp_path):
    """It imports the module from the room's address, which thereby knows where the room is."""
    serving = subprocess.Popen(
        [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    port = re.search(r"port (\d+)", serving.stdout.readline()).group(1)  # It listens.
    room = host("--allow-origin", f"http://localhost:{port}")
    (tmp_path / "index.html").write_text(f"""<!doctype html><script type="module">
        import {{ join, joinCode }} from "{room.local}/roomful.js";
        const room = join();
        document.body.append(joinCode(room));
        room.on("hello", (hello) => {{ document.title = hello.room; }});
        room.on("error", () => {{ document.title = "refused"; }});
    </script>""")
    page = browser.new_page()
    try:
        page.goto(f"http://localhost:{port}/#t={room.game_token}")
        wait_until(lambda: page.title() == "Living Room", what="the room's name as title")
        # The way in looks as it does in a page of the room's own.
        styled = "getComputedStyle(document.querySelector('roomful-join').shadowRoot.querySelector('.join')).display"
        wait_until(lambda: page.evaluate(styled) == "grid", what="the stylesheet of the way in")
        page.goto(f"http://127.0.0.1:{port}/#t={room.game_token}")  # Another origin, to a browser.
        page.wait_for_timeout(1500)
        assert page.title() != "Living Room"
    finally:
        page.close()
        serving.terminate()
        serving.wait(PATIENCE)
        serving.stdout.close()


class Sample:
    """The sample in Python by a room's link, and what it says."""

    def __init__(self, link):
        self.lines = []
        self.process = subprocess.Popen(
            [sys.executable, str(SAMPLE), link], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        threading.Thread(target=lambda: self.lines.extend(iter(self.process.stdout.readline, "")), daemon=True).start()

    def says(self, *lines):
        """Waits until it has said these, one after the other."""
        expected = [f"{line}\n" for line in lines]
        wait_until(lambda: expected in [self.lines[at:at + len(expected)] for at in range(len(self.lines))],
                   what=lambda: f"{expected} in {self.lines}")

    def close(self):
        self.process.kill()
        self.process.wait(PATIENCE)


@pytest.fixture
def samples():
    """Starts the sample in Python, and ends it: `samples(link)`."""
    made = []

    def start(link):
        made.append(Sample(link))
        return made[-1]

    yield start
    for sample in made:
        sample.close()


@pytest.mark.parametrize("page", ["/", "/game/"])
def test_the_sample_in_python_says_who_jumped_and_shakes_the_controller(host, samples, page):
    """Server-sent events and a command on the loopback port, by the link that open prints, and host's of a game. That a jump
    was the first, and a team's, is told beside it."""
    room = host("--play", "cube", "--contest", "jump", "--team", "red=1:any")
    sample = samples(room.game_link(page))
    sample.says("Living Room: 0 players")
    native = Native(room, "Blue Otter", recording(room.folder, 60, lambda t: leap(t, range(2, 60, 4))))
    try:
        sample.says("P1 Blue Otter joined", "P1 jumped", "P1 jumped")
        assert room.wait_event(type="verdict", winners=[1]) and room.wait_event(type="team", gesture="jump")
        assert room.wait_event(type="haptic", player=1, outcome="played")
    finally:
        native.close()


@pytest.mark.parametrize("page", ["/", "/game/"])
def test_the_sample_in_python_takes_the_link_of_a_room_that_asks_for_no_token(host, samples, page):
    """It is the one that such a host prints."""
    samples(host("--play", "cube", "--open-loopback").local + page).says("Living Room: 0 players")


def test_the_sample_in_python_says_why_it_is_refused(room, samples):
    sample = samples(f"{room.local}/#t={'A' * 43}")
    assert sample.process.wait(PATIENCE) == 1
    wait_until(lambda: "token is missing or wrong" in "".join(sample.lines), what=lambda: sample.lines)


def test_the_sample_in_python_waits_for_the_room_and_comes_back_to_it(samples, natives):
    room = HostedRoom("--open-loopback")
    sample = samples(room.local)
    waits = lambda: sum(line.startswith("waiting for the room") for line in sample.lines)
    try:
        wait_until(waits, what="it waits for the room")
        room.start()
        sample.says("Living Room: 0 players")
        room.kill()
        wait_until(lambda: waits() == 2, what=lambda: sample.lines)
        room.start()
        natives(room, "Blue Otter", recording(room.folder, 60, lambda t: leap(t, [])))
        sample.says("P1 Blue Otter joined")
    finally:
        room.close()


class PlainRoom(http.server.BaseHTTPRequestHandler):
    """A room of which nothing is there but its words: it tells one jump, is away, and refuses every command."""

    jump = {"type": "gesture", "n": 7, "player": 1, "gesture": "jump", "phase": "began"}
    hello = {"type": "hello", "room": "Plain", "players": []}
    refusal = {"error": {"code": "notFound", "message": "nobody is here", "candidates": []}}

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        is_back = self.headers["last-event-id"] == "7@then"
        self.wfile.write(f"id: 7@then\ndata: {json.dumps(self.hello if is_back else self.jump)}\n\n".encode())
        if is_back:
            self.server.is_over.wait(PATIENCE)

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(404)
        self.end_headers()
        self.wfile.write(json.dumps(self.refusal).encode())

    def log_message(self, *_):
        pass


def test_the_sample_in_python_says_why_a_command_is_refused_and_goes_on_after_what_it_heard_last(samples):
    """Who jumped may have left before it is answered."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), PlainRoom) as room:
        room.is_over = threading.Event()
        threading.Thread(target=room.serve_forever, daemon=True).start()
        try:
            samples(f"http://127.0.0.1:{room.server_port}/#t={'A' * 43}").says(
                "P1 jumped", "refused: nobody is here", "waiting for the room: it has gone", "Plain: 0 players")
        finally:
            room.is_over.set()
            room.shutdown()


def test_the_samples_are_a_page_long_and_take_a_gesture_alone_for_one():
    """A verdict, and what a team does, have a `gesture` too."""
    for sample in SAMPLES:
        text = sample.read_text()
        assert len(text.splitlines()) <= 60, sample
        assert re.search(r'type"?[\])]? == "gesture"', text), sample
