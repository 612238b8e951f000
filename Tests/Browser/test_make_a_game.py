"""What README says to those who make games: its game in 30 lines, and the samples for engines."""

import math
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hosted_room import PATIENCE, wait_until
from native import G, Native, Together, leap, recording

HERE = Path(__file__).resolve().parent.parent.parent


BALLOON = "[...document.querySelectorAll('div')].find((one) => one.textContent === 'P3')"
LEFT = BALLOON + ".style.left"


def readme_game():
    text = (HERE / "README.md").read_text()
    return re.search(r"^## Make a game$.*?^```html\n(.*?)^```$", text, re.S | re.M).group(1)


def test_the_game_in_readme_has_30_lines_and_is_won_by_five_jumps(host, screen, tmp_path, screenshots):
    """As it stands there, served from a folder; a change to the file shows on reload."""
    game = readme_game()
    assert len(game.splitlines()) <= 30
    # The natives here push at 10 Hz, which is the paper's jump and no real one.
    game = game.replace('gesture !== "jump"', 'gesture !== "keepcalm-jump"')
    (tmp_path / "index.html").write_text(game)
    room = host("--serve", str(tmp_path))
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
        page.wait_for_function(LEFT + " !== ''")
        place = page.evaluate("(() => { const { left, right } = " + BALLOON + ".getBoundingClientRect(); return [left, right]; })()")
        assert 0 <= place[0] and place[1] <= page.viewport_size["width"]
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


@pytest.mark.parametrize("page", ["/", "/game/"])
def test_the_sample_in_python_says_who_jumped_and_shakes_the_controller(host, page):
    """Server-sent events and a command on the loopback port, by the link that open prints, and host's of a game."""
    room = host("--play", "cube")
    sample = HERE / "Examples/python/who_jumped.py"
    assert len(sample.read_text().splitlines()) <= 20
    process = subprocess.Popen([sys.executable, str(sample), room.game_link(page)], stdout=subprocess.PIPE, text=True)
    lines = []
    threading.Thread(target=lambda: lines.extend(iter(process.stdout.readline, "")), daemon=True).start()
    wait_until(lambda: lines == ["Living Room: 0 players\n"], what="its first word")
    native = Native(room, "Blue Otter", recording(room.folder, 60, lambda t: leap(t, range(2, 60, 4))))
    try:
        wait_until(lambda: lines[1:3] == ["P1 Blue Otter joined\n", "P1 jumped\n"], what=lambda: lines)
        assert room.wait_event(type="haptic", player=1, outcome="played")
    finally:
        process.terminate()
        process.wait(PATIENCE)
        native.close()


def test_the_samples_for_engines_have_20_lines():
    for sample in ("godot/roomful.gd", "unity/Roomful.cs"):
        assert len((HERE / "Examples" / sample).read_text().splitlines()) <= 20
