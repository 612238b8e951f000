"""Who owned a room, by what stands in its log and in its site's stream: a reader of its own, which shares no code with hosts."""
import contextlib
import struct
from collections import defaultdict
from dataclasses import dataclass

from nats.js.errors import APIError

EMPTY, PRIME, WORD = 0xCBF2_9CE4_8422_2325, 0x100_0000_01B3, (1 << 64) - 1
CLAIM, BEAT, BATCH, HANDOVER, RELEASED = 1, 2, 3, 4, 5


@dataclass
class Record:
    """The 44 bytes at a record's beginning, as SITE.md has them."""

    place: int
    kind: int
    yields: bool
    epoch: int
    owner: tuple
    last_event: int
    chain: int
    bytes: bytes

    @staticmethod
    def read(place, data):
        version, kind, flags, header, epoch, host, life, last_event, chain = struct.unpack_from(">BBBBQQQQQ", data)
        assert version == 1 and header >= 44, f"record {place} is of another version"
        return Record(place, kind, bool(flags & 1), epoch, (host, life), last_event, chain, data)


def digest(before, data):
    value = EMPTY
    for byte in before.to_bytes(8, "little") + data:
        value = ((value ^ byte) * PRIME) & WORD
    return value or 1


def faults_of_log(records):
    """What no log may hold where one host at a time owned the room; one line each."""
    faults, epoch, owner, closed = [], 0, None, True
    chain = EMPTY if records and records[0].place == 1 else None
    owners = defaultdict(set)
    for record in records:
        if record.kind == CLAIM:
            if record.epoch <= epoch:
                faults.append(f"record {record.place} claims epoch {record.epoch} after {epoch}")
            epoch, owner = record.epoch, record.owner
        elif owner is None:
            epoch, owner = record.epoch, record.owner
        elif closed:
            faults.append(f"record {record.place} goes on after its owner had ended")
        owners[record.epoch].add(record.owner)
        if record.owner != owner or record.epoch != epoch:
            faults.append(f"record {record.place} is not its owner's: epoch {record.epoch} in epoch {epoch}")
        if chain is not None and record.chain not in (0, chain):
            faults.append(f"record {record.place} was written on another history")
        chain = digest(chain, record.bytes) if chain is not None else None
        closed = record.kind in (HANDOVER, RELEASED)
    faults += [f"epoch {number} has {len(each)} owners" for number, each in owners.items() if len(each) > 1]
    return faults


def faults_of_events(records):
    """What no stream may hold: a number twice, an earlier owner after a later one. `records` as (place, record)."""
    faults, epochs, lasts, machines = [], {}, {}, {}
    for place, record in records:
        room, opening = record["room"], (record["room"], record["opened"])
        epoch = record.get("epoch", 0)
        if epoch < epochs.get(room, 0):
            faults.append(f"{place} is of epoch {epoch}, after one of epoch {epochs[room]}")
        epochs[room] = max(epoch, epochs.get(room, 0))
        if machines.setdefault((room, epoch), record["host"]) != record["host"]:
            faults.append(f"{place}: two machines tell of epoch {epoch}")
        first = record["gap"]["first"] if "gap" in record else record["n"]
        if first <= lasts.get(opening, -1):
            faults.append(f"{place} has the number {first} after {lasts[opening]}")
        lasts[opening] = max(record["n"], lasts.get(opening, -1))
    return faults


def faults_of_seats(records):
    """Seats that an owner gave and a later one has not: those that the stream knew of before the later one's `hello`."""
    faults, seats = [], defaultdict(dict)
    for place, record in records:
        event, held = record.get("event", {}), seats[record["room"]]
        if event.get("type") == "hello":
            here = {controller: player["player"] for player in event["players"] for controller in player["controllers"]}
            faults += [
                f"{place}: {controller} had seat {player}, and has {here.get(controller)}" for controller, player in held.items()
                if here.get(controller) != player]
        elif event.get("type") == "player":
            for controller in event["controllers"]:
                held[controller] = event["player"]
                if event["state"] == "left":
                    del held[controller]
    return faults


async def append(client, site, room, data):
    """Writes into a log as hosts do: behind the record that is the last one, or not at all, until that comes true."""
    js = client.jetstream(timeout=30)
    for _ in range(50):
        last = (await js.stream_info(f"RF_{site}_LOG_{room}")).state.last_seq
        with contextlib.suppress(APIError):
            return await js.publish(f"rf.{site}.{room}.log", data, headers={"Nats-Expected-Last-Sequence": str(last)})
    raise AssertionError("others always wrote first")


async def read_log(client, site, room):
    js = client.jetstream(timeout=30)
    name = f"RF_{site}_LOG_{room}"
    state = (await js.stream_info(name)).state
    records = []
    for place in range(max(state.first_seq, 1), state.last_seq + 1):
        message = await js.get_msg(name, place)
        records.append(Record.read(place, message.data))
    return records
