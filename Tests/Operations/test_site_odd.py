"""A site whose parts are slow, of another version, or live by other clocks: a room that outlives its host stays one room."""
import time

from ownership import CLAIM, Record, append
from shims import Clock
from site_broker import Wire, Witness
from site_rooms import caught_up, connected, whole
from standing_by import checked, seated
from waiting import until


def test_a_broker_that_answers_late_loses_nothing_and_is_not_away(brokers, host):
    broker = brokers()
    wire = Wire(broker)
    room = host("Hall", "--site", wire.url)
    connected(room)
    wire.delay = 0.5
    room.happen(600)
    caught_up(room)
    assert "is away" not in room.status()
    events, gaps = whole(Witness(broker).read())
    assert gaps == [] and sorted(events) == list(range(601))


def test_a_room_that_can_outlive_its_host_plays_by_a_slow_log_and_is_taken_over_as_ever(site, machine, blue):
    wire = Wire(site)
    first = machine("first", "--site", wire.url)
    first.says("opens here (epoch 1")
    second = machine("second", "--standby")
    first.says("a standby is ready")
    wire.delay = 0.3
    blue()
    assert seated(first)
    room = first.facts()["room"]
    first.happen(6)
    first.is_kept(site)
    assert "falls silent" not in first.text and "opens here" not in second.text
    first.kill()
    second.says("opens here (epoch 2")
    assert seated(second)
    checked(site, room)


def test_clocks_that_are_hours_apart_decide_nothing(site, machine, blue, folder):
    def hours_ahead(name, hours):
        clock = Clock(folder, f"{name}.clock")
        clock.put(3_600 * hours)
        return clock.environment

    first = machine("first", **hours_ahead("first", 5))
    first.says("opens here (epoch 1")
    second = machine("second", "--standby", **hours_ahead("second", -3))
    first.says("a standby is ready")
    blue()
    player = seated(first)
    assert player
    room = first.facts()["room"]
    first.happen(4)
    first.is_kept(site)
    first.kill()
    second.says("opens here (epoch 2")
    assert seated(second)["player"] == player["player"]
    second.happen(4)
    second.is_kept(site)
    log, events = checked(site, room)
    assert [record.epoch for record in log if record.kind == CLAIM] == [1, 2]
    assert len({record["opened"] for _, record in events}) == 1


def test_a_record_of_another_version_in_the_log_stops_its_owner_and_makes_nobody_another(site, pair):
    first, second = pair()
    room = first.facts()["room"]

    async def write(client):
        js = client.jetstream()
        stream = f"RF_arcade_LOG_{room}"
        newest = (await js.get_msg(stream, (await js.stream_info(stream)).state.last_seq)).data
        assert Record.read(0, newest).epoch == 1
        await append(client, "arcade", room, b"\x02" + newest[1:])

    Witness(site, "host", "arcade").run(write)
    first.says("a host of another version")
    until(lambda: not first.is_open())
    # Longer than any standby waits.
    time.sleep(4)
    assert "opens here" not in second.text and first.text.count("opens here") == 1
    assert first.process.poll() is None and second.process.poll() is None
