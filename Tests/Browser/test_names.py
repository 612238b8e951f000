"""A name that is written from right to left stands in every page's sentences without turning them round."""

import pytest
from hosted_room import HostedRoom, wait_until
from native import Native, lively
from operator_page import OperatorPage

AHMAD, DANA, ROOM = "أحمد", "דנה", "غرفة الموسيقى"

# Where such a name stands in the open, so that what follows it would run to its left.
OPEN = r"""() => {
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
    const open = [];
    for (let node; (node = walker.nextNode());) {
        const isIsolated = node.parentElement.closest("bdi, [dir=auto]") || /^[^\u0590-\u08ff]*\u2068/.test(node.data);
        if (/[\u0590-\u08ff]/.test(node.data) && !isIsolated && !node.parentElement.closest("script")) open.push(node.data);
    }
    return open;
}"""


@pytest.fixture(scope="module")
def crowd():
    room = HostedRoom("--policy", "ask", "--play", "keepcalm", name=ROOM).start()
    natives = []
    for name in (AHMAD, DANA, "ضيف"):
        natives.append(Native(room, name, lively(room.folder, len(natives)), loop=True))
        wait_until(lambda: len(room.command(task="status")["status"]["waiting"]) == 1, what=f"{name} asks")
        if name != "ضيف":
            room.cli("accept", name)
    yield room
    for native in natives:
        native.close()
    room.close()


def test_on_the_operators_page(crowd, browser):
    operator = OperatorPage(browser, crowd)
    operator.wait_names(AHMAD, DANA)
    operator.says("#waiting-list", "asks to join")
    operator.says("#chosen-name", AHMAD)
    operator.says("#events", "strength")
    operator.page.locator("#latency-body .histogram").wait_for()
    operator.page.click("#seat")
    operator.page.locator("#question option").first.wait_for(state="attached")
    assert operator.page.evaluate(OPEN) == []
    assert "\u2068" in operator.page.title()
    operator.close()


def test_in_the_games_and_their_list(crowd, screen):
    for path, ready in (
            ("/games/", "#people:has-text('2 players')"), ("/game/", "#players li:nth-child(2)"),
            ("/games/cube/", ".cube:nth-child(2)"), ("/games/duel/", "#rows li:nth-child(2)")):
        page = screen(crowd, path)
        page.wait_for_selector(ready, state="attached")
        assert page.evaluate(OPEN) == [], path
        if path == "/games/":
            places = page.locator("#people bdi").evaluate_all("all => all.map((one) => one.getBoundingClientRect().x)")
            assert places == sorted(places), "the first stands first"


def test_on_the_phone(crowd, phones):
    phone = phones(crowd.phone_url())
    assert phone.page.evaluate(OPEN) == []
    phone.start()
    phone.page.wait_for_selector("main[data-state=waiting]")
    asking = [event for event in crowd.events if event["type"] == "asking"][-1]
    crowd.cli("accept", asking["controller"][:8])
    number, _ = phone.seated()
    assert crowd.operate(task="rename", who=f"P{number}", name="ليلى") == {}
    phone.page.wait_for_selector("#name:has-text('ليلى')")
    phone.page.wait_for_selector("#advice:has-text('KeepCalm')")
    assert phone.page.evaluate(OPEN) == []
