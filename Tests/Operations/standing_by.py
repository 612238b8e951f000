"""Hosts that could own one room, for tests: what each says of it, and what the site's log and stream hold of them."""
import contextlib
import fcntl
import json
import os
import threading

from ownership import faults_of_events, faults_of_log, faults_of_seats, read_log
from site_broker import Witness
from site_rooms import Room, connected
from waiting import until


class Host(Room):
    """One of the hosts that could own "Hall", and what it says."""

    def __init__(self, process, state, roomful):
        super().__init__("Hall", process, state, roomful)
        self.lines = process.lines = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        with contextlib.suppress(ValueError):  # Closed when the test ends.
            for line in self.process.stdout:
                self.lines.append(line)

    def says(self, words, times=1):
        until(lambda: sum(words in line for line in self.lines) >= times, lambda: (words, "".join(self.lines)))

    @property
    def text(self):
        return "".join(self.lines)

    def events(self):
        """What it told whoever was on its own machine."""
        events = [json.loads(line) for line in self.lines if line.startswith("{")]
        return [event for event in events if "n" in event and event["type"] != "hello"]

    def numbers(self):
        return [event["n"] for event in self.events()]

    def signal(self, which):
        os.kill(self.process.pid, which)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def facts(self):
        return self.ask({"task": "status"})[0]["status"]

    def is_kept(self, site):
        """Everything that it has told until now stands in the site's stream: its own word of that may be a second old."""
        connected(self)  # Before that there may be no stream.
        last = max(self.told())
        newest = lambda: max((record["n"] for _, record in Witness(site, "reader", "arcade").read()), default=-1)
        until(lambda: newest() >= last, self.standing)

    def is_open(self):
        try:
            return any("status" in answer for answer in self.ask({"task": "status"}))
        except (OSError, StopIteration, json.JSONDecodeError):
            return False


def seated(host, name="Blue"):
    """The player with that name, once its motion arrives."""
    def found():
        peers = host.facts()["peers"] if host.is_open() else []
        return next((peer for peer in peers if peer["name"] == name and (peer["state"], peer["link"]) == ("active", "good")), None)

    return until(found)


def checked(site, room):
    """The log's records and the stream's, after the checker has found nothing."""
    log = Witness(site, "host", "arcade").run(lambda client: read_log(client, "arcade", room))
    events = Witness(site, "reader", "arcade").read()
    assert faults_of_log(log) == []
    assert faults_of_events(events) == []
    assert faults_of_seats(events) == []
    return log, events


def folder_of(host):
    return next((host.state / "rooms").glob("hall-*"))


@contextlib.contextmanager
def folder_is_taken(host):
    """What a standby claims it cannot take over: another program has the room's folder."""
    with open(folder_of(host) / "host.lock", "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
