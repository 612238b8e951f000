"""Players who are moved between rooms of a site, and one way in for all: real hosts, a real NATS server, real controllers."""
import asyncio
import http.client
import json
import secrets
import signal
import ssl
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from site_broker import Witness
from site_rooms import connected
from waiting import PATIENCE, until


def peers(room):
    """Who sits there, by name."""
    return {peer["name"]: peer for peer in room.ask({"task": "peers"})[0]["peers"]}


def answers(room):
    """Whether it can be asked: of a host that was killed the door still lies there."""
    try:
        return status(room)
    except OSError:
        return None


def status(room):
    return room.ask({"task": "status"})[0]["status"]


def plays_in(room, name):
    return until(lambda: (peer := peers(room).get(name)) and peer["link"] == "good" and peer)


def motion_comes(room, name):
    before = peers(room)[name]["samples"]["delivered"]
    return until(lambda: peers(room)[name]["samples"]["delivered"] > before + 20)


@pytest.fixture
def halls(site, host):
    """Two rooms of a site, both with a lobby."""
    rooms = [host(name, *site.host, "--lobby", "spread", "--seats", "2") for name in ("Hall", "Attic")]
    for room in rooms:
        connected(room)
    return rooms


def test_a_player_is_moved_and_stays_who_it_was(site, halls, plays, roomful):
    hall, attic = halls
    player = plays("Hall")
    before = plays_in(hall, "Blue")
    hall.ask({"task": "rename", "who": "P1", "name": "Anna"}, {"task": "sensitivity", "who": "P1", "value": 1.5})
    code, out, err = roomful("move", "Anna", "--to", "Attic", "--site", "--room", "Hall", *site.flags("operator"))
    assert code == 0, err
    assert "Anna plays in \"Attic\"" in out.replace("\u2068", "").replace("\u2069", ""), out
    after = plays_in(attic, "Anna")
    assert (after["controller"], after["color"], after["seat"]) == (before["controller"], before["color"], 1)
    assert attic.ask({"task": "peers", "who": "Anna"})[0]["peers"][0]["detail"]["sensitivity"] == 1.5
    assert peers(hall) == {} and status(hall)["freeSeats"] == 2
    assert motion_comes(attic, "Anna") and player.poll() is None
    # And back, by the host's own door.
    code, out, err = attic.roomful("move", "P1", "--to", "Hall", "--json")
    assert code == 0 and json.loads(out)["room"] == "Hall", err
    assert plays_in(hall, "Anna") and motion_comes(hall, "Anna")
    assert peers(attic) == {} and status(attic)["freeSeats"] == 2


def test_where_anything_goes_wrong_the_player_stays(site, halls, host, plays, started, folder):
    hall, attic = halls
    plays("Hall")
    assert plays_in(hall, "Blue")

    def refused(*flags, words):
        code, _, err = hall.roomful("move", "Blue", *flags)
        assert code != 0 and all(word in err for word in words), err
        assert plays_in(hall, "Blue") and status(attic)["freeSeats"] == status(attic)["seats"] - len(peers(attic))

    refused("--to", "Cellar", words=["Cellar", "Attic"])
    refused("--to", "Hall", words=["already"])
    attic.ask({"task": "lock"})
    refused("--to", "Attic", words=["stays in", "locked"])
    attic.ask({"task": "unlock"})
    refused("--to", "Attic", "--seat", "9", words=["no seat 9"])
    for name in ("Red", "Green"):
        plays("Attic", name)
        assert plays_in(attic, name)
    refused("--to", "Attic", words=["stays in", "taken"])
    code, _, err = hall.roomful("move", "Nobody", "--to", "Attic")
    assert code != 0 and "Nobody" in err
    alone = host("Alone")
    code, _, err = alone.roomful("move", "P1", "--to", "Attic")
    assert code != 0 and "--site" in err
    # The other host stops in the middle of it: it keeps a seat, and nobody can come.
    attic.ask({"task": "kick", "who": "Red"})
    until(lambda: status(attic)["freeSeats"] == 1)
    site.end()
    code, _, err = hall.roomful("move", "Blue", "--to", "Attic")
    assert code != 0 and plays_in(hall, "Blue"), err


def test_a_controller_that_cannot_get_there_says_so_and_its_seat_there_is_free(site, halls, plays, roomful):
    hall, attic = halls
    plays("Hall")
    assert plays_in(hall, "Blue")
    identity = status(hall)["room"]
    # Who listens with the host's rights answers in the attic's place, and names a port where nobody is.
    controller = peers(hall)["Blue"]["controller"]
    other = {
        "v": 1, "site": "arcade", "room": "f" * 32, "name": "Nowhere", "host": "x", "at": 0, "opened": "", "policy": "open",
        "seats": 2, "freeSeats": 2, "isLocked": False, "waiting": 0, "players": [], "playing": 0, "problems": [], "isClosing": False,
    }
    asked = []

    async def work(client):
        async def answer(message):
            request = json.loads(message.data)
            asked.append(request)
            if request["task"] == "promise":
                reply = {"promise": {
                    "offer": "0123456789abcdef", "room": "f" * 32, "pin": "e" * 64, "name": "Nowhere", "port": 9,
                    "addresses": ["127.0.0.1:9"], "link": "https://127.0.0.1:9/#v=1&r=Nowhere", "warns": True}}
            elif request["task"] == "takeBack":
                reply = {"outcome": {"message": "It was taken back."}}
            else:
                return
            await client.publish(message.reply, json.dumps(reply).encode())

        await client.subscribe(f"rf.arcade.{'f' * 32}.host", cb=answer)
        asking = asyncio.create_task(asyncio.to_thread(hall.roomful, "move", "Blue", "--to", "Nowhere"))
        while not asking.done():
            await client.publish(f"rf.arcade.{'f' * 32}.status", json.dumps(other).encode())
            await asyncio.sleep(0.5)
        return await asking

    code, _, err = Witness(site, "host", "arcade").run(work)
    assert code != 0 and "Blue stays in" in err and "cannot reach" in err, err
    assert [request["task"] for request in asked if request["task"] != "outcome"] == ["promise", "takeBack"]
    wish = asked[0]["seat"]
    assert wish["controller"] == controller and len(wish["ticketHash"]) == 64 and "ticket" not in wish
    assert identity not in json.dumps(asked) and plays_in(hall, "Blue") and motion_comes(hall, "Blue")


def test_a_room_that_closes_amid_a_move_says_so(site, halls, plays, roomful):
    hall, attic = halls
    player = plays("Hall")
    plays_in(hall, "Blue")
    player.send_signal(signal.SIGSTOP)
    with ThreadPoolExecutor(1) as others:
        move = others.submit(
            roomful, "move", "Blue", "--to", "Attic", "--within", "40s", "--site", "--room", "Hall", *site.flags("operator"))
        until(lambda: status(attic)["freeSeats"] == 1)
        before = time.monotonic()
        hall.ask({"task": "stop"})
        code, _, err = move.result()
    assert time.monotonic() - before < 20, "its time was up"
    assert code != 0 and "Blue stays in" in err and "the room closes" in err, err
    player.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("victim", ["the room it leaves", "the room it goes to"])
def test_a_host_that_dies_amid_a_move_leaves_the_player_in_one_room(victim, site, halls, host, plays):
    hall, attic = halls
    player = plays("Hall")
    before = plays_in(hall, "Blue")
    # It cannot follow before it runs again: by then a seat is kept in the attic, and the player was told.
    player.send_signal(signal.SIGSTOP)
    with ThreadPoolExecutor(1) as others:
        move = others.submit(hall.roomful, "move", "Blue", "--to", "Attic", "--within", "20s")
        until(lambda: status(attic)["freeSeats"] == 1)
        time.sleep(1)
        gone, stays = (hall, attic) if victim == "the room it leaves" else (attic, hall)
        gone.process.kill()
        gone.process.wait()
        player.send_signal(signal.SIGCONT)
        code, _, err = move.result()
    assert code != 0 and err, err
    assert plays_in(stays, "Blue")["controller"] == before["controller"]
    again = host(gone.name, *site.host, "--lobby", "spread", "--seats", "2")
    until(lambda: answers(again))
    connected(again)
    assert motion_comes(stays, "Blue") and player.poll() is None
    # Where it does not sit, it is at most somebody whose seat is kept for a while, and whom nobody else can be taken for.
    assert [peer for peer in peers(again).values() if peer["state"] == "active"] == []
    assert status(again)["freeSeats"] == (1 if again.name == "Hall" else 2)


def test_what_hosts_ask_one_another_is_theirs_alone(site, halls):
    hall, _ = halls
    identity = status(hall)["room"]
    wish = {"task": "promise", "v": 1, "seat": {"controller": "a" * 32, "ticketHash": "b" * 64, "timeout": 60000}}

    def tries(role, payload, patience=2):
        async def work(client):
            try:
                return json.loads((await client.request(f"rf.arcade.{identity}.host", payload, timeout=patience)).data)
            except Exception:  # noqa: BLE001 - whatever the client says of it, there was no answer
                return None

        return Witness(site, role, "arcade").run(work)

    for role in ("reader", "game"):
        assert tries(role, json.dumps(wish).encode()) is None
    assert status(hall)["freeSeats"] == 2
    for nonsense in (b"", b"{", b'{"task":"stop"}', b'{"v":1,"task":"promise"}', b'{"v":1,"task":"outcome","offer":"x"}'):
        assert "error" in tries("host", nonsense, PATIENCE), nonsense
    for change in ({"controller": "x"}, {"ticketHash": ""}, {"timeout": 1e12}, {"seat": 99}, {"lobby": {"game": "other"}}):
        wrong = wish | {"seat": wish["seat"] | change}
        assert "error" in tries("host", json.dumps(wrong).encode(), PATIENCE), change
    talents = {"sensitivity": 9, "gestures": []}
    player = {"name": "A", "color": 1, "talents": talents}
    assert "error" in tries("host", json.dumps(wish | {"seat": wish["seat"] | {"player": player}}).encode(), PATIENCE)
    assert status(hall)["freeSeats"] == 2
    kept = tries("host", json.dumps(wish).encode(), PATIENCE)["promise"]
    assert "c=" not in kept["link"] and status(hall)["freeSeats"] == 1
    back = {"v": 1, "task": "takeBack", "offer": kept["offer"]}
    assert tries("host", json.dumps(back).encode(), PATIENCE)["outcome"]["message"]
    assert status(hall)["freeSeats"] == 2


class Phone:
    """Asks a lobby as its page does."""

    def __init__(self, room):
        self.link = room.ask({"task": "ticket"})[0]["lobby"]
        place, fragment = self.link.split("#")
        self.host = place.split("/")[2]
        self.code = dict(field.split("=", 1) for field in fragment.split("&")).get("c")
        self.controller, self.key, self.last = secrets.token_hex(16), secrets.token_hex(32), None

    def ask(self, **other):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        line = http.client.HTTPSConnection(self.host, context=context, timeout=PATIENCE)
        body = {"controller": self.controller, "key": self.key} | ({"code": self.code} if self.code else {})
        body |= ({"last": self.last} if self.last else {}) | other
        line.request("POST", "/api/lobby", json.dumps(body), {"Origin": f"https://{self.host}", "content-type": "application/json"})
        answer = json.loads(line.getresponse().read())
        line.close()
        return answer

    def goes(self):
        answer = until(lambda: (answer := self.ask()) and "go" in answer and answer, self.ask)
        self.last = answer["go"]["room"]
        return answer["go"]


def test_one_code_for_the_whole_house(site, halls, host, plays, roomful):
    hall, attic = halls
    host("Cellar", *site.host, "--seats", "8")  # It takes no guests.
    other = host("Games", *site.host, "--lobby", "fill", "--play", "keepcalm")
    connected(other)
    code, out, err = hall.roomful("qr", "--lobby", "--text")
    assert code == 0 and "/lobby/#v=1&" in out, err
    code, _, err = roomful("qr", "--lobby", "--site", "--room", "Cellar", *site.flags("operator"))
    assert code != 0 and "--lobby" in err
    plays("Hall")
    assert plays_in(hall, "Blue")
    # The emptier of those that play the same; then the other; then they wait, in order.
    phones = [Phone(hall if number % 2 else attic) for number in range(3)]
    ways = []
    for phone in phones:
        ways.append(phone.goes())
        assert phone.ask()["go"] == ways[-1], "who asks again goes there still"
    assert sorted(way["name"] for way in ways) == ["Attic", "Attic", "Hall"]
    until(lambda: status(hall)["freeSeats"] + status(attic)["freeSeats"] == 0)
    late = [Phone(hall), Phone(hall)]
    assert [phone.ask()["wait"]["place"] for phone in late] == [1, 2]
    # Under another's id nobody learns where it goes; with no key, or another code, nothing.
    assert phones[1].ask(key=secrets.token_hex(32))["error"]["code"] == "alreadySeated"
    assert late[0].ask(key="x")["error"]["code"] == "badOption"
    hall.ask({"task": "kick", "who": "Blue"})
    until(lambda: status(hall)["freeSeats"] == 1)
    assert late[1].ask()["wait"]["place"] == 2, "the first has not gone away"
    assert late[0].goes()["name"] == "Hall"
    # A locked room, and one that dies, is not offered.
    attic.ask({"task": "lock"})
    until(lambda: status(attic)["isLocked"])
    assert late[1].ask()["wait"]["place"] == 1


def test_who_was_kicked_is_told_so_and_holds_up_nobody(site, host, plays):
    hall = host("Hall", *site.host, "--lobby", "spread", "--seats", "2")
    connected(hall)
    player = plays("Hall")
    controller = plays_in(hall, "Blue")["controller"]
    hall.ask({"task": "kick", "who": "Blue"})
    player.kill()
    first = Phone(hall)
    assert first.goes()["name"] == "Hall"
    until(lambda: status(hall)["freeSeats"] == 1)
    kicked, late = Phone(hall), Phone(hall)
    kicked.controller = controller
    until(lambda: kicked.ask().get("error", {}).get("code") == "unwanted", kicked.ask)
    assert late.goes()["name"] == "Hall"
    assert kicked.ask()["error"]["code"] == "unwanted" and Phone(hall).ask()["wait"]["place"] == 1


def test_a_lobby_wants_its_code(site, host):
    hall = host("Hall", *site.host, "--lobby", "spread", "--policy", "code")
    connected(hall)
    phone = Phone(hall)
    typed = hall.ask({"task": "ticket"})[0]["code"]
    for wrong in ("", "1234-5678", typed, secrets.token_hex(13)):
        assert phone.ask(code=wrong)["error"]["code"] == "wrongCode"
    assert phone.goes()["name"] == "Hall"

