"""A host that stands by: whose room it follows, what it says, and how a room is handed to it."""
import asyncio
import json
import shutil
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from ownership import CLAIM, HANDOVER, RELEASED
from service_manager import Manager, held
from site_broker import Witness
from standing_by import Host, checked, folder_of, seated
from waiting import PATIENCE, until


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
    first.signal(signal.SIGINT)
    first.process.wait()
    second.says("the room was closed")
    log, _ = checked(site, room)
    assert log[-1].kind == RELEASED
    second.signal(signal.SIGTERM)
    assert second.process.wait() == 0 and "opens here" not in second.text


def test_a_host_that_is_told_to_end_leaves_the_room_to_its_standby_and_without_one_to_itself(site, pair, blue, machine):
    first, second = pair()
    blue()
    player = seated(first)
    room = first.facts()["room"]
    first.signal(signal.SIGTERM)
    assert first.process.wait(PATIENCE) == 0
    second.says("opens here (epoch 2")
    until(second.is_open)
    assert seated(second)["seat"] == player["seat"]
    second.signal(signal.SIGTERM)
    assert second.process.wait(PATIENCE) == 0
    again = machine("second", "--standby")
    again.says("opens here (epoch 3")
    until(again.is_open)
    assert again.facts()["room"] == room
    # Whoever had it before stands by for that one, and has it when that one is told to end.
    back = machine("first")
    again.says("a standby is ready")
    again.signal(signal.SIGTERM)
    assert again.process.wait(PATIENCE) == 0
    back.says("opens here (epoch 4")
    log, _ = checked(site, room)
    assert RELEASED not in [record.kind for record in log]


def test_what_is_closed_where_it_was_taken_over_is_closed_for_the_host_that_had_it(site, pair, machine, roomful, folder):
    first, second = pair()
    first.kill()
    second.says("opens here (epoch 2")
    until(second.is_open)
    room = second.facts()["room"]
    back = machine("first")
    second.says("a standby is ready")
    code, _, err = roomful("stop", "--room", "Hall", ROOMFUL_STATE=str(folder / "second"))
    assert code == 0, err
    assert second.process.wait(PATIENCE) == 0
    back.says("the room was closed")
    log, _ = checked(site, room)
    assert log[-1].kind == RELEASED and "opens here" not in back.text
    back.signal(signal.SIGTERM)
    back.process.wait()
    machine("first").says("opens here (epoch 3")


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


def test_a_standby_believes_no_host_that_speaks_for_another_room(site, machine, folder):
    first = machine("first")
    first.says("opens here (epoch 1")
    until(first.is_open)
    forged = {
        "v": 1, "site": "arcade", "room": "beef" * 8, "name": "Hall", "host": "x", "at": 0, "opened": "x", "policy": "open",
        "seats": 1, "freeSeats": 1, "isLocked": False, "waiting": 0, "playing": 0, "players": [], "problems": [], "isClosing": False}
    has_begun, is_over = threading.Event(), threading.Event()

    async def forge(client):
        while not is_over.is_set():
            await client.publish(f"rf.arcade.{'dead' * 8}.status", json.dumps(forged).encode())
            await client.flush()
            has_begun.set()
            await asyncio.sleep(0.1)

    with ThreadPoolExecutor() as beside:
        saying = beside.submit(Witness(site, "host", "arcade").run, forge)
        try:
            assert has_begun.wait(PATIENCE)
            second = machine("second", "--standby")
            second.says("standing by for host")
        finally:
            is_over.set()
        saying.result()
    assert "several rooms" not in second.text
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
