"""A site whose broker goes: nothing that a room tells is lost, doubled or out of order."""
import json
import signal
import threading

from nats.js.api import DiscardPolicy, StreamConfig
from site_broker import Wire, Witness
from site_rooms import caught_up, connected, problem, whole
from waiting import until


def forgets_ids(broker):
    """The stream knows doubles by their ids for a moment only: what is sent twice would stand there twice."""
    witness = Witness(broker)
    plan = StreamConfig(name=witness.stream, subjects=["rf.main.*.events"], duplicate_window=0.1)
    witness.run(lambda client: client.jetstream().add_stream(plan))


def test_a_broker_that_is_killed_costs_nothing(brokers, host, plays):
    broker = brokers()
    forgets_ids(broker)
    room = host("Hall", "--site", broker.url)
    connected(room)
    plays("Hall")
    stop, happened = threading.Event(), []

    def play():
        while not stop.is_set():
            room.happen(20)
            happened.append(20)

    playing = threading.Thread(target=play)
    playing.start()
    try:
        for _ in range(4):
            before = sum(happened)
            until(lambda: sum(happened) > before + 250)
            broker.end()
            until(lambda: room.standing()["state"] == "away")
            assert "the room plays on" in room.status()
            broker.start()
            connected(room)
    finally:
        stop.set()
        playing.join()
    told = room.told()
    caught_up(room)
    events, gaps = whole(Witness(broker).read())
    assert gaps == [] and sorted(events) == list(range(len(events)))
    assert len(told) > 1_000 and {number: events[number] for number in told} == told
    assert room.standing()["lost"] == 0


def test_what_was_stored_and_not_confirmed_is_not_told_twice(brokers, host):
    broker = brokers()
    forgets_ids(broker)
    wire = Wire(broker)
    room = host("Hall", "--site", wire.url)
    connected(room)
    room.happen(2)
    caught_up(room)
    wire.is_mute = True
    room.happen(40)
    until(lambda: len(Witness(broker).read()) == 43, "the broker has it")
    until(lambda: room.standing()["waiting"] == 40, lambda: f"and the room does not know: {room.standing()}")
    wire.cut()
    wire.is_mute = False
    room.happen(2)
    caught_up(room)
    events, gaps = whole(Witness(broker).read())
    assert gaps == [] and sorted(events) == list(range(45))


def test_a_broker_that_stands_still_is_noticed_and_caught_up_with(brokers, host):
    broker = brokers()
    room = host("Hall", "--site", broker.url)
    connected(room)
    broker.signal(signal.SIGSTOP)
    room.happen(600)
    until(lambda: room.standing()["state"] == "away")
    broker.signal(signal.SIGCONT)
    caught_up(room)
    events, gaps = whole(Witness(broker).read())
    assert gaps == [] and sorted(events) == list(range(601))


def test_a_broker_that_comes_back_empty_is_told_what_it_lacks(brokers, host):
    broker = brokers()
    room = host("Hall", "--site", broker.url)
    connected(room)
    room.happen(20)
    caught_up(room)
    broker.end()
    broker.forget()
    room.happen(10)
    broker.start()
    caught_up(room)
    events, gaps = whole(Witness(broker).read())
    assert gaps == [(1, 20)] and sorted(events) == list(range(21, 31))


def test_a_broker_that_has_lost_its_newest_records_is_told_which(brokers, host):
    broker = brokers()
    room = host("Hall", "--site", broker.url)
    connected(room)
    room.happen(4)
    caught_up(room)
    broker.keep_older()
    connected(room)
    room.happen(6)
    caught_up(room)
    broker.end()
    until(lambda: room.standing()["state"] == "away")
    broker.put_older()
    connected(room)
    room.happen(2)
    caught_up(room)
    events, gaps = whole(Witness(broker).read())
    assert gaps == [(5, 10)] and sorted(events) == [*range(5), 11, 12]
    assert (room.standing()["confirmed"], room.standing()["lost"]) == (7, 6)
    assert "7 events kept there, 6 are in no stream" in room.status()


def test_a_stream_that_somebody_deleted_is_made_anew(brokers, host):
    broker = brokers()
    room = host("Hall", "--site", broker.url)
    connected(room)
    room.happen(20)
    caught_up(room)
    witness = Witness(broker)

    async def delete(client):
        await client.jetstream().delete_stream(witness.stream)

    witness.run(delete)
    room.happen(10)
    caught_up(room)
    events, gaps = whole(witness.read())
    assert (1, 20) in gaps and set(events) >= set(range(21, 31))
    assert room.process.poll() is None


def test_a_stream_that_takes_no_more_is_said_and_caught_up_with(brokers, host):
    broker = brokers()
    witness = Witness(broker)
    plan = StreamConfig(name=witness.stream, subjects=["rf.main.*.events"], max_msgs=10, discard=DiscardPolicy.NEW)
    witness.run(lambda client: client.jetstream().add_stream(plan))
    room = host("Hall", "--site", broker.url)
    connected(room)
    room.happen(20)
    assert "maximum messages exceeded" in problem(room)
    assert "lock" in json.dumps(room.told())
    plan.max_msgs = 1_000
    witness.run(lambda client: client.jetstream().update_stream(plan))
    caught_up(room)
    events, gaps = whole(witness.read())
    assert gaps == [] and sorted(events) == list(range(21))


def test_a_broker_without_disk_for_the_stream(folder, brokers, host):
    configuration = folder / "small.conf"
    configuration.write_text(f'jetstream {{ store_dir: "{folder / "small"}", max_file_store: 1MB }}\n')
    room = host("Hall", "--site", brokers(configuration).url)
    assert "storage" in problem(room)
