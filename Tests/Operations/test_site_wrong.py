"""A site that is wrong, hostile or not there: it is said in a sentence, and the room plays on."""
import asyncio
import json
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from site_broker import Witness, free_port
from site_rooms import caught_up, connected, problem
from waiting import PATIENCE, until


class Impostor:
    """Something else at a port."""

    def __init__(self, words):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.words = words
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                line, _ = self.listener.accept()
            except OSError:
                return
            with line:
                line.settimeout(1)
                try:
                    line.sendall(self.words)
                    line.recv(1024)
                except OSError:
                    pass


def plays_on(room, roomful_join):
    pad = roomful_join(room.name)
    until(lambda: "Blue" in room.status() and "active" in room.status())
    assert pad.poll() is None and room.process.poll() is None


def test_a_port_where_nobody_listens(host, plays):
    room = host("Hall", "--site", f"nats://127.0.0.1:{free_port()}")
    assert "does nats-server run there?" in problem(room)
    plays_on(room, plays)
    # What the room told is counted a moment later, and one event alone "waits".
    until(lambda: re.search(r"\d events? waits? here", room.status()), room.status)


@pytest.mark.parametrize("words", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"INFO {}\r\n-ERR 'no'\r\n", b"\0" * 200])
def test_what_is_no_broker(host, plays, words):
    impostor = Impostor(words)
    room = host("Hall", "--site", f"nats://127.0.0.1:{impostor.port}")
    assert f"127.0.0.1:{impostor.port}" in problem(room)
    plays_on(room, plays)
    impostor.listener.close()


def test_wrong_credentials_are_said_without_being_shown(site, host, plays, folder, roomful):
    wrong = folder / "wrong"
    wrong.write_text("host:s3cretword\n")
    wrong.chmod(0o600)
    room = host("Hall", "--site", site.url, "--site-name", "arcade", "--site-credentials", wrong)
    assert "does not take these credentials" in problem(room)
    plays_on(room, plays)
    # The right ones, put there while the room plays, are read by the next attempt.
    wrong.write_text((site.folder / "site/host.credentials").read_text())
    connected(room)
    code, out, err = roomful("site", "--broker", f"nats://reader:s3cretword@127.0.0.1:{site.port}", "--site-name", "arcade")
    assert code == 1 and "s3cretword" not in out + err and "does not take these credentials" in err
    assert err.count("every user of this machine can read") == 1, err
    code, _, err = roomful("site", "--broker", site.url, "--site-name", "arcade")
    assert code == 1 and "--site-credentials" in err
    wrong.chmod(0o640)
    code, _, err = roomful("site", "--broker", site.url, "--site-name", "arcade", "--site-credentials", wrong)
    assert code == 1 and "other users may open" in err and f"chmod 600 {wrong}" in err, err
    room.process.terminate()
    assert "s3cretword" not in room.process.stdout.read()


def test_a_broker_without_jetstream(folder, brokers, host, plays):
    configuration = folder / "plain.conf"
    configuration.write_text("max_payload: 1MB\n")
    room = host("Hall", "--site", brokers(configuration).url)
    assert "turn JetStream on" in problem(room)
    plays_on(room, plays)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--site", "http://127.0.0.1:80"], "nats://127.0.0.1:4222"),
        (["--site", "nats://127.0.0.1", "--site-name", "a.b"], "a-z, 0-9 and hyphen"),
        (["--site-name", "arcade"], "goes with --site"),
        (["--site", "nats://127.0.0.1", "--site-ca", "/dev/null"], "tls://"),
    ],
)
def test_what_cannot_be_meant_is_said_before_a_room_opens(roomful, folder, flags, words):
    code, _, err = roomful("host", "Hall", *flags)
    assert code == 2 and words in err
    lines = ['name = "Hall"'] + [f'{flag[2:]} = "{value}"' for flag, value in zip(flags[::2], flags[1::2])]
    (folder / "rooms.toml").write_text("\n".join(lines) + "\n")
    code, _, err = roomful("config", "check", folder / "rooms.toml")
    assert code == 2 and "rooms.toml:" in err


def test_what_strangers_say_is_bounded_and_moves_no_terminal(brokers, host, plays, roomful):
    broker = brokers()
    room = host("Hall", "--site", broker.url)
    connected(room)
    plays("Hall")
    identity = room.ask({"task": "status"})[0]["status"]["room"]
    evil = "\x1b[2J\x1b]0;owned\x07\u202ename"
    forged = {
        "v": 1, "site": "main", "room": "beef" * 8, "name": evil, "host": evil, "at": 0, "opened": "x", "policy": "open", "seats": 1,
        "freeSeats": 1, "isLocked": False, "waiting": 0, "playing": 0, "players": [], "problems": [evil], "isClosing": False}

    has_looked = threading.Event()

    async def forge(client):
        while not has_looked.is_set():
            for name in ("beef" * 8, "else"):
                await client.publish(f"rf.main.{name}.status", json.dumps(forged).encode())
            await asyncio.sleep(0.1)

    async def teach(message):
        taught = {"player": 1, "gesture": evil, "examples": 3, "seconds": 1}
        await message.respond(json.dumps({"taught": [taught]}).encode())

    async def work(client):
        await client.subscribe(f"rf.main.{'beef' * 8}.ask", cb=teach)
        forging = asyncio.create_task(forge(client))
        for payload in (b"", b"{", b"[]", b'{"task":7}', b"\xff" * 1000, b'{"task":"kick"}' + b" " * 100_000, b"9" * 900_000):
            answer = json.loads((await client.request(f"rf.main.{identity}.ask", payload, timeout=PATIENCE)).data)
            assert answer["error"]["message"]
        for _ in range(3_000):
            await client.publish(f"rf.main.{identity}.ask", b'{"task":"peers"}', reply="nowhere")
            await client.publish(f"rf.main.{identity}.ask", b'{"task":"peers"}')
        await client.publish("rf.main.dead.status", b"x" * 500_000)
        await client.publish("rf.main.dead.events", json.dumps({"room": "dead", "name": evil, "event": {"type": "later"}}).encode())
        await forging
        await client.flush()

    with ThreadPoolExecutor() as beside:
        saying = beside.submit(Witness(broker).run, work)
        try:
            code, out, err = roomful("site", "--broker", broker.url)
            asked, answered, said = roomful("taught", "--json", "--site", "--room", "beefbeef", "--broker", broker.url)
        finally:
            has_looked.set()
        saying.result()
    assert code == 0 and "\x1b" not in out + err and "\x07" not in out
    assert "owned" in out, "it is shown, as text"
    assert asked == 0 and [each["gesture"] for each in json.loads(answered)] == ["[2J]0;ownedname"], said
    until(lambda: "active" in room.status())
    assert room.process.poll() is None
    room.happen(2)
    caught_up(room)
