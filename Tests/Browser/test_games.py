"""The bundled games, in a real browser, played by controllers whose motion is made by script."""

from pathlib import Path

import pytest
from hosted_room import wait_until
from native import Native, leap, push, recording, turning

SCREEN = {"width": 1280, "height": 720}
PACE = 4
SEED = 7


@pytest.fixture
def screen(browser):
    """Opens a game on a large screen. One that complains, or asks anything of another place, fails the test."""
    contexts, complaints = [], []

    def open_game(room, path):
        context = browser.new_context(viewport=SCREEN)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on(
            "request", lambda request: None if request.url.startswith((room.local, "data:", "blob:"))
            else complaints.append(f"asked for {request.url}"))
        page.goto(room.local + path)
        return page

    yield open_game
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def natives():
    """Starts native controllers: `natives(room, "Blue", recording)`."""
    made = []

    def start(*arguments, **options):
        made.append(Native(*arguments, **options))
        return made[-1]

    yield start
    for native in made:
        native.close()


def items_of(page, count):
    """What comes along in a game of this seed."""
    return page.evaluate(
        """async ([seed, count]) => {
            const { itemKind } = await import("/games/keepcalm/rules.js");
            return Array.from({ length: count }, (_, number) => itemKind(seed, number));
        }""", [SEED, count])


def script(kinds, skipped):
    """When to jump, in seconds of the game, to take everything but what is skipped, 0.2 s before it is at the runner;
    and the score that this comes to. Written down from the rules as users know them, not from the game's program."""
    jumps, coins, left = [], 0, 30
    slow_until = fast_until = float("inf")  # A cherry's effect.

    def distance(time):
        return time + 0.5 * max(0, min(time, fast_until) - slow_until)

    for number, kind in enumerate(kinds):
        appears = 3.0 * number
        arrives = next(
            step / 1000 for step in range(int(appears * 1000), 10_000_000)
            if distance(step / 1000) >= distance(appears) + 4.5)
        if number in skipped:
            continue
        jumps.append(arrives - 0.2)
        left -= 1
        if kind == "banana":
            coins += 1
        elif kind == "blueberry":
            left += 1
        elif kind == "cherry":
            assert slow_until == float("inf"), "this script knows of one cherry only"
            slow_until, fast_until = arrives - 0.15, arrives - 0.15 + 10
        else:
            coins, left = coins - 10, max(0, left - 5)
        if left == 0:
            return jumps, coins
    raise AssertionError("there were too few items")


def test_keepcalm_played_to_its_end_by_script_has_the_score_that_its_rules_say(host, screen, natives, screenshots):
    """P1 takes 30 jumps' worth of items, one of them poo, and lets two pass; P2 says that it is ready, and then sleeps."""
    room = host("--play", "keepcalm")
    page = screen(room, f"/game/?seed={SEED}&pace={PACE}")
    kinds = items_of(page, 40)
    assert kinds[:6] == ["blueberry", "banana", "banana", "cherry", "banana", "poo"]
    jumps, score = script(kinds, skipped={8, 11})
    assert (len(jumps), score) == (26, 13)

    # P1 says last that it is ready. The countdown takes 3 s of the game's own time from that jump on.
    ready = 8.0
    times = [ready] + [ready + (3 + jump) / PACE for jump in jumps]
    natives(room, "Blue Otter", recording(room.folder, 60, lambda t: push(t, times)))
    page.wait_for_selector('#players [data-number="1"]', timeout=15_000)
    natives(room, "Green Heron", recording(room.folder, 60, lambda t: push(t, [2.0])))
    page.wait_for_selector('#players [data-number="2"][data-ready="true"]', timeout=15_000)
    page.wait_for_selector("body[data-phase=over]", timeout=60_000)
    results = page.locator("#results li").evaluate_all("all => all.map((one) => ({...one.dataset}))")
    assert results == [{"player": "1", "score": str(score)}, {"player": "2", "score": "0"}]
    assert page.locator("#over-title").inner_text() == "Blue Otter wins"
    page.screenshot(path=screenshots / "keepcalm-over.png")
