"""Evenings that were recorded, for tests: their tables, what their rooms told, and what force was on a sensor."""
import csv
import json
import math
import time

from door import talk

GRAVITY = 9.80665


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def content(path):
    """Everything that was written, expanded, in one piece."""
    from mcap.reader import make_reader

    with path.open("rb") as file:
        return b"".join(message.data for _, _, message in make_reader(file).iter_messages()) + path.read_bytes()


def heard(host):
    """The numbered events that a host told while it ran, by number."""
    events = [json.loads(line) for line in host.stdout.read().splitlines() if line.startswith("{")]
    return {event["n"]: event for event in events if "n" in event}


def answering(folder):
    """The time, after a second in which neither room nor players stood still: it answered, and heard of them."""
    with talk(next((folder / "state").rglob("*.sock"))) as say:
        samples, since = 0, time.time()
        heard = since
        deadline = since + 60
        while heard < since + 1:
            assert heard < deadline, "somebody stands still every second"
            time.sleep(0.02)
            peers = say({"task": "status"})["status"]["peers"]
            delivered, before = sum(peer["samples"]["delivered"] for peer in peers), heard
            if delivered > samples:
                samples, heard = delivered, time.time()
            if time.time() > before + 0.3:
                since = heard = time.time()
    return time.time()


def true_force(was):
    """In g: either kind of file."""
    return force(was, "grav", "user") if "gravx" in was else math.hypot(*(float(was["a" + axis]) / GRAVITY for axis in "xyz"))


def force(row, gravity, user):
    return math.hypot(*(float(row[gravity + axis]) + float(row[user + axis]) for axis in "xyz"))
