"""No page has a serious finding of axe-core (WCAG 2.2 A and AA, and its best practices), in light and in dark."""

import re
from pathlib import Path

import pytest
from hosted_room import MAY_STAND_ASIDE, HostedRoom, wait_until
from native import DEMO, Native
from operator_page import OperatorPage, axe

if MAY_STAND_ASIDE:
    pytest.importorskip("axe_playwright_python", reason="axe-core is missing: Scripts/install-dependencies.sh --tests")


MODULES = 'const { inkOn } = await import("/common/ink.js");'
COLORS = Path(__file__).resolve().parents[2] / "Sources/SessionCoordinator/Seats/SeatColor.swift"


def luminance(color):
    """WCAG 2.2, relative luminance."""
    parts = [int(color[place:place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_what_is_written_on_each_seats_colour_can_be_read(run):
    """WCAG 2.2, 1.4.3: a contrast of 4.5."""
    colors = [f"#{digits.lower()}" for digits in re.findall(r"0x([0-9A-F]{6})\b", COLORS.read_text())]
    assert len(colors) == 8
    inks = run(f"return {colors}.map(inkOn);")
    for color, ink in zip(colors, inks):
        dark, light = sorted((luminance(color), luminance(ink)))
        assert (light + 0.05) / (dark + 0.05) >= 4.5, f"{ink} on {color}"


@pytest.fixture(scope="module")
def crowd():
    """A room with one who plays, and one who waits at the door."""
    room = HostedRoom("--policy", "ask", "--play", "keepcalm", seats=4).start()
    controllers = [Native(room, name, str(DEMO / "drop.csv"), loop=True) for name in ("Red Fox", "Blue Otter")]
    wait_until(lambda: len(room.command(task="status")["status"]["waiting"]) == 2, what="both ask")
    room.cli("accept", "Red Fox")
    yield room
    for controller in controllers:
        controller.close()
    room.close()


@pytest.fixture(params=["light", "dark"])
def scheme(request):
    return request.param


def test_the_operators_page_and_all_that_opens_above_it(crowd, browser, scheme):
    operator = OperatorPage(browser, crowd, color_scheme=scheme, reduced_motion="reduce")
    operator.wait_names("Red Fox")
    operator.page.locator("#latency-body .histogram").wait_for()
    assert axe(operator.page) == []
    for button in ("#show-ticket", "#show-keys", "#rename", "#seat", "#kick"):
        operator.page.click(button)
        operator.page.locator("dialog[open]").wait_for()
        assert axe(operator.page) == [], button
        operator.page.keyboard.press("Escape")
    operator.close()


def test_the_question_for_the_token(crowd, browser, scheme):
    operator = OperatorPage(browser, crowd, token=None, color_scheme=scheme)
    assert axe(operator.page) == []
    operator.close()


@pytest.mark.parametrize("path,ready", [
    ("/", "#start:enabled"), ("/pads/?n=3", "#begin"), ("/pads/?n=2", "#pads iframe >> nth=1"),
    ("/games/", "#people bdi"), ("/games/keepcalm/", "#players li"), ("/games/cube/", ".cube"),
    ("/games/duel/", "#rows li"),
    ("/nowhere", "main a")])
def test_phones_virtual_phones_and_games(crowd, browser, scheme, path, ready):
    # The games are looked at on the host's own screen, with the QR code on it.
    context = browser.new_context(
        ignore_https_errors=True, color_scheme=scheme, reduced_motion="reduce",
        viewport={"width": 390, "height": 844} if path == "/" else {"width": 1280, "height": 720})
    page = context.new_page()
    token = f"#t={crowd.token('operator')}" if path.startswith("/games") else ""
    page.goto(crowd.phone_url() if path == "/" else crowd.local + path + token)
    if "iframe" in ready:
        page.click("#begin")
    page.wait_for_selector(ready, state="attached")
    assert axe(page) == []
    context.close()
