"""What strangers may send to the web's doors: nothing of it costs the room, or those who play, anything that counts."""

import base64
import concurrent.futures
import json
import os
import socket
import struct
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from hosted_room import PATIENCE, wait_until
from web_client import TRUSTING, Pad, ask, datagram, taken
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


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
