"""A house of rooms on one broker, as phones see it: one way in for all, and from one room to another."""

import shutil
import socket
import subprocess
import tempfile

import pytest
from hosted_room import MAY_STAND_ASIDE, free_port, wait_until

SERVER = shutil.which("nats-server") or shutil.which("/usr/sbin/nats-server")


@pytest.fixture
def house(host):
    """Opens rooms of one site, whose broker asks for no credentials."""
    if not SERVER and MAY_STAND_ASIDE:
        pytest.skip("a site needs nats-server: apt install nats-server libnats3.4")
    folder, port = tempfile.mkdtemp(prefix="roomful-house-"), free_port()
    broker = subprocess.Popen(
        [SERVER, "-js", "-sd", folder, "-a", "127.0.0.1", "-p", str(port)], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def listens():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    wait_until(listens)

    def open_rooms(**seats):
        rooms = [host("--site", f"nats://127.0.0.1:{port}", "--lobby", "spread", name=name, seats=count)
                 for name, count in seats.items()]
        for room in rooms:
            wait_until(lambda: "connected" in room.cli("peers"))
        return rooms

    yield open_rooms
    broker.kill()
    broker.wait()
    shutil.rmtree(folder, ignore_errors=True)


def lobby(room):
    return room.cli("qr", "--lobby", "--text").strip()


def is_in(phone, room):
    """Its page is this room's, and it has a seat."""
    phone.page.wait_for_url(lambda url: f":{room.port}/" in url and "/lobby/" not in url)
    return phone.seated()


def test_a_phone_is_moved_to_another_room_and_is_who_it_was(house, phones):
    hall, attic = house(Hall=2, Attic=2)
    phone = phones(hall.phone_url()).start()
    phone.seated()
    hall.operate(task="rename", who="P1", name="Anna")
    hall.operate(task="sensitivity", who="P1", value=1.5)
    before = hall.peer("P1")
    moved = hall.json("move", "P1", "--to", "Attic")
    assert (moved["room"], moved["seat"], moved["controller"]) == ("Attic", 1, before["controller"])
    assert is_in(phone, attic) == ("1", "Anna"), "and nobody had to press anything"
    after = attic.peer("P1")
    assert (after["color"], after["detail"]["sensitivity"]) == (before["color"], 1.5)
    wait_until(lambda: hall.peers() == [])
    wait_until(lambda: attic.peer("P1")["samples"]["delivered"] > 30)
    # It is known there: a reload brings it back, and nothing of the ticket is left to be seen.
    phone.page.reload()
    assert is_in(phone, attic) == ("1", "Anna") and "#" not in phone.page.url
    # And back to the room that it came from.
    attic.json("move", "P1", "--to", "Hall")
    assert is_in(phone, hall) == ("1", "Anna")
    wait_until(lambda: attic.peers() == [])


def test_a_virtual_phone_stays_and_the_operator_is_told(house, phones):
    hall, attic = house(Hall=2, Attic=2)
    phone = phones(hall.phone_url().replace("/#", "/?pad=1#")).start()
    phone.seated()
    refused = hall.cli("move", "P1", "--to", "Attic", check=False)
    assert refused.returncode != 0 and "cannot go there" in refused.stderr
    assert len(hall.peers()) == 1 and attic.peers() == []


def test_one_code_for_all_rooms_a_queue_and_the_way_back(house, phones):
    hall, attic = house(Hall=1, Attic=1)
    first, second = phones(lobby(hall)), phones(lobby(attic))
    taken = {}
    for phone in (first, second):
        phone.page.wait_for_selector("main[data-state=seated]")
        phone.seated()
        taken[phone] = hall if f":{hall.port}/" in phone.page.url else attic
    assert set(taken.values()) == {hall, attic}
    third = phones(lobby(hall))
    third.page.wait_for_function("() => document.getElementById('state').textContent === 'You are next'")
    # Who scans the lobby's code again is back at its own seat.
    first.page.goto(lobby(hall))
    number, name = is_in(first, taken[first])
    assert [peer["name"] for peer in taken[first].peers()] == [name] and number == "1"
    # A seat that becomes free is the next one's, by itself.
    second.page.click("#leave")
    is_in(third, taken[second])
    assert len(taken[second].peers()) == 1


def test_a_lobby_that_is_none_says_so(host, phones):
    room = host()
    phone = phones(room.base + "/lobby/")
    phone.page.wait_for_function("() => document.getElementById('state').textContent === 'There is no lobby here'")


def test_a_lobby_hears_the_house_also_on_an_older_iphone(host, phones):
    phone = phones(scripts=["delete AbortSignal.timeout"])
    phone.page.goto(host().base + "/lobby/")
    phone.page.wait_for_function("() => document.getElementById('state').textContent === 'There is no lobby here'")


def test_a_lobby_that_is_come_back_to_asks_no_more_often_than_before(host, phones):
    phone, asked = phones(), []

    def answer(route):
        asked.append(route.request.post_data)
        route.fulfill(json={"wait": {"place": 1, "rooms": 1, "again": 1_000}})

    phone.page.route("**/api/lobby", answer)
    phone.page.goto(host().base + "/lobby/")
    phone.page.wait_for_function("() => document.getElementById('state').textContent === 'You are next'")
    phone.page.evaluate(
        "for (let times = 0; times < 5; times += 1) dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    phone.page.wait_for_timeout(1_000)
    asked.clear()
    phone.page.wait_for_timeout(3_000)
    assert 0 < len(asked) < 6, "one a second"
