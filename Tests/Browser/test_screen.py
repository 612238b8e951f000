"""A big screen in an exhibit: the way in while nobody plays, else the game."""

import re

import pytest
from game_screen import SCREEN
from hosted_room import HERE, wait_until

RECORDING = "Recordings/demo/tilt.csv"


def test_the_way_in_is_shown_while_nobody_plays_and_the_game_while_somebody_does(host, screen, natives):
    room = host("--policy", "open", "--play", "duel", "--idle", "2s", "--grace", "1s")
    page = screen(room, "/screen/")
    page.get_by_role("heading", name="Living Room").wait_for()
    page.locator("roomful-join img.qr").wait_for()
    assert "phone" in page.locator("#invitation").inner_text() and page.locator("iframe").count() == 0
    blue = natives(room, "Blue", HERE.parent.parent / RECORDING, loop=True)
    frame = page.frame_locator("iframe")
    frame.get_by_text("Blue").first.wait_for()
    page.locator("#attract").wait_for(state="hidden")
    blue.close()
    # After its grace the seat is free, and 15 s later the screen is as it was: the game has gone with its scores.
    page.locator("roomful-join img.qr").wait_for()
    assert page.locator("iframe").count() == 0
    # The door is closed and opened again.
    room.cli("lock")
    page.get_by_text("closed").wait_for()
    page.locator("roomful-join img.qr").wait_for(state="hidden")
    room.cli("unlock")
    page.locator("roomful-join img.qr").wait_for()


# What is cut off by the screen's edge, in shadow trees, too.
CUT = """() => {
    const cut = [];
    const look = (root) => {
        for (const element of root.querySelectorAll("*")) {
            if (element.shadowRoot) look(element.shadowRoot);
            const { left, top, right, bottom, width } = element.getBoundingClientRect();
            if (!width || !element.checkVisibility()) continue;
            if (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1) cut.push(element.outerHTML);
        }
    };
    look(document.getElementById("attract"));
    return cut;
}"""


@pytest.mark.parametrize("name", ["The Living Room of the Winterbottoms and of all their neighbour", "W" * 63],
                         ids=["words", "letters"])
def test_all_of_the_way_in_is_seen_on_a_small_screen_and_on_one_that_stands_upright(host, browser, screenshots, name):
    room = host("--play", "duel", name=name)
    for language in ("en", "de", "fr", "ja"):
        for width, height in ((1280, 720), (960, 540), (800, 600), (1080, 1920)):
            page = browser.new_page(
                viewport={"width": width, "height": height}, locale=language, reduced_motion="reduce")
            page.goto(room.game_link("/screen/"))
            page.locator("roomful-join img.qr").wait_for()
            assert page.evaluate(CUT) == [], f"{language}, {width}"
            page.screenshot(path=screenshots / f"screen-{language}-{width}.png")
            page.close()


def test_while_its_host_is_gone_it_invites_nobody_and_shows_no_game_that_stands_still(host, browser, natives):
    """It says that it is back in a moment, and is so by itself."""
    room = host("--policy", "open", "--play", "duel")
    page = browser.new_page(viewport=SCREEN)
    page.goto(room.game_link("/screen/"))
    way_in, back = page.locator("roomful-join img.qr"), page.get_by_text("We are back in a moment")
    way_in.wait_for()
    room.kill()
    back.wait_for()
    assert not way_in.is_visible() and not page.get_by_text("seats free").is_visible()
    page.wait_for_timeout(3_000)
    assert page.inner_text("#invitation") == "We are back in a moment"
    room.start()
    way_in.wait_for()
    assert "phone" in page.inner_text("#invitation")
    natives(room, "Blue", HERE.parent.parent / RECORDING, loop=True)
    page.frame_locator("iframe").get_by_text("Blue").first.wait_for()
    room.kill()
    back.wait_for()
    assert not page.locator("iframe").is_visible()
    room.start()
    page.frame_locator("iframe").get_by_text("Blue").first.wait_for()
    back.wait_for(state="hidden")
    page.close()


# Sockets that never open, and requests that take a second; what it has invited to is in `said`.
SWALLOWED = """
    window.WebSocket = class { close() {} };
    const { fetch } = window;
    window.fetch = (...values) => new Promise((go) => setTimeout(go, 1_000)).then(() => fetch(...values));
    window.said = [];
    addEventListener("DOMContentLoaded", () => {
        const invitation = document.getElementById("invitation");
        new MutationObserver(() => said.push(invitation.textContent)).observe(invitation, { childList: true });
    });
"""


def test_while_it_loads_for_the_first_time_in_a_slow_network_it_does_not_say_that_it_is_away(host, browser):
    room = host("--play", "duel")
    page = browser.new_page(viewport=SCREEN)
    page.add_init_script(SWALLOWED)
    page.goto(room.game_link("/screen/"))
    page.locator("roomful-join img.qr").wait_for()
    page.get_by_text("Take your phone").wait_for()
    assert not any("back" in words for words in page.evaluate("said"))
    page.close()


def test_it_is_loaded_anew_once_its_host_was_started_again_and_nobody_plays(host, screen, natives):
    """An upgraded host has other pages; nobody is there to load them."""
    room = host("--policy", "open", "--play", "duel", "--idle", "2s", "--grace", "4s")
    page = screen(room, "/screen/")
    page.locator("roomful-join img.qr").wait_for()
    blue = natives(room, "Blue", HERE.parent.parent / RECORDING, loop=True)
    page.frame_locator("iframe").get_by_text("Blue").first.wait_for()
    page.evaluate("window.isOld = true")
    room.kill()
    room.start()
    page.wait_for_timeout(6_000)
    page.frame_locator("iframe").get_by_text("Blue").first.wait_for()
    assert page.evaluate("window.isOld"), "who plays is not interrupted"
    with page.expect_event("load", timeout=60_000):
        blue.close()
    page.locator("roomful-join img.qr").wait_for()


def test_it_is_not_loaded_anew_while_its_page_cannot_be_had(host, browser):
    """A browser's own page on an error would stay for ever. The next life of its host loads it."""
    room, asked = host("--play", "duel"), []
    page = browser.new_page(viewport=SCREEN)
    page.goto(room.game_link("/screen/"))
    way_in = page.locator("roomful-join img.qr")
    way_in.wait_for()
    page.evaluate("window.isOld = true")
    page.route("**/screen/", lambda route: (asked.append(route.request.url), route.abort()))
    room.kill()
    room.start()
    wait_until(lambda: page.wait_for_timeout(30) or asked, what="it asks for its page")
    page.wait_for_timeout(500)
    assert page.evaluate("window.isOld") and way_in.is_visible()
    page.unroute("**/screen/")
    with page.expect_event("load"):
        room.kill()
        room.start()
    way_in.wait_for()
    page.close()


def test_the_operator_is_told_where_it_is(room):
    pages = room.json("open", "--print")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/screen/#t=[\w-]{43}", pages["screen"])
    assert pages["game"].split("#t=")[1] == pages["screen"].split("#t=")[1]
