"""A room that outlives its machine, while its broker does not answer: it plays on or falls silent, and nobody takes it."""
import json
import signal
import urllib.error
import urllib.request

import pytest
from ownership import CLAIM
from site_broker import Wire
from site_rooms import caught_up
from standing_by import Host, checked, seated
from waiting import PATIENCE, until


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
    first.says("the site's broker is away")
    first.says("it falls silent until the broker answers")
    assert "the room plays on" not in first.text
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

    assert doctor()["outcome"] == "ok" and "isSilent" not in first.facts()
    site.end()
    first.says("it falls silent until the broker answers")
    line = next(line for line in first.lines if "metrics at http://" in line)
    address = line.split("http://")[1].split("/")[0]
    for path in ("metrics", "healthz"):
        with pytest.raises(urllib.error.HTTPError) as refusal:
            urllib.request.urlopen(f"http://{address}/{path}", timeout=PATIENCE)
        assert refusal.value.code == 503 and "waits for its site's broker" in refusal.value.read().decode()
    until(lambda: first.standing().get("isSilent"))
    # What its status cannot know is not taken for a lock.
    assert first.facts()["isSilent"] and first.facts()["isLocked"]
    code, _, err = roomful("peers", ROOMFUL_STATE=str(folder / "first"))
    assert code == 1 and "waits for its site's broker" in err
    check = doctor()
    assert check["outcome"] == "problem" and "Hall" in check["found"] and "is silent" in check["found"]
