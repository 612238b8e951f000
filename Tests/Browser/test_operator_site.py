"""The operator's page of one room shows the whole site, and opens any of its rooms."""

import subprocess
import sys
from pathlib import Path

import pytest
from hosted_room import PROGRAM, HostedRoom, wait_until
from native import DEMO
from operator_page import axe
from pages import wait_heard

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Operations"))
from site_broker import Broker  # noqa: E402

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def house(tmp_path):
    """Three rooms in a site: the first one's host may open the others."""
    subprocess.run([PROGRAM, "site", "init", tmp_path / "site", "--name", "arcade"], check=True, capture_output=True)
    broker = Broker(tmp_path, tmp_path / "site/nats-server.conf").start()
    given = ["--site", broker.url, "--site-name", "arcade", "--site-credentials", str(tmp_path / "site/host.credentials")]
    rooms = [
        HostedRoom("--policy", "open", *given, *more, name=name).start()
        for name, more in (("Hall", ["--site-operator", str(tmp_path / "site/operator.credentials")]), ("Attic", []), ("Cellar", ["--seats", "1"]))]
    yield rooms
    for room in rooms:
        room.close()
    broker.end()


def listed(operator):
    return operator.page.locator("#site-rows th").all_inner_texts()


def line(operator, name):
    return operator.page.locator("#site-rows tr").filter(has=operator.page.get_by_text(name, exact=True))


def test_the_whole_site_is_seen_and_any_room_is_opened_and_run(house, operators, natives, screenshots):
    hall, attic, cellar = house
    natives(attic, "Red Fox", str(DEMO / "tilt.csv"), loop=True)
    operator = operators(hall)
    operator.says("#site-title", "Site arcade")
    for name in ("Hall", "Attic", "Cellar"):
        line(operator, name).wait_for()
    operator.says("#site-count", "Rooms: 3, players: 1")
    assert line(operator, "Hall").get_attribute("aria-current") == "page"
    assert "1/4" in line(operator, "Attic").inner_text() and "open" in line(operator, "Attic").inner_text()
    assert axe(operator.page) == []
    operator.page.screenshot(path=str(screenshots / "site-wide.png"))
    # Another room, by its name: who is there, and what the operator does there.
    line(operator, "Attic").get_by_role("link").click()
    operator.says("#room-name", "Attic")
    operator.wait_names("Red Fox")
    assert "by the site" in operator.text("#facts") or wait_until(lambda: "by the site" in operator.text("#facts"))
    assert line(operator, "Attic").get_attribute("aria-current") == "page"
    operator.page.click("#lock")
    wait_until(lambda: attic.command(task="status")["status"]["isLocked"], what="the attic is locked")
    assert not hall.command(task="status")["status"]["isLocked"]
    wait_until(lambda: "locked" in line(operator, "Attic").inner_text(), what="the site says so")
    # Its motion and its events come, too.
    wait_until(lambda: "locked" in operator.text("#events").lower(), what="the feed tells of it")
    operator.page.click("#show-ticket")
    operator.says("#ticket-url", f":{attic.port}")
    operator.page.click("#ticket-close")
    operator.choose("Red Fox")
    operator.page.click("#kick")
    operator.page.click("#question-yes")
    wait_until(lambda: attic.peers() == [], what="Red Fox was kicked")
    # A reload stays there; the way back is its own row.
    operator.page.reload()
    operator.says("#room-name", "Attic")
    line(operator, "Hall").get_by_role("link").click()
    operator.says("#room-name", "Hall")
    assert operator.errors == []


def test_a_player_is_moved_to_another_room_and_one_that_does_not_fit_there_stays(house, operators, natives):
    hall, attic, cellar = house
    natives(hall, "Red Fox", str(DEMO / "tilt.csv"), loop=True)
    natives(cellar, "Green Owl", str(DEMO / "tilt.csv"), loop=True)
    operator = operators(hall)
    operator.wait_names("Red Fox")
    operator.choose("Red Fox")
    wait_until(lambda: "1/1" in line(operator, "Cellar").inner_text(), what="the cellar is full")
    wait_until(lambda: "0/4" in line(operator, "Attic").inner_text(), what="the attic is empty")
    operator.page.click("#move")
    options = operator.page.locator("#question-field option").all_inner_texts()
    assert sorted(options) == ["Attic: 4 of 4 seats free", "Cellar: 0 of 1 seats free"]
    assert axe(operator.page) == []
    operator.page.select_option("#question-field select", label="Cellar: 0 of 1 seats free")
    operator.page.click("#question-yes")
    operator.page.locator("#refusal-text").get_by_text("taken").wait_for()
    assert [peer["name"] for peer in hall.peers()] == ["Red Fox"]
    operator.page.click("#refusal-close")
    # By its key, and by the page of the room that is shown by way of this host.
    operator.page.keyboard.press("v")
    operator.page.select_option("#question-field select", label="Attic: 4 of 4 seats free")
    operator.page.click("#question-yes")
    wait_until(lambda: [peer["name"] for peer in attic.peers()] == ["Red Fox"], what="Red Fox plays in the attic")
    wait_until(lambda: hall.peers() == [], what="and not in the hall")
    assert operator.page.locator("#refusal").is_hidden()
    line(operator, "Attic").get_by_role("link").click()
    operator.wait_names("Red Fox")
    operator.choose("Red Fox")
    operator.page.click("#move")
    operator.page.select_option("#question-field select", label="Hall: 4 of 4 seats free")
    operator.page.click("#question-yes")
    wait_until(lambda: [peer["name"] for peer in hall.peers()] == ["Red Fox"], what="Red Fox is back in the hall")
    assert operator.errors == []


def test_a_room_that_falls_silent_is_said_so_also_on_a_narrow_screen(house, operators, screenshots):
    hall, attic, cellar = house
    operator = operators(hall, viewport=PHONE)
    operator.page.locator("#site summary").wait_for()
    operator.says("#site-count", "Rooms: 3")
    operator.page.locator("#site summary").click()
    line(operator, "Attic").wait_for()
    attic.kill()
    operator.says("#site-count", "silent: 1")
    operator.says("#live", "Attic has fallen silent")
    wait_until(lambda: "silent for" in line(operator, "Attic").inner_text(), what="its row says so")
    width = operator.page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"], f"the page is {width} wide"
    assert axe(operator.page) == []
    operator.page.screenshot(path=str(screenshots / "site-narrow.png"))
    attic.start()
    operator.says("#live", "Attic is heard again")
    # It is opened, though it has closed meanwhile: the page says that it does not answer, and still shows the site.
    line(operator, "Cellar").get_by_role("link").click()
    operator.says("#room-name", "Cellar")
    cellar.kill()
    operator.page.reload()
    operator.says("#site-title", "Site arcade")
    operator.page.locator("#no-answer").wait_for()
    assert all("ERR_INCOMPLETE_CHUNKED_ENCODING" in error for error in operator.errors), "what a killed room told is broken off"
    operator.errors.clear()


def test_a_host_that_may_not_open_others_shows_them_and_says_what_to_do(house, operators):
    operator = operators(house[1])
    line(operator, "Hall").wait_for()
    operator.says("#site-note", "--site-operator")
    assert operator.page.locator("#site-rows a:visible").count() == 0
    assert operator.errors == []


def test_a_page_of_one_room_hears_all_and_goes_on_after_the_last_that_it_heard(house, joined):
    hall, attic, cellar = house
    page = joined(hall, {"site": True, "after": 0, "types": ["room"]})
    wait_heard(page, "room.status === 'live'")
    for room in (attic, cellar):
        room.operate(task="lock")
    wait_heard(page, "heard.filter(({ seq }) => seq).length === 2")
    # Its own host dies, and something happens elsewhere meanwhile.
    hall.kill()
    attic.operate(task="unlock")
    hall.start()
    wait_heard(page, "heard.filter(({ seq }) => seq).length === 3")
    told = [(each["name"], each["event"]["state"]) for each in page.evaluate("heard.filter(({ seq }) => seq)")]
    assert told[2] == ("Attic", "unlocked") and sorted(told[:2]) == [("Attic", "locked"), ("Cellar", "locked")]
    # Another room's door by this one: who is there, and what happens.
    other = joined(hall, {"room": "Cellar"})
    wait_heard(other, "room.hello?.room === 'Cellar'")
    cellar.operate(task="unlock")
    wait_heard(other, "heard.some(({ type, state }) => type === 'room' && state === 'unlocked')")
    refused = other.evaluate("room.send({ task: 'lock' }).catch(({ code }) => code)")
    assert refused == "notAllowed", "a game decides nothing elsewhere"
