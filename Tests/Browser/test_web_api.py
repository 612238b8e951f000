"""The room's site as any program sees it: events and commands in any language, and what strangers may not do.

Documentation/WEB.md is the contract; these tests speak to it with Python's own tools.
"""

import base64
import concurrent.futures
import json
import os
import socket
import ssl
import struct
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from hosted_room import PATIENCE, wait_until
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

TRUSTING = ssl.create_default_context()
TRUSTING.check_hostname = False
TRUSTING.verify_mode = ssl.CERT_NONE


def ask(url, body=None, **headers):
    """One request; its status, headers and body (as JSON where it is)."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {name.replace("_", "-"): value for name, value in headers.items()})
    try:
        answer = urllib.request.urlopen(
            request, timeout=PATIENCE, context=TRUSTING if url.startswith("https") else None)
    except urllib.error.HTTPError as error:
        answer = error
    text = answer.read()
    try:
        return answer.status, answer.headers, json.loads(text)
    except ValueError:
        return answer.status, answer.headers, text


def answer(game, number):
    """The answer to a command of this number, from among the events."""
    while True:
        message = json.loads(game.recv(PATIENCE))
        if message["type"] == "reply" and message.get("id") == number:
            return message


def token(room, who):
    """The game's or the operator's token, from the room's folder."""
    return next(Path(room.folder).rglob(f"{who}-token")).read_text().strip()


def invitation(room, **fields):
    stream = {"stream": 0, "measures": ["acceleration", "rotationRate"], "accelerationRange": 156.9064,
              "rotationRange": 34.90658503988659, "rate": 60}
    return {"type": "invite", "v": 1, "controller": os.urandom(16).hex(), "process": os.urandom(8).hex(), "name": "",
            "streams": [stream], "haptics": True, "code": room.ticket().get("code"), **fields}


def datagram(connection, number, index, at):
    """One sample at rest, as section 5 of WIRE-FORMAT.md lays it out."""
    run = struct.pack(">IBq", index, 1, at // 1000) + bytes(3) + struct.pack(">hhhhhh", 0, 0, 2048, 0, 0, 0)
    block = bytes([0, 0, 3]) + struct.pack(">I", 0) + run
    return struct.pack(">BIIq", 0x13, connection, number, at) + b"\x01" + struct.pack(">H", len(block)) + block


class Pad:
    """A browser's controller without a browser."""

    def __init__(self, room, base=None, **fields):
        base = base or room.base
        self.socket = connect(
            base.replace("http", "ws", 1) + "/api/controller", origin=base, compression=None,
            ssl=TRUSTING if base.startswith("https") else None)
        self.said = [json.loads(self.socket.recv(PATIENCE))]
        self.socket.send(json.dumps(invitation(room, **fields)))
        self.number = 0
        while self.said[-1]["type"] not in ("seated", "refused"):
            self.hear()

    def hear(self):
        message = self.socket.recv(PATIENCE)
        if isinstance(message, str):
            self.said.append(json.loads(message))
        return message

    @property
    def seat(self):
        return self.said[-1]

    def play(self, count=1):
        for _ in range(count):
            at = time.monotonic_ns()
            self.socket.send(datagram(self.seat["link"]["connection"], self.number, self.number, at))
            self.number += 1


def taken(peer):
    """Its samples that the room has, each once: those that a machine held up which stood still are late."""
    return peer["samples"]["delivered"] + peer["samples"]["late"]


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


def test_commands_of_one_socket_are_carried_out_in_their_order(room):
    pad = Pad(room)
    names = [f"Otter {number}" for number in range(90)]
    with connect(room.local.replace("http", "ws") + "/api/events") as game:
        game.send(json.dumps({"token": token(room, "operator"), "types": ["player"]}))
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
    operates = {"Authorization": "Bearer " + token(room, "operator")}
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
    assert "id: 3" in lines


def test_a_number_that_an_earlier_life_of_the_host_gave_swallows_nothing_of_this_one(room):
    def told(count, **wish):
        with connect(room.local.replace("http", "ws") + "/api/events") as game:
            game.send(json.dumps({"token": room.game_token, **wish}))
            return [json.loads(game.recv(PATIENCE)) for _ in range(count)]

    operates = {"Authorization": "Bearer " + token(room, "operator")}
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


def test_a_development_server_is_admitted_by_its_origin_and_no_other_is(host):
    room = host("--allow-origin", "http://localhost:5173")
    game = {"Authorization": "Bearer " + room.game_token}
    status, headers, _ = ask(room.local + "/api/commands", {"task": "status"}, Origin="http://localhost:5173", **game)
    assert status == 200 and headers["access-control-allow-origin"] == "http://localhost:5173"
    assert ask(room.local + "/api/commands", {"task": "status"}, Origin="http://localhost:9999", **game)[0] == 403


# Tokens


def test_any_user_of_this_machine_and_any_proxy_on_it_needs_the_games_token(room):
    commands, status = room.local + "/api/commands", {"task": "status"}
    game = {"Authorization": "Bearer " + room.game_token}
    assert ask(commands, status)[0] == 401 and ask(room.local + "/api/events")[0] == 401
    with connect(room.local.replace("http", "ws") + "/api/events") as socket_:
        socket_.send("{}")
        assert json.loads(socket_.recv(PATIENCE))["error"]["code"] == "wrongToken"
    assert ask(commands, status, **game)[0] == 200
    assert ask(commands, status, Host="games.local", **game)[0] == 421, "a proxy that rewrites nothing"
    assert room.json("open", "--print")["game"] == room.game_link()


def test_a_door_that_was_opened_takes_games_without_a_token_and_nothing_that_was_passed_on(host):
    room = host("--open-loopback")
    commands, status = room.local + "/api/commands", {"task": "status"}
    assert ask(commands, status)[0] == 200
    for name in ("Via", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP"):
        assert ask(commands, status, **{name: "192.0.2.1"})[0] == 401, name
    assert ask(commands, {"task": "lock"})[0] == 403, "never the operator's tasks"
    assert room.json("open", "--print")["game"] == room.local + "/"


def test_another_machine_needs_the_games_token_and_the_operator_his_own_everywhere(room):
    status = {"task": "status"}
    assert ask(room.base + "/api/commands", status)[0] == 401
    assert ask(room.base + "/api/commands", status, Authorization="Bearer wrong")[0] == 401
    game = {"Authorization": "Bearer " + token(room, "game")}
    operates = {"Authorization": "Bearer " + token(room, "operator")}
    assert ask(room.base + "/api/commands", status, **game)[0] == 200
    for base in (room.base, room.local):
        assert ask(base + "/api/commands", {"task": "lock"}, **game)[0] == 403
        # Whoever shows the game's token may show the room's QR code; who may come in stays the operator's.
        assert ask(base + "/api/commands", {"task": "ticket"}, **game)[0] == 200
        assert ask(base + "/api/commands", {"task": "pages"}, **game)[0] == 403
        assert ask(base + "/api/commands", {"task": "lock"}, **operates)[0] == 200
    assert ask(room.local + "/api/commands", {"task": "lock"})[0] == 401


def test_tokens_stay_the_same_over_a_restart(room):
    before = (token(room, "game"), token(room, "operator"))
    room.kill()
    room.start()
    assert before == (token(room, "game"), token(room, "operator"))
    assert ask(room.base + "/api/commands", {"task": "lock"}, Authorization="Bearer " + before[1])[0] == 200


def test_a_streams_id_is_good_once(room):
    game = {"Authorization": "Bearer " + token(room, "game")}
    assert ask(room.base + "/api/events", {})[0] == 401
    _, _, answer = ask(room.base + "/api/events", {"after": 0}, **game)
    url = room.base + "/api/events?stream=" + answer["stream"]
    with urllib.request.urlopen(url, timeout=PATIENCE, context=TRUSTING) as stream:
        assert stream.status == 200
    assert ask(url)[0] == 410
    assert ask(room.base + "/api/events")[0] == 401, "without an id it needs a token"


def test_a_websocket_with_a_wrong_token_is_told_and_closed(room):
    with connect(room.base.replace("http", "ws") + "/api/events", ssl=TRUSTING) as socket:
        socket.send(json.dumps({"token": "wrong"}))
        assert json.loads(socket.recv(PATIENCE))["error"]["code"] == "wrongToken"
        with pytest.raises(ConnectionClosed):
            socket.recv(PATIENCE)


# Origins and hosts


@pytest.mark.parametrize("path", ["/api/controller", "/api/events"])
def test_a_page_of_another_origin_gets_no_websocket(room, path):
    with pytest.raises(InvalidStatus):
        connect(room.base.replace("http", "ws") + path, origin="https://evil.example", ssl=TRUSTING)


def test_a_program_without_an_origin_is_no_phone(room):
    with pytest.raises(InvalidStatus):
        connect(room.base.replace("http", "ws") + "/api/controller", ssl=TRUSTING)


def test_a_name_that_is_not_this_machines_is_turned_away(room):
    for base in (room.base, room.local):
        assert ask(base + "/", Host="evil.example")[0] == 421
        assert ask(base + "/api/commands", {"task": "status"}, Host="evil.example:80")[0] == 421


def test_a_wrong_code_is_refused_and_says_so(room):
    pad = Pad(room, code="00000000")
    assert pad.seat["type"] == "refused" and pad.seat["reason"] == "wrongCode"


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


# What strangers may send


def test_what_is_too_long_too_slow_or_nonsense_costs_nothing_and_the_room_plays_on(room):
    pad = Pad(room)
    pad.play(3)
    assert ask(room.local + "/api/commands", b"x" * 70_000)[0] in (413, 400)
    for body in (b"", b"{", b"[]", b'{"task":"rule the world"}', b'{"task":"events"}', b"\xff\xfe"):
        assert ask(room.local + "/api/commands", body, Authorization="Bearer " + room.game_token)[0] == 400
    assert ask(room.local + "/api/nothing")[0] == 404
    for path in ("/nothing", "/pads/nothing.js", "/%3Cscript%3E"):
        status, _, answer = ask(room.local + path)
        assert (status, answer["error"]["code"]) == (404, "notFound"), "to a program"
        person = urllib.request.Request(room.local + path, headers={"Accept": "text/html,*/*;q=0.8"})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(person, timeout=PATIENCE)
        page = refused.value.read().decode()
        assert refused.value.code == 404 and "<h1" in page and "script>" not in page.split("<body>")[1], page
    assert ask(room.local + "/../../etc/passwd")[0] == 404
    for junk in (b"\x00" * 4_000, b"GET / HTTP/9.9\r\n\r\n", b"GET " + b"a" * 100_000, b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", room.http)) as stranger:
            try:
                stranger.sendall(junk)
                stranger.shutdown(socket.SHUT_WR)
                stranger.settimeout(PATIENCE)
                while stranger.recv(4_096):
                    pass
            except TimeoutError:
                raise
            except OSError:
                pass
    for junk in (b"", b"\x13", b"\x13" * 2_000, bytes(1_200), os.urandom(100)):
        pad.socket.send(junk)
    pad.play(3)
    assert wait_until(lambda: taken(room.peers()[0]) == 6)


def memory(room):
    """The room's resident memory in MiB."""
    with open(f"/proc/{room.process.pid}/statm") as pages:
        return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_twenty_readers_of_a_big_file_that_read_nothing_cost_a_bounded_memory_and_one_who_reads_gets_it_whole(host, tmp_path):
    (tmp_path / "index.html").write_text("hello")
    big = os.urandom(1 << 20) * 60
    (tmp_path / "big.bin").write_bytes(big)
    room = host("--serve", str(tmp_path))
    ask(room.local + "/game/")
    before = memory(room)
    stopped = []
    for _ in range(20):
        reader = socket.create_connection(("127.0.0.1", room.http))
        reader.sendall(b"GET /game/big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
        stopped.append(reader)
    for reader in stopped:
        assert reader.recv(12) == b"HTTP/1.1 200", "each has its head, and an answer under way"
    status, headers, body = ask(room.local + "/game/big.bin")
    assert status == 200 and body == big
    assert ask(room.local + "/game/big.bin", If_None_Match=headers["etag"])[0] == 304
    assert memory(room) - before < 64, "20 times 60 MiB were asked for"
    for reader in stopped:
        reader.close()


def test_headers_have_an_end_and_their_first_byte_starts_the_clock(room):
    request = b"GET /api/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", room.port)) as plain:
        stranger = TRUSTING.wrap_socket(plain)
        stranger.settimeout(PATIENCE)
        stranger.sendall(request)
        assert stranger.recv(12) == b"HTTP/1.1 404", "a request that was answered, so that its connection may idle"
        while b"no such call" not in stranger.recv(4_096):
            pass
        # Two megabytes of headers, in fields of 8 KB: thrown away, and never answered.
        try:
            stranger.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
            for field in range(256):
                stranger.sendall(b"X-%d: " % field + b"a" * 8_000 + b"\r\n")
            stranger.sendall(b"\r\n")
            assert stranger.recv(4_096) == b""
        except TimeoutError:
            raise
        except OSError:
            pass
    # As many small requests as one likes, whatever they are together.
    with socket.create_connection(("127.0.0.1", room.port)) as plain:
        friend = TRUSTING.wrap_socket(plain)
        friend.settimeout(PATIENCE)
        for _ in range(100):
            friend.sendall(request.replace(b"\r\n\r\n", b"\r\nX-Long: " + b"a" * 4_000 + b"\r\n\r\n"))
            answer = b""
            while b"no such call" not in answer:
                answer += friend.recv(4_096)


def test_a_request_behind_another_one_has_its_end_too(room):
    """Both in one packet: the clock of the first stops as it is whole."""
    with socket.create_connection(("127.0.0.1", room.port)) as plain:
        stranger = TRUSTING.wrap_socket(plain)
        stranger.settimeout(PATIENCE)
        host = b" HTTP/1.1\r\nHost: localhost\r\n"
        stranger.sendall(b"GET /favicon.ico" + host + b"\r\nPOST /api/lobby" + host + b"Content-Length: 10\r\n\r\n")
        heard = b""
        while received := stranger.recv(4_096):
            heard += received
        assert heard.startswith(b"HTTP/1.1 204") and heard.count(b"HTTP/1.1") == 1


def test_what_follows_an_upgrade_in_the_same_packet_is_the_first_message(room):
    """Nothing of HTTP may look at it any more: it is bytes of another kind."""
    text = json.dumps({"token": room.game_token}).encode()
    frame = b"\x81" + bytes([0x80 | len(text)]) + bytes(4) + text
    for first in (frame, b"\xff" * 200, b"GET / HTTP/1.1\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", room.http)) as game:
            game.settimeout(PATIENCE)
            game.sendall(
                b"GET /api/events HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n" + first)
            assert game.recv(12) == b"HTTP/1.1 101"
            heard = b""
            try:
                while b"hello" not in heard and (part := game.recv(4_096)):
                    heard += part
            except TimeoutError:
                raise
            except OSError:
                pass
            assert (b"hello" in heard) == (first == frame)
    assert room.command(task="status")["status"]["name"] == room.name


def test_what_comes_before_a_seat_never_reaches_the_room(room):
    """Nobody without a seat fills the mailbox in which commands and players' datagrams wait."""
    with connect(room.base.replace("http", "ws") + "/api/controller", origin=room.base, ssl=TRUSTING) as stranger:
        for number in range(200):
            stranger.send(datagram(1, number, number, time.monotonic_ns()))
        assert json.loads(stranger.recv(PATIENCE))["type"] == "hello"
        assert Pad(room).seat["type"] == "seated"
        assert room.command(task="status")["status"]["strangers"]["unknown"] == 0


def test_who_has_not_asked_for_a_seat_writes_nothing_into_a_recording(host, tmp_path):
    """Goodbyes of 45 KB that no packing makes smaller, from ten sessions; and one that has asked, whose words are cut."""
    recording = tmp_path / "evening.mcap"
    room = host("--record", str(recording))
    page = {"Origin": room.base}
    said = base64.b64encode(os.urandom(45_000)).decode()
    goodbye = json.dumps({"type": "goodbye", "reason": said[:40], "message": said}).encode()
    sensor = json.dumps({"type": "sensor", "permission": said}).encode()
    for _ in range(10):
        _, _, session = ask(room.base + "/api/controller/open", b"", **page)
        stream = urllib.request.urlopen(
            urllib.request.Request(room.base + "/api/controller/stream?stream=" + session["stream"], headers=page),
            timeout=PATIENCE, context=TRUSTING)
        say = lambda body: ask(
            room.base + "/api/controller/send", body, Content_Type="application/json", Roomful_Session=session["session"], **page)[0]
        for _ in range(5):
            assert say(goodbye) == 204 and say(sensor) == 204
        stream.close()
    with connect(room.base.replace("http", "ws") + "/api/controller", origin=room.base, ssl=TRUSTING) as stranger:
        stranger.send(json.dumps({"type": "goodbye", "reason": "left", "message": said[:15_000]}))
    room.cli("mark", "the end")
    room.cli("record", "stop")
    assert 0 < recording.stat().st_size < 20_000, "strangers' words are written down"
    assert room.command(task="status")["status"]["name"] == room.name


def test_a_batch_of_more_datagrams_than_any_phone_has_is_cut(room):
    page = {"Origin": room.base}
    _, _, session = ask(room.base + "/api/controller/open", b"", **page)
    with urllib.request.urlopen(
            urllib.request.Request(room.base + "/api/controller/stream?stream=" + session["stream"], headers=page),
            timeout=PATIENCE, context=TRUSTING):
        batch = struct.pack(">H", 20) + bytes(20)
        status, _, refusal = ask(
            room.base + "/api/controller/send", batch * 2_000, Content_Type="application/octet-stream",
            Roomful_Session=session["session"], **page)
        assert status == 429 and refusal["error"]["code"] == "tooFast"


def test_a_folders_name_without_its_slash_leads_to_the_folder_and_never_to_another_host(host, tmp_path):
    (tmp_path / "sub").mkdir()
    for folder in (tmp_path, tmp_path / "sub"):
        (folder / "index.html").write_text("<!doctype html><title>x</title>")
    room = host("--serve", str(tmp_path))
    with socket.create_connection(("127.0.0.1", room.http)) as stranger:
        stranger.sendall(b"GET //game/sub?n=4 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        answer = stranger.makefile("rb").read().decode()
    assert "301" in answer.split("\r\n")[0] and "location: /game/sub/?n=4" in answer.lower()


def test_another_sites_page_cannot_open_a_stream_through_the_operators_browser(room):
    assert ask(room.local + "/api/events", Sec_Fetch_Site="cross-site")[0] == 403


def test_who_pings_and_reads_nothing_is_let_go(room):
    with connect(room.base.replace("http", "ws") + "/control", ssl=TRUSTING, ping_interval=None) as stranger:
        with pytest.raises(ConnectionClosed):
            for _ in range(200):
                stranger.ping()
                time.sleep(0.005)
            while True:  # Its goodbye comes when the room has read them.
                stranger.recv(PATIENCE)


def test_a_client_that_says_nothing_is_let_go(room):
    with socket.create_connection(("127.0.0.1", room.http)) as silent:
        silent.settimeout(PATIENCE)
        assert silent.recv(1) == b""


def test_a_page_that_reads_nothing_loses_its_own_and_holds_up_nobody(room):
    """A stalled reader of motion: the kernel's queue for it fills, and what comes then it never gets, but for the newest.
    The room and whoever reads beside it do not notice."""
    pad, hearing = Pad(room), room.follow()
    deaf = socket.socket()
    # Small segments and a small window, so that the queue is full after some 100 events.
    deaf.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
    deaf.settimeout(PATIENCE)
    deaf.connect(("127.0.0.1", room.http))
    deaf.sendall(
        f"GET /api/events?motion=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {room.game_token}\r\n\r\n".encode())

    def play_until(is_so):
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < deadline, f"{unsent(room.http, deaf.getsockname()[1])} bytes wait for the deaf"
            for _ in range(30):
                pad.play()
                time.sleep(1 / 60)

    # Full is what grows no more while the other page hears ten events.
    seen = [(0, 0)]

    def is_full():
        seen.append((unsent(room.http, deaf.getsockname()[1]), len(motions(hearing.events))))
        return seen[-1][0] == seen[-2][0] > 0 and seen[-1][1] >= seen[-2][1] + 10

    play_until(is_full)
    lost = len(motions(hearing.events))
    play_until(lambda: len(motions(hearing.events)) > lost + 50)
    assert wait_until(lambda: taken(room.peers()[0]) == pad.number)
    newest = wait_until(lambda: len(motions(hearing.events)) > 100 and hearing.motion())
    got, lines = [], deaf.makefile()
    while not got or got[-1] != newest:
        line = lines.readline()
        if line.startswith("data:") and json.loads(line[5:])["type"] == "motion":
            got.append(json.loads(line[5:]))
        newest = hearing.motion()
    assert len(got) < len(motions(hearing.events)) - 40, "it lost what came while its queue was full"
    hearing.close()
    deaf.close()


def motions(events):
    return [event for event in events if event["type"] == "motion"]


def unsent(local, remote):
    """The bytes that wait in the kernel between two loopback ports, as /proc/net/tcp and tcp6 say (proc(5))."""
    for row in (Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()).splitlines():
        if not row.lstrip()[0].isdigit():
            continue
        fields = row.split()
        if [int(end.split(":")[1], 16) for end in fields[1:3]] == [local, remote]:
            return int(fields[4].split(":")[0], 16)
    raise AssertionError("the connection is gone")


def test_sixty_pages_at_once_are_served_and_a_seat_is_still_to_be_had(room):
    def visit(_):
        # Each asks as soon as it may: who says nothing is let go.
        page = TRUSTING.wrap_socket(socket.create_connection(("127.0.0.1", room.port), timeout=PATIENCE))
        page.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{room.port}\r\n\r\n".encode())
        assert page.makefile("rb").readline().split()[1] == b"200"
        return page

    with concurrent.futures.ThreadPoolExecutor(60) as pool:
        crowd = list(pool.map(visit, range(60)))
    # They are all there still.
    assert Pad(room).seat["type"] == "seated"
    for page in crowd:
        page.close()


# Reverse proxy, by hand: the loopback door takes a proxy's phones


def test_a_proxy_that_ends_the_tls_brings_phones_to_the_loopback_door_by_the_origin_of_url(host):
    room = host("--url", "https://play.example.org")
    base = room.local.replace("http", "ws") + "/api/controller"
    with pytest.raises(InvalidStatus):
        connect(base, origin="https://other.example.org", additional_headers={})
    with connect(base, origin="https://play.example.org") as phone:
        assert json.loads(phone.recv(PATIENCE))["type"] == "hello"


@pytest.mark.parametrize("arguments, word", [
    (["--play", "chess"], "keepcalm"), (["--serve", "/nowhere"], "--serve"), (["--http", "x"], "--http"),
])
def test_a_game_folder_or_port_that_cannot_be_is_a_clear_error(host, arguments, word):
    with pytest.raises(AssertionError) as refused:
        host(*arguments)
    assert word in str(refused.value)
