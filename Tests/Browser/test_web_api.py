"""The room's site as any program sees it: events and commands in any language, and a phone's by POST.

Documentation/WEB.md is the contract; these tests speak to it with Python's own tools.
"""

import json
import struct
import time
import urllib.request

import pytest
from hosted_room import PATIENCE, wait_until
from web_client import TRUSTING, Pad, answer, ask, datagram, invitation, taken
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

# Games in any language


def test_a_game_on_this_machine_hears_everything_from_the_beginning_and_commands(room):
    pad = Pad(room)
    pad.play(5)
    with connect(room.local.replace("http", "ws") + "/api/events") as game:
        game.send(json.dumps({"token": room.game_token, "after": 0}))
        assert json.loads(game.recv(PATIENCE))["type"] == "hello"
        assert json.loads(game.recv(PATIENCE))["state"] == "joined"
        game.send(json.dumps({"id": 7, "task": "peers"}))
        reply = answer(game, 7)
        assert reply["peers"][0]["transport"] == "wss"
        assert reply["peers"][0]["datagrams"]["missing"] is None, "a reliable transport's loss is not 0 but unknown"
        game.send(json.dumps({"id": 8, "task": "identify", "who": "Nobody"}))
        reply = answer(game, 8)
        assert reply["error"]["code"] == "notFound"
        game.send(json.dumps({"id": "3f2c9d6e-ask", "task": "status"}))
        assert "status" in answer(game, "3f2c9d6e-ask")
        game.send(json.dumps({"id": "x" * 200, "task": "status"}))
        refusal = next(one for one in iter(lambda: json.loads(game.recv(PATIENCE)), None) if one["type"] == "reply")
        assert refusal["error"]["code"] == "badOption" and "id" not in refusal
        assert pad.seat["name"] in " ".join(reply["error"]["candidates"]) + reply["error"]["message"]


def test_a_game_is_not_told_what_a_players_device_says_of_itself(room):
    pad = Pad(room)
    pad.play(5)
    pad.socket.send(json.dumps({"type": "sensor", "permission": "denied", "battery": 9}))
    wait_until(lambda: (room.peer("P1").get("sensor") or {}).get("battery") == 9, what="the room knows its battery")
    faults = lambda peer: {fault["code"] for fault in peer["recent"]["faults"]}
    told = {"sensorDenied", "batteryLow"}
    assert faults(room.operate(task="peers", minute=True)["peers"][0]) >= told
    for peer in [room.command(task="peers", minute=True)["peers"][0],
                 room.command(task="status", minute=True)["status"]["peers"][0]]:
        assert "sensor" not in peer and "address" not in peer and not faults(peer) & told


def test_commands_of_one_socket_are_carried_out_in_their_order(room):
    pad = Pad(room)
    names = [f"Otter {number}" for number in range(90)]
    with connect(room.local.replace("http", "ws") + "/api/events") as game:
        game.send(json.dumps({"token": room.token("operator"), "types": ["player"]}))
        assert json.loads(game.recv(PATIENCE))["type"] == "hello"
        for number, name in enumerate(names):
            game.send(json.dumps({"id": number, "task": "rename", "who": "P1", "name": name}))
        answered, called = [], []
        while len(answered) < len(names) or len(called) < len(names):
            said = json.loads(game.recv(PATIENCE))
            if said["type"] == "reply":
                answered.append(said["id"])
            elif said["state"] == "renamed":
                called.append(said["name"])
    assert answered == list(range(len(names))) and called == names
    pad.socket.close()


def test_what_asks_the_room_and_what_commands_it_keep_their_order_too(room):
    pad = Pad(room)
    names = [f"Otter {number}" for number in range(40)]
    with connect(room.local.replace("http", "ws") + "/api/events") as game:
        game.send(json.dumps({"token": room.token("operator"), "types": []}))
        assert json.loads(game.recv(PATIENCE))["type"] == "hello"
        for number, name in enumerate(names):
            game.send(json.dumps({"id": 3 * number, "task": "rename", "who": "P1", "name": "Badger"}))
            game.send(json.dumps({"id": 3 * number + 1, "task": "rename", "who": "P1", "name": name}))
            game.send(json.dumps({"id": 3 * number + 2, "task": "peers"}))
        answers = [json.loads(game.recv(PATIENCE)) for _ in range(3 * len(names))]
    assert [one["id"] for one in answers] == list(range(3 * len(names)))
    assert [one["peers"][0]["name"] for one in answers if "peers" in one] == names
    pad.socket.close()


def test_a_game_reaches_hundreds_at_once_and_hears_which_of_its_commands_were_too_many(room):
    with connect(room.local.replace("http", "ws") + "/api/events") as game:
        game.send(json.dumps({"token": room.game_token, "types": []}))
        assert json.loads(game.recv(PATIENCE))["type"] == "hello"
        for number in range(700):
            game.send(json.dumps({"id": number, "task": "play", "who": "P1"}))
        answers = [json.loads(game.recv(PATIENCE)) for _ in range(700)]
        assert sorted(one["id"] for one in answers) == list(range(700))
        refused = {one["id"]: one["error"]["code"] for one in answers}
        assert all(refused[number] == "notFound" for number in range(500))
        assert set(refused.values()) <= {"notFound", "tooOften"}

        def goes_on():
            game.send(json.dumps({"id": 1_000, "task": "status"}))
            return "status" in answer(game, 1_000)

        assert wait_until(goes_on)


def test_a_reader_that_comes_back_continues_after_the_event_that_it_saw_last(room):
    operates = {"Authorization": "Bearer " + room.token("operator")}
    for task in ("lock", "unlock", "lock"):
        assert ask(room.local + "/api/commands", {"task": task}, **operates)[0] == 200
    request = urllib.request.Request(room.local + "/api/events", headers={"Last-Event-ID": "1", **operates})
    with urllib.request.urlopen(request, timeout=PATIENCE) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = []
        while sum(line.startswith("data:") for line in lines) < 3:
            lines.append(stream.readline().decode().strip())
    events = [json.loads(line[5:]) for line in lines if line.startswith("data:")]
    assert [event["type"] for event in events] == ["hello", "room", "room"]
    assert [event.get("n") for event in events] == [None, 2, 3]
    assert f"id: 3@{events[0]['openedAt']}" in lines


def heard(room, count, **headers):
    """So many events of a stream on loopback, the greeting first, and the ids that a browser would come back with."""
    headers["Authorization"] = "Bearer " + room.game_token
    request = urllib.request.Request(room.local + "/api/events", headers=headers)
    events, ids = [], []
    with urllib.request.urlopen(request, timeout=PATIENCE) as stream:
        while len(events) < count:
            line = stream.readline()
            assert line, "the stream has ended"
            field, _, value = line.decode().strip().partition(": ")
            if field == "id":
                ids.append(value)
            elif field == "data":
                events.append(json.loads(value))
    return events, ids


def test_a_browser_that_comes_back_after_a_restart_of_the_host_misses_nothing_and_hears_nothing_twice(room):
    operates = {"Authorization": "Bearer " + room.token("operator")}

    def happen(*tasks):
        for task in tasks:
            assert ask(room.local + "/api/commands", {"task": task}, **operates)[0] == 200

    happen("lock", "unlock", "lock", "unlock")
    [hello], [before] = heard(room, 1)
    assert before == f"4@{hello['openedAt']}", "who hears nothing more comes back to where it began"
    happen("lock", "unlock")
    (_, locked), _ = heard(room, 2, **{"Last-Event-ID": before})
    assert (locked["n"], locked["state"]) == (5, "locked")
    room.kill()
    room.start()
    happen("lock", "unlock")
    told, ids = heard(room, 3, **{"Last-Event-ID": before})
    assert [event.get("n") for event in told] == [None, 1, 2], "all of this life, of which 4 is no number yet"
    life = told[0]["openedAt"]
    assert life != hello["openedAt"] and ids == [f"0@{life}", f"1@{life}", f"2@{life}"]
    (_, last), _ = heard(room, 2, **{"Last-Event-ID": ids[1]})
    assert last["n"] == 2


def test_a_number_that_an_earlier_life_of_the_host_gave_swallows_nothing_of_this_one(room):
    def told(count, **wish):
        with connect(room.local.replace("http", "ws") + "/api/events") as game:
            game.send(json.dumps({"token": room.game_token, **wish}))
            return [json.loads(game.recv(PATIENCE)) for _ in range(count)]

    operates = {"Authorization": "Bearer " + room.token("operator")}
    for task in ("lock", "unlock", "lock", "unlock"):
        assert ask(room.local + "/api/commands", {"task": task}, **operates)[0] == 200
    [before] = told(1, after=4)
    room.kill()
    room.start()
    assert ask(room.local + "/api/commands", {"task": "lock"}, **operates)[0] == 200
    hello, locked = told(2, after=4, openedAt=before["openedAt"])
    assert hello["openedAt"] != before["openedAt"] and hello["after"] == 0
    assert (locked["n"], locked["state"]) == (1, "locked")
    [again] = told(1, after=1, openedAt=hello["openedAt"])
    assert again["after"] == 1 and again["missing"] == 0, "of this life it counts as ever"


def test_types_choose_what_is_heard(room):
    with connect(room.local.replace("http", "ws") + "/api/events") as game:
        game.send(json.dumps({"token": room.game_token, "types": ["room"]}))
        assert json.loads(game.recv(PATIENCE))["type"] == "hello"
        Pad(room).play(2)
        room.cli("lock")
        assert json.loads(game.recv(PATIENCE))["type"] == "room"


def test_who_asks_for_a_type_that_no_event_has_or_for_nothing_that_is_known_is_told_so(room):
    def refusal(first):
        with connect(room.local.replace("http", "ws") + "/api/events") as game:
            game.send(json.dumps(first))
            said = json.loads(game.recv(PATIENCE))
            with pytest.raises(ConnectionClosed) as end:
                game.recv(PATIENCE)
            assert said["error"]["code"] == "badOption" and end.value.rcvd.code == 1003
            return said["error"]["message"]

    assert 'no event is of type "gestures"' in refusal({"token": room.game_token, "types": ["gestures"]})
    assert "the first message cannot be read" in refusal({"token": room.game_token, "types": "gesture"})
    game = {"Authorization": "Bearer " + room.game_token}
    for status, _, said in (ask(room.local + "/api/events?types=player,gestures", **game),
                            ask(room.local + "/api/events", {"types": ["gestures"]}, **game)):
        assert status == 400 and 'no event is of type "gestures"' in said["error"]["message"]


def test_a_development_server_is_admitted_by_its_origin_and_no_other_is(host):
    room = host("--allow-origin", "http://localhost:5173")
    game = {"Authorization": "Bearer " + room.game_token}
    status, headers, _ = ask(room.local + "/api/commands", {"task": "status"}, Origin="http://localhost:5173", **game)
    assert status == 200 and headers["access-control-allow-origin"] == "http://localhost:5173"
    assert ask(room.local + "/api/commands", {"task": "status"}, Origin="http://localhost:9999", **game)[0] == 403


# POST in place of WebSocket


def test_where_websocket_is_refused_a_phone_plays_by_post(room):
    page = {"Origin": room.base}
    _, _, session = ask(room.base + "/api/controller/open", b"", **page)
    stream = urllib.request.urlopen(
        urllib.request.Request(room.base + "/api/controller/stream?stream=" + session["stream"], headers=page),
        timeout=PATIENCE, context=TRUSTING)

    def hear(event):
        while True:
            if stream.readline().decode().strip() == f"event: {event}":
                return stream.readline().decode().strip().removeprefix("data: ")

    assert json.loads(hear("message"))["type"] == "hello"
    say = lambda body, kind: ask(
        room.base + "/api/controller/send", body, Content_Type=kind, Roomful_Session=session["session"], **page)[0]
    assert say(json.dumps(invitation(room)).encode(), "application/json") == 204
    seat = json.loads(hear("message"))
    assert seat["type"] == "seated"
    frames = [datagram(seat["link"]["connection"], number, number, time.monotonic_ns()) for number in range(8)]
    batch = b"".join(struct.pack(">H", len(frame)) + frame for frame in frames)
    assert say(batch, "application/octet-stream") == 204
    assert say(batch, "application/octet-stream") == 204, "tried again, with the same numbers"
    hear("frame")
    peer = wait_until(lambda: (peer := room.peers()[0])["datagrams"]["duplicate"] == 8 and peer, what="both batches")
    assert peer["transport"] == "post" and taken(peer) == 8
    for number in range(8, 68):
        frame = datagram(seat["link"]["connection"], number, number, time.monotonic_ns())
        assert say(struct.pack(">H", len(frame)) + frame, "application/octet-stream") == 204, "one POST a sample"
    stream.close()
    assert wait_until(lambda: say(b"", "application/octet-stream") == 401, what="the session to end with its stream")


@pytest.mark.parametrize("arguments, word", [
    (["--play", "chess"], "keepcalm"), (["--serve", "/nowhere"], "--serve"), (["--http", "x"], "--http"),
])
def test_a_game_folder_or_port_that_cannot_be_is_a_clear_error(host, arguments, word):
    with pytest.raises(AssertionError) as refused:
        host(*arguments)
    assert word in str(refused.value)
