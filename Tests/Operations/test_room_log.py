"""The log of a room that outlives its machine, and the checker that reads it: who writes there, and what it holds."""
import asyncio
import json
import os
import signal
import time

import nats.js.errors
import pytest
from ownership import Record, append, faults_of_events, faults_of_log, faults_of_seats, read_log
from site_broker import Witness
from site_rooms import caught_up
from standing_by import Host, checked
from waiting import PATIENCE, until


def test_nothing_secret_lies_at_the_broker_in_clear(site, pair):
    first, _ = pair()
    answer = first.ask({"task": "ticket"})[0]
    folders = list((first.state / "rooms").glob("hall-*"))
    key = next(folder / "authority.pem" for folder in folders).read_text()
    token = next(folder / "game-token" for folder in folders).read_text().strip()
    secrets = [answer["code"], token, "PRIVATE KEY", *[line for line in key.splitlines() if len(line) == 64]]
    first.happen(2)
    first.says("a standby is ready")
    kept = b"".join(path.read_bytes() for path in (site.folder / "site/jetstream").rglob("*") if path.is_file())
    assert b"RF_arcade_LOG_" in kept
    for secret in secrets:
        assert secret.encode() not in kept


def test_the_checker_finds_a_second_owner(site, pair):
    first, second = pair()
    first.happen(4)
    room = first.facts()["room"]
    first.is_kept(site)
    first.kill()
    second.says("opens here (epoch 2")
    until(second.is_open)
    second.happen(4)
    second.is_kept(site)
    log, events = checked(site, room)
    old = next(record for _, record in events if record["epoch"] == 1 and "event" in record)

    async def plant(client):
        js = client.jetstream()
        beat = bytearray(log[-1].bytes[:44])
        beat[1] = 2
        beat[12:20] = (77).to_bytes(8, "big")
        await append(client, "arcade", room, bytes(beat))
        await js.publish(f"rf.arcade.{room}.events", json.dumps(old).encode())
        return await read_log(client, "arcade", room)

    planted = Witness(site, "host", "arcade").run(plant)
    found = faults_of_log(planted)
    assert any("epoch 2 has 2 owners" in fault for fault in found) and any("not its owner's" in fault for fault in found)
    found = faults_of_events(Witness(site, "reader", "arcade").read())
    assert any("is of epoch 1, after one of epoch 2" in fault for fault in found) and any("has the number" in fault for fault in found)
    # The room's host reads it, too, and plays on.
    assert "error" not in second.ask({"task": "lock"})[0]


def test_the_checker_finds_a_seat_that_was_lost():
    def told(event):
        return {"room": "beef", "event": event}

    def player(number, *controllers, state="joined"):
        return {"type": "player", "player": number, "controllers": list(controllers), "state": state}

    before = [told(player(1, "c1")), told(player(2, "c2")), told(player(3, "c3")), told(player(3, "c3", state="left"))]
    kept = told({"type": "hello", "players": [player(1, "c1"), player(2, "c2")]})
    assert faults_of_seats(list(enumerate([*before, kept]))) == []
    for players in ([player(1, "c1")], [player(2, "c1"), player(1, "c2")], []):
        assert faults_of_seats(list(enumerate([*before, told({"type": "hello", "players": players})]))) != []


def test_what_anybody_writes_into_the_log_ends_nobody(site, pair):
    first, second = pair()
    room = first.facts()["room"]

    async def write(client):
        js = client.jetstream()
        head = Record.read(1, (await js.get_msg(f"RF_arcade_LOG_{room}", 1)).data).bytes
        whole = bytearray(head[:44])
        whole[4:12] = b"\xff" * 8
        beat = head[:1] + b"\x02" + head[2:44]
        # Of this version, and of kinds that it knows: others depose, as nobody can know what they mean.
        for data in (b"", b"\x01", b"\x01" + b"\xff" * 100, bytes(whole), head[:43], beat + os.urandom(5_000), head[:1] + b"\x03" + head[2:]):
            await append(client, "arcade", room, data)
        # Nor what does not say where it stands, of whatever version it is.
        await js.publish(f"rf.arcade.{room}.log", b"\x02" + head[1:])
        await client.publish(f"rf.arcade.{room}.standby", b"{" * 100_000)
        await client.publish(f"rf.arcade.{room}.standby", b'{"host":"ffffffffffffffff","ready":true,"follows":18446744073709551615,"machine":"\\u001b[2J"}')
        await client.flush()

    async def newest(client):
        js = client.jetstream()
        return (await js.get_msg(f"RF_arcade_LOG_{room}", (await js.stream_info(f"RF_arcade_LOG_{room}")).state.last_seq)).data

    host = Witness(site, "host", "arcade")
    host.run(write)
    first.happen(4)
    # It may be silent for a moment: until it has read the log to its end again.
    until(lambda: "error" not in first.ask({"task": "lock"})[0])
    until(lambda: host.run(newest)[44:] == b"" and host.run(newest)[1:2] == b"\x02", "its beats go on behind all that")
    first.kill()
    second.says("opens here (epoch 2")
    until(second.is_open)
    assert "\x1b" not in second.text


def test_what_a_reader_has_the_broker_deliver_to_a_room_ends_it_not_and_commands_nothing(site, pair):
    first, second = pair()
    first.happen(4)
    first.is_kept(site)
    room = first.facts()["room"]
    host = Witness(site, "host", "arcade")
    host.run(lambda client: client.jetstream().publish("rf.arcade.evil.events", json.dumps({"task": "lock"}).encode()))

    async def deliver(client):
        for kind in ("ask", "host", "log"):
            # The right to read the stream is a right to say where the broker sends it.
            wish = {"deliver_subject": f"rf.arcade.{room}.{kind}", "deliver_policy": "all", "ack_policy": "none", "idle_heartbeat": 100_000_000}
            asked = json.dumps({"stream_name": "RF_arcade_EVENTS", "config": wish}).encode()
            answer = json.loads((await client.request("$JS.API.CONSUMER.CREATE.RF_arcade_EVENTS", asked)).data)
            assert "error" not in answer, answer

    Witness(site, "reader", "arcade").run(deliver)

    async def has_come(client):
        js, name = client.jetstream(), f"RF_arcade_LOG_{room}"
        state = (await js.stream_info(name)).state
        return any([(await js.get_msg(name, place)).data[:1] == b"{" for place in range(state.first_seq, state.last_seq + 1)])

    until(lambda: host.run(has_come))
    # Longer than a fence: it would have stopped by then.
    time.sleep(2)
    assert "deposed" not in first.text
    # Amid so many records it is silent now and then, until it has read the log to its end: then it says that nobody can come in.
    until(lambda: first.is_open() and not first.facts()["isLocked"], "nothing has locked it")
    first.kill()
    second.says("opens here (epoch 2")
    until(second.is_open)


def test_a_log_from_which_a_reader_has_every_record_pushed_out_unread_ends_no_room(site, pair):
    first, second = pair()
    first.happen(4)
    first.says("a standby is ready")
    room = first.facts()["room"]
    host = Witness(site, "host", "arcade")

    async def fill(client):
        js = client.jetstream(publish_async_max_pending=10_000)
        for told in [await js.publish_async("rf.arcade.evil.events", b"{}") for _ in range(2_500)]:
            await told

    host.run(fill)

    async def deliver(client):
        wish = {"deliver_subject": f"rf.arcade.{room}.log", "deliver_policy": "all", "ack_policy": "none"}
        asked = json.dumps({"stream_name": "RF_arcade_EVENTS", "config": wish}).encode()
        assert "error" not in json.loads((await client.request("$JS.API.CONSUMER.CREATE.RF_arcade_EVENTS", asked)).data)

    async def first_kept(client):
        return (await client.jetstream().stream_info(f"RF_arcade_LOG_{room}")).state.first_seq

    # Faster than hosts read: for a moment they do not, neither so long that one yields.
    for machine in (first, second):
        machine.signal(signal.SIGSTOP)
    last = host.run(lambda client: client.jetstream().stream_info(f"RF_arcade_LOG_{room}")).state.last_seq
    try:
        Witness(site, "reader", "arcade").run(deliver)
        # Behind what either has read there is a gap.
        until(lambda: host.run(first_kept) > last + 100)
    finally:
        for machine in (first, second):
            machine.signal(signal.SIGCONT)
    first.says("deposed: somebody has filled the room's log")
    first.says("a standby is ready", times=2)
    until(lambda: first.is_open() and "error" not in first.ask({"task": "unlock"})[0])
    first.kill()
    until(second.is_open)


def test_readers_games_and_operators_write_no_log_and_read_none(site, pair):
    first, _ = pair()
    room = first.facts()["room"]
    before = len(checked(site, room)[0])
    for role in ("game", "operator", "reader"):
        witness = Witness(site, role, "arcade")

        async def attempt(client):
            await client.publish(f"rf.arcade.{room}.log", b"x")
            await client.publish(f"rf.arcade.{room}.standby", b"x")
            await client.flush()
            with pytest.raises((nats.js.errors.Error, nats.errors.Error)):
                await client.jetstream(timeout=1).get_msg(f"RF_arcade_LOG_{room}", 1)
            # The client tells of errors in a task of its own.
            deadline = time.monotonic() + PATIENCE
            while len(witness.errors) < 3 and time.monotonic() < deadline:
                await asyncio.sleep(0.02)

        witness.run(attempt)
        errors = [error.lower() for error in witness.errors]
        for subject in (f"{room}.log", f"{room}.standby", "stream.msg.get"):
            assert any("permissions violation" in error and subject in error for error in errors), (role, subject, errors)
    log = checked(site, room)[0]
    assert len(log) >= before


def test_the_hundredth_room_of_a_site_that_outlives_its_machine_has_a_log(site, machine):
    async def make(client):
        for number in range(100):
            await client.jetstream().add_stream(
                name=f"RF_arcade_LOG_{number:032x}", subjects=[f"rf.arcade.{number:032x}.log"], max_bytes=16 << 20)

    Witness(site, "host", "arcade").run(make)
    first = machine("first")
    first.says("opens here (epoch 1")
    until(first.is_open)


def test_a_broker_that_has_nothing_more_to_promise_says_what_to_do_and_keeps_the_rooms_it_has(roomful, folder, brokers, started):
    roomful("site", "init", folder / "other")
    configuration = folder / "small.conf"
    # As much as the events and one room's log are promised.
    configuration.write_text(f'jetstream {{ store_dir: "{folder / "small"}", max_file_store: 528MB }}\n')
    broker = brokers(configuration)

    def host(name):
        process = started(
            "host", name, "--json", "--discovery", "none", "--http", "off", "--site", broker.url,
            "--site-key", folder / "other/site.key", ROOMFUL_STATE=str(folder / name))
        return Host(process, folder / name, None)

    hall = host("Hall")
    hall.says("opens here (epoch 1")
    until(hall.is_open)
    until(lambda: hall.standing()["state"] == "connected")
    other = host("Attic")
    other.says("raise max_file_store")
    assert not other.is_open()
    # The room that has its log goes on with it after the broker was started anew.
    broker.end()
    until(lambda: hall.standing()["state"] == "away")
    broker.start()
    caught_up(hall)
    hall.says("owns the room (epoch 1)")
    assert "raise max_file_store" not in hall.text
