"""A whole site by the web door of one of its rooms: its events, how its rooms stand, and commands to any of them."""
import contextlib
import json
import ssl
import threading
import urllib.error
import urllib.request

import pytest
from shims import Clock
from site_broker import Witness
from site_rooms import caught_up, connected, whole
from waiting import PATIENCE, until
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

TRUSTING = ssl.create_default_context()
TRUSTING.check_hostname, TRUSTING.verify_mode = False, ssl.CERT_NONE


class Door:
    """A room's web door, as a game or an operator has it."""

    def __init__(self, room):
        self.room = room
        self.place = f"127.0.0.1:{room.ask({'task': 'status'})[0]['status']['port']}"

    def token(self, role="operator"):
        return next(self.room.state.rglob(f"{role}-token")).read_text().strip()

    def post(self, path, body, token=None):
        request = urllib.request.Request(
            f"https://{self.place}{path}", json.dumps(body).encode(), {"Authorization": f"Bearer {token or self.token()}"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE, context=TRUSTING) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.loads(error.read())

    def command(self, token=None, **task):
        return self.post("/api/commands", task, token)

    def overview(self):
        return self.command(task="site")["site"]

    def rooms(self):
        return {each["room"]["name"]: each for each in self.overview()["rooms"]}

    @contextlib.contextmanager
    def socket(self, **wish):
        with connect(f"wss://{self.place}/api/events", ssl=TRUSTING, open_timeout=PATIENCE, close_timeout=1) as line:
            line.send(json.dumps({"token": self.token()} | wish))
            yield line

    def stream(self, headers=None, **wish):
        """By server-sent events: pairs of a line's number and its object."""
        name = self.post("/api/events", wish)["stream"]
        request = urllib.request.Request(f"https://{self.place}/api/events?stream={name}", headers=headers or {})
        with urllib.request.urlopen(request, timeout=PATIENCE, context=TRUSTING) as answer:
            number = None
            for text in answer:
                if text.startswith(b"id: "):
                    number = int(text[4:])
                elif text.startswith(b"data: "):
                    yield number, json.loads(text[6:])
                    number = None


def told(line, count):
    """So many records; what else is said comes before, by its type."""
    records, words = [], []
    while len(records) < count:
        message = json.loads(line.recv(PATIENCE))
        if "seq" in message:
            records.append(message)
        elif message.get("type") != "reply":
            words.append(message)
    return records, words


@pytest.fixture
def house(site, host):
    """Two rooms, of which the first one's host has the operator's credentials, too."""
    operator = site.folder / "site/operator.credentials"
    rooms = [host("Hall", *site.host, "--site-operator", operator), host("Attic", *site.host)]
    for room in rooms:
        connected(room)
    return rooms


def test_every_rooms_events_are_heard_at_one_door_and_resumed_by_number(site, house):
    hall, attic = house
    door = Door(hall)
    hall.happen(6)
    attic.happen(4)
    for room in house:
        caught_up(room)
    truth = Witness(site, "reader", "arcade").read()
    with door.socket(token=door.token("game"), site=True, after=0) as line:
        records, words = told(line, len(truth))
    assert [word["type"] for word in words] == ["site"] and words[0] == {"type": "site", "v": 1, "site": "arcade", "after": 0}
    strip = lambda record: {key: value for key, value in record.items() if key != "seq"}
    assert [(record["seq"], strip(record)) for record in records] == truth
    assert {record["name"] for record in records} == {"Hall", "Attic"} and all(record["host"] for record in records)
    # Hours later another program goes on after the number, and the broker goes and comes while it listens.
    attic.happen(4)
    with door.socket(site=True, after=records[-1]["seq"]) as line:
        more, _ = told(line, 4)
        site.end()
        until(lambda: json.loads(line.recv(PATIENCE))["type"] == "away")
        site.start()
        hall.happen(2)
        attic.happen(2)
        rest, words = told(line, 4)
        assert "site" in [word["type"] for word in words]
    numbers = [record["seq"] for record in records + more + rest]
    assert numbers == list(range(1, len(numbers) + 1))
    for name in ("Hall", "Attic"):
        _, gaps = whole([(record["seq"], strip(record)) for record in records + more + rest], name)
        assert gaps == []
    # The same as server-sent events: of one room, of one type, and on after the last id.
    lines = door.stream(site=True, after=0, room="Attic", types=["room"])
    assert next(lines)[1]["type"] == "site"
    first = [next(lines) for _ in range(4)]
    assert all(number == record["seq"] and (record["name"], record["event"]["type"]) == ("Attic", "room") for number, record in first)
    lines.close()
    lines = door.stream({"Last-Event-ID": str(first[1][0])}, site=True, after=0, room="Attic", types=["room"])
    assert next(lines)[1]["after"] == first[1][0]
    assert [next(lines)[0] for _ in range(2)] == [number for number, _ in first[2:]]
    lines.close()
    # A number of another stream: said, and read from the beginning.
    with door.socket(site=True, after=10 ** 9) as line:
        records, (greeting,) = told(line, 3)
    assert greeting["isNew"] and [record["seq"] for record in records] == [1, 2, 3]


def test_a_command_that_waits_longer_than_any_clock_runs_is_refused_by_its_room(house):
    """A number that is no time ended the program, and with it every room of its own."""
    hall, _ = house
    door = Door(hall)
    # Each hears of the other a moment after both have started.
    until(lambda: {"Hall", "Attic"} <= set(door.rooms()))
    for timeout in (1e300, -1e300, 9.3e18):
        for task in ({"task": "move", "who": "P1", "to": "Hall"}, {"task": "invite", "who": "Blue"}):
            assert door.command(room="Attic", timeout=timeout, **task)["error"]["code"] == "badOption"
    assert {"Hall", "Attic"} <= set(door.rooms())


def test_an_operator_of_one_room_sees_and_runs_the_others(house, plays):
    hall, attic = house
    door = Door(hall)
    plays("Attic", "Red")
    until(lambda: door.rooms().get("Attic", {"room": {"playing": 0}})["room"]["playing"] == 1)
    overview = door.overview()
    assert overview["opensRooms"] and "problem" not in overview and overview["site"] == "arcade" and overview["absent"] == []
    assert all("silentForMs" not in each for each in overview["rooms"])
    assert door.command(task="lock", room="Attic") == {}
    assert attic.ask({"task": "status"})[0]["status"]["isLocked"] and not hall.ask({"task": "status"})[0]["status"]["isLocked"]
    until(lambda: door.rooms()["Attic"]["room"]["isLocked"])
    identity = attic.ask({"task": "status"})[0]["status"]["room"]
    status = door.command(task="status", room=identity, minute=True)["status"]
    assert (status["name"], status["peers"][0]["name"]) == ("Attic", "Red")
    assert door.command(task="ticket", room=identity[:6])["url"] == attic.ask({"task": "ticket"})[0]["url"]
    # Its own room by its id is no other.
    assert door.command(task="status", room=hall.ask({"task": "status"})[0]["status"]["room"])["status"]["name"] == "Hall"
    assert door.command(task="kick", who="Nobody", room="Attic")["error"]["code"] == "notFound"
    assert '"Attic"' in door.command(task="lock", room="Cellar")["error"]["message"]
    assert "own machine" in door.command(task="recordStart", path="/tmp/x", room="Attic")["error"]["message"]
    assert door.command(task="kick", who="Red", room="Attic") == {}
    until(lambda: "nobody is here" in attic.status())


def test_another_rooms_events_come_as_by_its_own_door(house, plays):
    hall, attic = house
    door = Door(hall)
    plays("Attic", "Red")
    until(lambda: attic.ask({"task": "status"})[0]["status"]["peers"])
    with door.socket(room="Attic", motion=True, types=["room", "motion"]) as line:
        hello = json.loads(line.recv(PATIENCE))
        assert hello["type"] == "hello" and hello["room"] == "Attic" and hello["players"][0]["name"] == "Red"
        attic.happen(2)
        heard = []
        while [event["state"] for event in heard if event["type"] == "room"] != ["locked", "unlocked"] or len(heard) < 10:
            heard.append(json.loads(line.recv(PATIENCE)))
        assert {event["type"] for event in heard} == {"room", "motion"}
        assert [event["n"] for event in heard if "n" in event] == [hello["after"] + 1, hello["after"] + 2]
        # Commands for it go by the same socket.
        line.send(json.dumps({"task": "lock", "room": "Attic", "id": 7}))
        until(lambda: json.loads(line.recv(PATIENCE)) == {"type": "reply", "id": 7})
        assert attic.ask({"task": "status"})[0]["status"]["isLocked"]
        # It closes: so does this.
        attic.process.terminate()
        with pytest.raises(ConnectionClosed):
            while True:
                line.recv(PATIENCE)
    attic.process.wait(PATIENCE)
    with door.socket(room="Attic") as line:
        assert "Attic" in json.loads(line.recv(PATIENCE))["error"]["message"]


def test_a_room_that_opens_anew_by_an_earlier_clock_lets_its_followers_go(site, house, host, folder):
    """As on a board without a clock of its own: its openings do not follow one another as text."""
    hall, attic = house
    clock = Clock(folder)
    clock.put(-3 * 3_600)
    with Door(hall).socket(room="Attic") as line:
        assert json.loads(line.recv(PATIENCE))["type"] == "hello"
        attic.process.kill()
        attic.process.wait()
        for left in (folder / "Attic.ticket", next(attic.state.rglob("*.sock"))):
            left.unlink()
        anew = host("Attic", *site.host, **clock.environment)
        connected(anew)
        anew.happen(2)
        with pytest.raises(ConnectionClosed):
            while True:
                line.recv(PATIENCE)


def test_who_may_not_is_told_what_to_do(site, house, host):
    hall, attic = house
    door, other = Door(hall), Door(attic)
    game = door.token("game")
    assert door.command(token=game, task="site")["site"]["site"] == "arcade"
    assert door.command(token=game, task="identify", who="P1", room="Attic")["error"]["code"] == "notAllowed"
    assert door.command(token="A" * 43, task="site")["error"]["code"] == "wrongToken"
    with door.socket(token="A" * 43, site=True) as line:
        assert json.loads(line.recv(PATIENCE))["error"]["code"] == "wrongToken"
    # With the host's credentials alone it hears how rooms stand, and no more.
    until(lambda: set(other.rooms()) == {"Hall", "Attic"})
    assert not other.overview()["opensRooms"]
    assert "--site-operator" in other.command(task="lock", room="Hall")["error"]["message"]
    for wish in ({"site": True}, {"room": "Hall"}):
        with other.socket(**wish) as line:
            assert "--site-operator" in json.loads(line.recv(PATIENCE))["error"]["message"]
    # A reader's credentials show and command nothing.
    shown = host("Cellar", *site.host, "--site-operator", site.folder / "site/reader.credentials")
    connected(shown)
    reader = Door(shown)
    assert "may not do that" in reader.command(task="lock", room="Hall")["error"]["message"]
    with reader.socket(site=True, after=0) as line:
        assert len(told(line, 2)[0]) == 2
    alone = Door(host("Alone"))
    assert "belongs to no site" in alone.command(task="site")["error"]["message"]
    with alone.socket(site=True) as line:
        assert "belongs to no site" in json.loads(line.recv(PATIENCE))["error"]["message"]
    # Places have an end, and are given back.
    with contextlib.ExitStack() as lines:
        for _ in range(16):
            assert json.loads(lines.enter_context(door.socket(site=True)).recv(PATIENCE))["type"] == "site"
        with door.socket(site=True) as line:
            assert json.loads(line.recv(PATIENCE))["error"]["code"] == "full"

    def has_room():
        with door.socket(site=True) as line:
            return json.loads(line.recv(PATIENCE)).get("type") == "site"

    until(has_room)
    for nonsense in ({"site": "yes"}, {"site": True, "after": "x"}, {"room": 7}):
        with door.socket(**nonsense) as line:
            assert "error" in json.loads(line.recv(PATIENCE))
    assert "error" in door.command(task="lock", room="") and "error" in door.command(task="lock", room="\u202e" * 5_000)
    assert hall.process.poll() is None


def test_a_room_that_falls_silent_and_a_broker_that_goes_are_said(site, house, host, roomful):
    hall, attic = house
    door = Door(hall)
    until(lambda: set(door.rooms()) == {"Hall", "Attic"})
    attic.happen(2)
    caught_up(attic)
    attic.process.kill()
    attic.process.wait()
    until(lambda: door.rooms()["Attic"].get("silentForMs", 0) > 3_500)
    assert "silentForMs" not in door.rooms()["Hall"]
    assert "answers nobody" in door.command(task="lock", room="Attic")["error"]["message"]
    site.end()
    until(lambda: "does nats-server run there?" in door.overview().get("problem", ""))
    until(lambda: all(each.get("silentForMs") for each in door.rooms().values()))
    assert set(door.rooms()) == {"Hall", "Attic"}
    site.start()
    # Who begins to listen now knows of it by the stream alone.
    until(lambda: [each["name"] for each in door.overview()["absent"]] == ["Attic"])
    until(lambda: "problem" not in door.overview() and set(door.rooms()) == {"Hall"})


def test_one_who_reads_nothing_holds_up_nobody(site, house):
    hall, _ = house
    door = Door(hall)
    with door.socket(site=True) as slow, door.socket(site=True) as quick:
        for line in (slow, quick):
            assert json.loads(line.recv(PATIENCE))["type"] == "site"
        happening = threading.Thread(target=lambda: hall.happen(3_000), daemon=True)
        happening.start()
        records, _ = told(quick, 3_000)
        happening.join(PATIENCE)
        assert [record["n"] for record in records if record["name"] == "Hall"][-1] >= 3_000
