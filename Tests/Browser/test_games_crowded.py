"""The games with 1, 4 and 21 players in the room, the operator's page with 21, and the pictures of it."""

import pytest
from hosted_room import wait_until
from native import Native, lively
from operator_page import OperatorPage

NAMES = (
    "Blue Otter,Green Heron,Red Panda,Amber Fox,Violet Wren,Teal Seal,Pink Finch,Grey Wolf,Lime Gecko,Gold Lynx,"
    "Indigo Hare,Coral Crab,Olive Owl,Cyan Tern,Plum Bear,Rust Robin,Mint Mole,Navy Newt,Sand Swan,Jade Jay,Ruby Ram").split(",")


@pytest.fixture(scope="module")
def crowd():
    """A room of 21 that fills as it is asked to: `crowd(4)`; `crowd.end(places)` kills some."""
    from hosted_room import HostedRoom

    room, natives = HostedRoom(seats=21).start(), []

    def fill(count):
        for place in range(len(natives), count):
            natives.append(Native(room, NAMES[place], lively(room.folder, place), loop=True))
        joined = lambda: sum(event["type"] == "player" and event["state"] == "joined" for event in room.events)
        wait_until(lambda: joined() == count, what=f"{count} players")
        return room

    def end(places):
        for place in places:
            natives[place].process.kill()

    fill.end = end
    yield fill
    for native in natives:
        native.process.terminate()
    for native in natives:
        native.close()
    room.close()


# Texts that nobody reads from across a room: less than a 45th of the screen's height, 24 px of 1080.
TINY = """() => {
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    const tiny = [];
    for (let node; (node = walker.nextNode());) {
        const { parentElement: own, data } = node;
        if (!data.trim() || !own.checkVisibility({ visibilityProperty: true }) || own.closest("kbd, button")) continue;
        const size = parseFloat(getComputedStyle(own).fontSize);
        if (size < innerHeight / 45) tiny.push(`${data.trim()}: ${size}px`);
    }
    return tiny;
}"""
LARGE = {"width": 1920, "height": 1080}


@pytest.mark.parametrize("count", [1, 4, 21])
def test_every_game_shows_all_who_play(crowd, screen, screenshots, count):
    room = crowd(count)
    page = screen(room, "/games/keepcalm/?seed=7&pace=4&gesture=keepcalm-jump")
    page.wait_for_selector(f'#players [data-number="{count}"]', state="attached")
    page.keyboard.press(" ")  # Where all have jumped already, it has begun by itself.
    page.wait_for_selector("body[data-phase=play]")
    page.wait_for_timeout(800)
    page.screenshot(path=screenshots / f"keepcalm-{count}.png")
    page.keyboard.press("Escape")
    page.wait_for_selector("body[data-phase=over]")
    assert page.locator("#results li").count() == count
    page.screenshot(path=screenshots / f"keepcalm-{count}-over.png")
    page.close()

    page = screen(room, "/games/cube/")
    page.wait_for_selector(f'[data-player="{count}"][data-fresh="true"]')
    assert page.locator(".cube").count() == count
    page.screenshot(path=screenshots / f"cube-{count}.png")
    page.set_viewport_size(LARGE)
    assert page.evaluate(TINY) == []
    page.close()

    page = screen(room, "/games/duel/?signal=none&gesture=keepcalm-jump")
    page.wait_for_selector("body[data-phase=result]")
    assert page.locator("#rows li").count() == count
    page.screenshot(path=screenshots / f"duel-{count}.png")
    page.set_viewport_size(LARGE)
    assert page.evaluate(TINY) == []
    page.screenshot(path=screenshots / f"duel-{count}-large.png")


SEEN = """() => {
    const scroll = document.getElementById("players-scroll").getBoundingClientRect();
    const isSeen = ({ top, bottom }) => top >= scroll.top && bottom <= Math.min(scroll.bottom, innerHeight);
    return [...document.querySelectorAll("#rows tr")].filter((row) => isSeen(row.getBoundingClientRect())).length;
}"""
CUT = """() => {
    const right = document.getElementById("players-scroll").getBoundingClientRect().right;
    return [...document.querySelectorAll("#players td, #players th")].filter((cell) => cell.checkVisibility())
        .filter((cell) => cell.getBoundingClientRect().right > right + 1 || cell.scrollWidth > cell.clientWidth + 1)
        .map((cell) => cell.textContent);
}"""
# Names that reach into the next column.
OVER = """() => {
    const right = (one) => one.getBoundingClientRect().right;
    return [...document.querySelectorAll("#rows th")].filter((cell) => right(cell.querySelector(".name")) > right(cell) + 1)
        .map((cell) => cell.textContent);
}"""
MARK = """(all) => all.map((one) => {
    const { backgroundColor, borderRadius, clipPath } = getComputedStyle(one);
    return [backgroundColor, borderRadius, clipPath].join();
})"""


# The notice's height, and what there is below the name.
NOTICE = """(card) => [parseFloat(getComputedStyle(card, "::after").height),
    card.getBoundingClientRect().bottom - card.querySelector("h2").getBoundingClientRect().bottom]"""


def test_who_does_not_move_any_more_is_told_beside_who_it_is(crowd, screen, screenshots):
    room = crowd(21)
    page = screen(room, "/games/cube/")
    page.wait_for_selector('[data-player="21"][data-fresh="true"]')
    # What the room would tell of one that is silent.
    page.evaluate("""() => {
        for (const card of document.querySelectorAll(".cube")) {
            const copy = card.cloneNode(true);
            Object.assign(copy.dataset, { fresh: "false", why: "no motion any more" });
            card.replaceWith(copy);
        }
    }""")
    page.screenshot(path=screenshots / "cube-21-silent.png")
    for height, room_for_it in page.locator(".cube").evaluate_all(f"(cards) => cards.map({NOTICE})"):
        assert 20 < height <= room_for_it


def test_the_operator_sees_sixteen_of_21_at_once_tells_all_apart_and_reads_one_sentence_for_many(crowd, browser, screenshots):
    """Last, as six of them are ended: they are silent then, and that is said once."""
    room = crowd(21)
    operator = OperatorPage(browser, room, viewport={"width": 1440, "height": 900})
    operator.page.wait_for_selector("#rows tr:nth-child(21)", state="attached")
    assert len(set(operator.page.locator("#rows .number").evaluate_all(MARK))) == 21
    crowd.end(range(15, 21))
    operator.says("#troubles-list", "6 players (P")
    operator.page.wait_for_function("() => document.querySelectorAll('#troubles-list li').length <= 2")
    assert operator.page.evaluate(SEEN) >= 16
    assert operator.page.evaluate(CUT) == []
    assert operator.page.is_hidden("#filter") and operator.text("#filter-count") == "all kinds"
    operator.page.screenshot(path=screenshots / "operator-21.png")
    operator.page.set_viewport_size({"width": 390, "height": 844})
    operator.page.reload()
    operator.page.wait_for_selector("#rows tr:nth-child(21)", state="attached")
    operator.page.wait_for_function("() => document.querySelector('#rows .link .state').textContent !== ''")
    assert operator.page.evaluate(CUT) == []
    assert operator.page.evaluate("document.documentElement.scrollHeight") < 3 * 844
    operator.page.screenshot(path=screenshots / "operator-21-phone.png")
    operator.page.set_viewport_size({"width": 320, "height": 568})
    assert operator.page.evaluate(CUT) == []
    assert operator.page.evaluate(OVER) == []
    assert operator.page.evaluate("document.documentElement.scrollWidth") <= 320
    operator.page.screenshot(path=screenshots / "operator-21-small.png")
    assert operator.errors == []
    operator.close()
