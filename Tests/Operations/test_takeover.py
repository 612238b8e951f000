"""A room that outlives its machine: two hosts, a real NATS server, real controllers; and a checker that knows no host."""
import json
import signal
import socket
import time

from ownership import CLAIM, HANDOVER, RELEASED
from standing_by import checked, folder_is_taken, seated
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
    second.says(f"opens here (epoch 2, after host {socket.gethostname()})")
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
