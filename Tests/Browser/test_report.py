"""The page that `roomful report` makes of an evening, in the engines of test_engines.py: drawn in full, alike in all, and
with nothing from elsewhere."""

import functools
import http.server
import threading
import time

import pytest
from hosted_room import PATIENCE, HostedRoom, wait_until
from native import Together
from test_engines import engine  # noqa: F401

# What stands in the page, and whether it is there to be seen.
LOOK = """
    const box = element => { const { width, height } = element.getBoundingClientRect(); return [width, height]; };
    const all = selector => [...document.querySelectorAll(selector)];
    return {
        title: document.title,
        headings: all("h2").map(heading => heading.textContent),
        captions: all("figcaption").map(caption => caption.textContent),
        empty: all("figure svg").filter(svg => box(svg).some(side => side < 40)).length,
        figures: all("figure svg").length,
        ties: all("svg .tie").map(box),
        boxes: all("svg .box").map(box),
        paper: getComputedStyle(document.body).backgroundColor,
        ink: getComputedStyle(document.body).color,
        overflow: document.documentElement.scrollWidth - innerWidth,
        cells: all("td").map(cell => cell.textContent),
    };
"""


@pytest.fixture(scope="module")
def evening(tmp_path_factory):
    """A report of a duel that one wins, and one that nobody can tell: the folder, and what the room said."""
    folder = tmp_path_factory.mktemp("evening")
    recording = folder / "duel.mcap"
    room = HostedRoom("--policy", "open", "--contest", "keepcalm-jump", "--tie", "share", "--record", str(recording),
                      "--record-description", "a duel", name="Duel", seats=2).start()
    players = Together(room, ["Red Fox", "Blue Owl"])
    try:
        # Not before their clocks are known to a few milliseconds.
        wait_until(lambda: all(
            peer["samples"]["delivered"] > 30 and peer["clock"]["state"] == "locked" for peer in room.peers()))
        players.jump(0, 0)
        tie = room.wait_event(type="verdict")
        seen = len(room.events)
        room.cli("mark", "again")
        time.sleep(1.5)
        players.jump(0, 0.4)
        won = room.wait_event(type="verdict", since=seen)
    finally:
        players.close()
    room.cli("stop")
    room.process.wait(PATIENCE)
    room.cli("report", str(recording), "--output", str(folder / "duel.html"))
    room.close()
    return folder, tie, won


@pytest.fixture(scope="module")
def served(evening):
    """The page's address, and every path that anybody asked for."""
    asked = []

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            asked.append(self.path)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=evening[0]))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/duel.html", asked
    server.shutdown()


def test_a_report_is_drawn_in_every_engine_alone_and_in_full(engine, evening, served, screenshots):  # noqa: F811
    _, tie, won = evening
    url, asked = served
    engine.go(url)
    look = engine.run(LOOK)
    engine.screenshot(screenshots / f"report-{engine.name}.png")
    assert look["title"].startswith("Duel, ") and "a duel" in look["cells"]
    for heading in ("Who played when", "Motion, and gestures", "Loss", "Clocks", "Photo finishes", "Ledgers"):
        assert heading in look["headings"]
    assert look["figures"] >= 8 and look["empty"] == 0 and look["overflow"] <= 0, look
    assert look["paper"] != look["ink"]
    assert set(asked) <= {"/duel.html", "/favicon.ico"}, "it asks for what is elsewhere"
    # The verdicts, as the room told them; the tie has its shade, and the other has none.
    assert tie["winners"] == [1, 2] and won["winners"] == [1], (tie, won)
    for verdict in (tie, won):
        assert sum(caption.startswith(verdict["id"] + " at ") for caption in look["captions"]) == 1
    assert len(look["ties"]) == 1 and min(look["ties"][0]) > 1, "the tie's shade is not to be seen"
    # Two who played, and each moment that a verdict names: whoever moved after it had fallen has none there.
    moments = sum(one["at"] is not None for verdict in (tie, won) for one in verdict["evidence"])
    assert moments >= 3 and len(look["boxes"]) >= 2 + moments and all(height > 5 for _, height in look["boxes"])
    engine.run("document.querySelector('svg .tie').scrollIntoView({ block: 'center' })")
    engine.screenshot(screenshots / f"report-tie-{engine.name}.png")
