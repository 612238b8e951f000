"""A room that outlives its machine: two hosts, a real NATS server, real controllers; and a checker that knows no host."""
import asyncio
import json
import os
import shutil
import signal
import socket
import time
import urllib.error
import urllib.request

import nats.js.errors
import pytest
from door import ask
from ownership import CLAIM, HANDOVER, RELEASED, Record, faults_of_events, faults_of_log, faults_of_seats, read_log
from service_manager import Manager, held
from site_broker import Wire, Witness
from site_rooms import caught_up
from standing_by import Host, checked, folder_is_taken, folder_of, seated
from waiting import PATIENCE, until


def test_when_its_host_is_killed_another_goes_on_with_the_same_room(site, pair, blue):
    first, second = pair()
    blue()
    player = seated(first)
    assert player
    # Given for good: what a successor must know of the player.
    first.ask({"task": "sensitivity", "who": "P1", "value": 1.5}, {"task": "rename", "who": "P1", "name": "Azure"})
    first.happen(20)
    first.ask({"task": "lock"})
    before, ticket = first.facts(), first.ask({"task": "ticket"})[0]
    pages = first.ask({"task": "pages"})[0]
    first.is_kept(site)
    # Four more records of its owner, one after the other: what was given before them stands in the log.
    length = len(checked(site, before["room"])[0])
    until(lambda: len(checked(site, before["room"])[0]) >= length + 4)
    first.kill()
    second.says("opens here (epoch 2")
    until(second.is_open)
    after, again = second.facts(), second.ask({"task": "ticket"})[0]
    assert (after["room"], after["pin"], after["port"]) == (before["room"], before["pin"], before["port"])
    assert again["code"] == ticket["code"]
    assert after["isLocked"], "as the operator left it"
    assert second.ask({"task": "pages"})[0]["game"] == pages["game"], "games' and operators' tokens"
    returned = seated(second, "Azure")
    assert returned, second.text
    assert (returned["seat"], returned["player"], returned["controller"]) == (player["seat"], player["player"], player["controller"])
    assert second.ask({"task": "peers", "who": "P1", "minute": True})[0]["peers"][0]["detail"]["sensitivity"] == 1.5
    second.happen(20)
    second.is_kept(site)
    log, events = checked(site, before["room"])
    assert [record.epoch for record in log if record.kind == CLAIM] == [1, 2]
    assert {record.get("epoch") for _, record in events} == {1, 2}
    assert len({record["opened"] for _, record in events}) == 1, "one opening, numbered through"
    begun = {record["epoch"]: record["openedHere"] for _, record in events}
    assert {record["openedHere"] for _, record in events} == set(begun.values()) and begun[1] < begun[2], "what `at` counts from"
    told = first.numbers(), second.numbers()
    assert len(told[0]) > 20 and len(told[1]) > 20
    assert max(told[0]) < min(told[1]), "no number twice, not even on the hosts' own machines"


def test_a_service_manager_is_told_who_takes_part_and_watches_whoever_has_the_room(machine, folder):
    managers = {name: Manager(folder / f"{name}.notify") for name in ("first", "second", "third")}

    def watched(name, *flags, **more):
        return machine(name, *flags, NOTIFY_SOCKET=managers[name].path, WATCHDOG_USEC="900000", **more)

    first = watched("first")
    assert managers["first"].hears("READY=1")
    first.says("opens here (epoch 1")
    second = watched("second", "--standby")
    assert managers["second"].hears("READY=1")
    first.says("a standby is ready")
    first.kill()
    second.says("opens here (epoch 2")
    until(second.is_open)
    managers["second"].empty()
    assert managers["second"].hears("WATCHDOG=1")
    with held(second.process):
        managers["second"].hears("WATCHDOG=1", within=0.5)
        managers["second"].empty()
        assert managers["second"].hears("WATCHDOG=1", within=1.8) is None
    assert managers["second"].hears("WATCHDOG=1")
    # One that cannot take part is never ready.
    (folder / "no.key").write_text("none")
    (folder / "no.key").chmod(0o600)
    third = watched("third", "--standby", key=folder / "no.key")
    assert third.process.wait(PATIENCE) != 0
    assert managers["third"].hears("READY=1", within=0.1) is None


def test_of_two_standbys_one_goes_on_and_the_other_stands_by_for_it(site, pair, machine):
    first, second = pair()
    third = machine("third", "--standby")
    third.says("standing by for host")
    first.happen(4)
    room = first.facts()["room"]
    first.is_kept(site)
    first.kill()
    owner = until(
        lambda: next((host for host in (second, third) if "opens here (epoch 2" in host.text), None), lambda: (second.text, third.text))
    other = third if owner is second else second
    owner.says("a standby is ready")
    until(owner.is_open)
    owner.happen(4)
    owner.is_kept(site)
    assert "opens here" not in other.text
    owner.kill()
    other.says("opens here (epoch 3")
    until(other.is_open)
    other.happen(4)
    other.is_kept(site)
    log, _ = checked(site, room)
    assert [record.epoch for record in log if record.kind == CLAIM] == [1, 2, 3]
    assert max(first.numbers()) < min(owner.numbers()) and max(owner.numbers()) < min(other.numbers())


def test_a_host_that_was_stopped_finds_itself_deposed_and_nothing_of_it_is_taken(site, pair, blue):
    first, second = pair("--idle", "1s")
    blue()
    assert seated(first)
    first.happen(4)
    room = first.facts()["room"]
    # What it tells because it was asked to, it tells after it was asked: so much its clock can show at most when it is stopped.
    doors = lambda: [event["at"] for event in first.events() if event["type"] == "room"]
    until(lambda: len(doors()) == 4)
    asked = time.monotonic()
    first.happen(2)
    until(lambda: len(doors()) == 6)
    first.signal(signal.SIGSTOP)
    stopped = doors()[-1] + (time.monotonic() - asked) * 1_000
    second.says("opens here (epoch 2")
    until(second.is_open)
    second.happen(4)
    told = first.events()
    with socket.socket(socket.AF_UNIX) as line:
        # What somebody asked meanwhile is the first thing that it finds.
        line.connect(str(next(first.state.rglob("*.sock"))))
        line.settimeout(PATIENCE)
        line.sendall(b'{"task":"lock"}\n' * 20)
        first.signal(signal.SIGCONT)
        answer = line.makefile().readline()
    assert not answer or "error" in json.loads(answer)
    first.says("deposed: ")
    first.says("standing by for host")
    # What it had told before it stood still may have been printed only now.
    late = first.events()[len(told):]
    assert all(event["at"] <= stopped for event in late), ("it woke up, and did something in the room", stopped, late)
    until(lambda: not first.is_open())
    second.happen(4)
    second.is_kept(site)
    log, events = checked(site, room)
    assert [record.epoch for record in log if record.kind == CLAIM] == [1, 2]
    assert max(first.numbers()) < min(second.numbers())
    # It helps from then on: the room comes back to it.
    second.says("a standby is ready")
    second.kill()
    first.says("opens here (epoch 3")
    until(first.is_open)
    first.happen(2)
    first.is_kept(site)
    checked(site, room)


def test_without_the_broker_nobody_takes_over_and_a_room_that_plays_on_plays_on(site, pair, blue):
    first, second = pair("--when-cut", "play")
    blue()
    assert seated(first)
    room = first.facts()["room"]
    site.end()
    until(lambda: first.standing()["state"] == "away")
    first.happen(20)
    assert seated(first)
    assert "opens here" not in second.text
    until(lambda: len(first.numbers()) >= 20)
    told = len(first.numbers())
    site.start()
    first.is_kept(site)
    log, events = checked(site, room)
    assert {record.epoch for record in log} == {1} and "opens here" not in second.text
    assert {record["n"] for _, record in events} >= set(first.numbers()[:told])


def test_what_plays_on_is_taken_over_by_hand_alone(site, machine):
    first = machine("first", "--when-cut", "play")
    first.says("opens here (epoch 1")
    second = machine("second", "--standby")
    first.says("a standby is ready for a handover")
    room = first.facts()["room"]
    first.happen(4)
    first.is_kept(site)
    first.kill()
    second.says("plays on by --when-cut play")
    second.signal(signal.SIGTERM)
    second.process.wait()
    assert "opens here" not in second.text
    second = machine("second", "--standby", "--take-over")
    second.says("opens here (epoch 2")
    second.says("so that whoever had it has stopped")
    assert "out of touch" not in second.text
    until(second.is_open)
    second.happen(2)
    second.is_kept(site)
    checked(site, room)


def test_without_the_broker_a_room_that_yields_falls_silent_says_so_and_comes_back_in_one_place(site, pair, blue, folder):
    first, second = pair()
    player = Host(blue(), folder / "blue", None)
    assert seated(first)
    room = first.facts()["room"]
    site.end()
    first.says("it falls silent until the broker answers")
    answer = first.ask({"task": "lock"})[0]
    assert "waits for its site's broker" in answer["error"]["message"]
    # Its players are let go of, and told why nobody greets them: where a standby has the room, they are there at once.
    player.says("has no room at present: This host waits for its site's broker")
    assert "opens here" not in second.text
    site.start()

    def acts(host):
        try:
            return "error" not in host.ask({"task": "unlock"})[0]
        except (OSError, StopIteration, json.JSONDecodeError):
            return False  # It closes its door just now, or has none.

    def one_acts():
        return sum(map(acts, (first, second))) == 1

    until(one_acts)
    checked(site, room)


def test_a_room_is_handed_over_and_back(site, pair, blue, roomful):
    first, second = pair()
    blue()
    assert seated(first)
    room = first.facts()["room"]
    code, out, err = roomful("handover", "--room", "Hall", *site.flags("operator"))
    assert code == 0, err
    second.says("opens here (epoch 2")
    player = seated(second)
    assert player and player["player"] == 1
    first.says("standing by for host")
    second.says("a standby is ready")
    until(second.is_open)
    assert "error" not in second.ask({"task": "handover"})[0]
    first.says("opens here (epoch 3")
    assert seated(first)
    first.happen(2)
    first.is_kept(site)
    log, _ = checked(site, room)
    assert [record.kind for record in log if record.kind in (CLAIM, HANDOVER)] == [CLAIM, HANDOVER, CLAIM, HANDOVER, CLAIM]
    assert max(first.numbers()) > max(second.numbers())
    assert not set(first.numbers()) & set(second.numbers())


def test_a_room_that_is_closed_stays_closed_and_one_without_a_standby_is_not_handed_over(site, machine):
    first = machine("first")
    first.says("opens here (epoch 1")
    until(first.is_open)
    assert "no standby is ready" in first.ask({"task": "handover"})[0]["error"]["message"]
    second = machine("second", "--standby")
    first.says("a standby is ready")
    room = first.facts()["room"]
    first.signal(signal.SIGTERM)
    first.process.wait()
    second.says("the room was closed")
    log, _ = checked(site, room)
    assert log[-1].kind == RELEASED
    second.signal(signal.SIGTERM)
    assert second.process.wait() == 0 and "opens here" not in second.text


def test_a_host_that_was_killed_has_its_room_back_and_numbers_go_on(site, machine):
    first = machine("first")
    first.says("opens here (epoch 1")
    until(first.is_open)
    first.happen(6)
    room = first.facts()["room"]
    first.is_kept(site)
    first.kill()
    again = machine("first")
    again.says("opens here (epoch 2")
    until(again.is_open)
    again.happen(6)
    again.is_kept(site)
    assert max(first.numbers()) < min(again.numbers())
    checked(site, room)


def test_with_another_key_a_standby_says_so_and_does_not_take_over(site, machine, folder, roomful):
    roomful("site", "init", folder / "other")
    first = machine("first")
    first.says("opens here (epoch 1")
    until(first.is_open)
    second = machine("second", "--standby", key=folder / "other/site.key")
    second.says("does not open with this site key")
    third = machine("third", "--standby")
    first.says("a standby is ready")
    first.kill()
    third.says("opens here (epoch 2")
    assert "opens here" not in second.text


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
        await js.publish(f"rf.arcade.{room}.log", bytes(beat))
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
            await js.publish(f"rf.arcade.{room}.log", data)
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
            while len(witness.errors) < 2 and time.monotonic() < deadline:
                await asyncio.sleep(0.02)

        witness.run(attempt)
        assert sum("permissions violation" in error.lower() for error in witness.errors) >= 2, (role, witness.errors)
    log = checked(site, room)[0]
    assert len(log) >= before


@pytest.mark.parametrize(
    "flags, words",
    [
        (["--standby"], "goes with --site"),
        (["--site", "nats://127.0.0.1:1", "--standby"], "standby goes with site-key"),
        (["--site", "nats://127.0.0.1:1", "--site-key", "/nowhere/site.key"], "site.key"),
        (["--site", "nats://127.0.0.1:1", "--site-key", "OPEN"], "chmod 600"),
        (["--site", "nats://127.0.0.1:1", "--site-key", "TEXT"], "holds no site's key"),
        (["--site", "nats://127.0.0.1:1", "--when-cut", "never"], "--when-cut"),
    ])
def test_wrong_options_are_said_in_a_sentence(roomful, folder, flags, words):
    (folder / "open.key").write_text("00" * 32)
    (folder / "text.key").write_text("secret")
    (folder / "open.key").chmod(0o644)
    (folder / "text.key").chmod(0o600)
    given = [str(folder / {"OPEN": "open.key", "TEXT": "text.key"}[flag]) if flag in ("OPEN", "TEXT") else flag for flag in flags]
    code, out, err = roomful("host", "Hall", "--discovery", "none", *given)
    assert code != 0 and words in err, err
    shutil.rmtree(folder / "state", ignore_errors=True)


def test_a_host_that_is_told_of_several_brokers_goes_on_by_another_and_keeps_its_room(site, machine, blue):
    one, other = Wire(site), Wire(site)
    both = ["--site", f"nats://127.0.0.1:1,{one.url},{other.url}"]
    first = machine("first", *both)
    first.says("opens here (epoch 1")
    second = machine("second", "--standby", *both)
    first.says("a standby is ready")
    blue()
    seated(first)
    room = first.facts()["room"]
    assert first.standing()["broker"] == one.url
    # The way to the first broker neither ends nor answers: both hosts have their word of the room by another one.
    one.is_mute = True
    until(lambda: first.standing()["broker"] == other.url and first.standing()["state"] == "connected", first.standing)
    until(lambda: "a standby is ready" in first.standing()["ownership"], first.standing)
    # And back, where that one is cut and takes nobody any more.
    one.is_mute = False
    other.listener.close()
    other.cut()
    until(lambda: first.standing()["broker"] == one.url and first.standing()["state"] == "connected", first.standing)
    until(lambda: "a standby is ready" in first.standing()["ownership"], first.standing)
    caught_up(first)
    log, _ = checked(site, room)
    assert [record.epoch for record in log if record.kind == CLAIM] == [1], second.text
    assert first.is_open() and seated(first)


def test_a_standby_that_ended_before_it_had_taken_the_room_over_takes_it_over_when_it_is_back(site, pair, machine, blue, folder):
    first, second = pair()
    blue()
    player = seated(first)
    before = first.facts()
    first.is_kept(site)
    with folder_is_taken(second):
        first.kill()
        second.says("opens here (epoch 2")
        assert second.process.wait(PATIENCE) != 0
    again = machine("second", "--standby")
    again.says("opens here (epoch 3")
    until(again.is_open)
    after = again.facts()
    assert (after["room"], after["pin"]) == (before["room"], before["pin"]), "the same room, not one of its own"
    returned = seated(again)
    assert returned and (returned["seat"], returned["controller"]) == (player["seat"], player["controller"])
    # The host that had it first adopts what the other one had, and it is the same room still.
    back = machine("first")
    again.says("a standby is ready")
    again.kill()
    back.says("opens here (epoch 4")
    until(back.is_open)
    assert (back.facts()["room"], seated(back)["seat"]) == (before["room"], player["seat"])
    checked(site, before["room"])


def test_a_standby_that_cannot_open_the_room_leaves_it_to_another_and_closes_nothing(site, machine, blue, folder):
    # Where its ticket should be lies a folder.
    (folder / "second.ticket").mkdir()
    first = machine("first")
    first.says("opens here (epoch 1")
    second = machine("second", "--standby")
    first.says("a standby is ready")
    blue()
    assert seated(first)
    first.ask({"task": "lock"})
    room = first.facts()["room"]
    first.is_kept(site)
    first.kill()
    second.says("opens here (epoch 2")
    assert second.process.wait(PATIENCE) != 0
    assert "another host may go on with it" in second.text
    log, _ = checked(site, room)
    assert RELEASED not in [record.kind for record in log] and log[-1].kind == HANDOVER
    # The host that had it has it back, as it was left.
    back = machine("first")
    back.says("opens here (epoch 3")
    until(back.is_open)
    assert seated(back)
    assert (back.facts()["room"], back.facts()["isLocked"]) == (room, True)
    # One that stands by and is ready goes on at once.
    third = machine("third", "--standby")
    back.says("a standby is ready")
    fourth = machine("second", "--standby")
    fourth.says("standing by for host")
    back.kill()
    until(third.is_open, lambda: third.text)
    assert third.facts()["room"] == room
    log, _ = checked(site, room)
    assert RELEASED not in [record.kind for record in log]


@pytest.fixture
def from_file(site, folder, started):
    """Starts a host of "Hall", and of a room that is its own, by a file; gives a way to write that anew, too."""

    def start(name, standby=False, **more):
        file = folder / f"{name}.toml"

        def write(seats, own_seats):
            hall = f'[[room]]\nname = "Hall"\nseats = {seats}\ncode-file = "{folder / name}.ticket"\n'
            hall += f'site = "{site.host[1]}"\nsite-name = "arcade"\nsite-credentials = "{site.folder / "site/host.credentials"}"\n'
            hall += f'site-key = "{site.folder / "site/site.key"}"\nstandby = {str(standby).lower()}\n'
            beside = file.with_suffix(".new")
            beside.write_text(
                f'discovery = "none"\nhttp = "off"\n{hall}[[room]]\nname = "Own {name}"\nseats = {own_seats}\n')
            beside.rename(file)

        write(4, 4)
        host = Host(started("host", "--config", file, "--json", ROOMFUL_STATE=str(folder / name), **more), folder / name, None)
        host.write = write
        return host

    return start


def in_hall(host, *requests):
    """As `ask`, of the room that several hosts could own."""
    doors = [door for door in host.state.rglob("*.sock") if door.name.startswith("hall-")]
    return ask(doors[0], *requests)


def seats_of_hall(host):
    try:
        return in_hall(host, {"task": "status"})[0]["status"]["seats"]
    except (OSError, IndexError, KeyError, json.JSONDecodeError):
        return None


def test_a_file_is_read_anew_wherever_the_room_is_and_holds_when_it_comes_back(from_file):
    first = from_file("first")
    first.says("opens here (epoch 1")
    second = from_file("second", standby=True)
    first.says("a standby is ready")
    # A room that another host has keeps no other one from being read anew, and takes it over when it opens.
    second.write(6, 7)
    second.signal(signal.SIGHUP)
    second.says('"Own second": seats: "4" to "7", taken over')
    second.says('"Hall" is not open here now')
    second.says('"Hall": seats: "4" to "6", taken over')
    # So does the host that has it.
    first.write(5, 4)
    first.signal(signal.SIGHUP)
    first.says('"Hall": seats: "4" to "5", taken over')
    assert seats_of_hall(first) == 5
    in_hall(first, {"task": "handover"})
    second.says("opens here (epoch 2")
    until(lambda: seats_of_hall(second) == 6)
    second.says("a standby is ready")
    in_hall(second, {"task": "handover"})
    first.says("opens here (epoch 3")
    until(lambda: seats_of_hall(first) == 5, "not as the program was started")
    # After a handover signals are heard still.
    second.write(8, 9)
    second.signal(signal.SIGHUP)
    second.says('"Own second": seats: "7" to "9", taken over')
    second.says('"Hall": seats: "6" to "8", taken over')


def test_a_program_of_several_rooms_that_a_service_manager_watches_ends_with_its_last(from_file, folder, roomful):
    manager = Manager(folder / "notify")
    host = from_file("first", NOTIFY_SOCKET=manager.path)
    host.says("opens here (epoch 1")
    assert manager.hears("READY=1")
    until(lambda: seats_of_hall(host))
    for room in ("Own first", "Hall"):
        assert host.process.poll() is None
        code, _, err = roomful("stop", "--room", room, ROOMFUL_STATE=str(folder / "first"))
        assert code == 0, err
    assert host.process.wait(PATIENCE) == 0


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


def test_a_silent_room_s_figures_and_the_doctor_say_that_it_waits_for_its_broker(site, machine, roomful, folder):
    first = machine("first", "--metrics", "127.0.0.1:0")
    first.says("metrics at http://")
    machine("second", "--standby")
    first.says("a standby is ready")
    until(first.is_open)

    def doctor():
        _, out, err = roomful("doctor", "--json", ROOMFUL_STATE=str(folder / "first"))
        [check] = [check for check in json.loads(out)["checks"] if check["id"] == "site"]
        return check

    assert doctor()["outcome"] == "ok"
    site.end()
    first.says("it falls silent until the broker answers")
    line = next(line for line in first.lines if "metrics at http://" in line)
    address = line.split("http://")[1].split("/")[0]
    for path in ("metrics", "healthz"):
        with pytest.raises(urllib.error.HTTPError) as refusal:
            urllib.request.urlopen(f"http://{address}/{path}", timeout=PATIENCE)
        assert refusal.value.code == 503 and "waits for its site's broker" in refusal.value.read().decode()
    until(lambda: first.standing().get("isSilent"))
    check = doctor()
    assert check["outcome"] == "problem" and "Hall" in check["found"] and "is silent" in check["found"]


@pytest.mark.parametrize("ends", ["terminate", "kill"])
def test_of_two_rooms_of_its_name_a_standby_follows_none_before_one_is_gone(site, machine, host, folder, ends):
    first = machine("first")
    first.says("opens here (epoch 1")
    until(first.is_open)
    other = host("Hall", *site.host)
    until(lambda: other.standing()["state"] == "connected")
    second = machine("second", "--standby")
    second.says("several rooms of the site have this name")
    assert not list((folder / "second").rglob("standby-of"))
    getattr(other.process, ends)()
    other.process.wait()
    second.says("standing by for host")
    assert first.facts()["room"] in next((folder / "second").rglob("standby-of")).read_text()


def test_a_standby_that_once_had_a_room_of_this_name_by_itself_says_what_to_move_away(machine, started, folder):
    alone = Host(
        started("host", "Hall", "--discovery", "none", "--http", "off", "--json", ROOMFUL_STATE=str(folder / "second")),
        folder / "second", None)
    until(lambda: list((folder / "second").rglob("*.sock")) and alone.is_open())
    alone.signal(signal.SIGTERM)
    alone.process.wait()
    first = machine("first")
    first.says("opens here (epoch 1")
    second = machine("second", "--standby")
    second.says(f"move {folder_of(second)} away")
    second.signal(signal.SIGTERM)
    second.process.wait()
    shutil.move(folder_of(second), folder / "away")
    machine("second", "--standby").says("standing by for host")


def test_beside_a_standby_operators_are_told_that_the_room_is_not_open_here(pair, roomful, folder):
    pair()
    for given in ((), ("--room", "Hall")):
        code, _, err = roomful("peers", *given, ROOMFUL_STATE=str(folder / "second"))
        assert code == 3 and "takes part in" in err and "start one with" not in err, err
    code, _, err = roomful("peers", "--room", "Attic", ROOMFUL_STATE=str(folder / "second"))
    assert "no room runs" in err
