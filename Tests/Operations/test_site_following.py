"""The events of a site at a terminal: `roomful events --site`, whatever becomes of the broker meanwhile."""
import json
import re
import signal

from site_rooms import caught_up, connected
from waiting import until


AGAIN = re.compile(r"trying again in ([0-9.]+) s")


class Follower:
    """`roomful events --site`, from the first record on."""

    def __init__(self, site, started):
        self.process, self.records = started("events", "--site", "--json", "--from", "1", *site.flags("reader")), []
        self.pauses = []  # before each attempt to reach the broker again, in seconds

    def reads(self, count):
        """So many records more, as pairs of a place and what stands there: an event's number, or a gap's first and last."""
        before = len(self.records)
        while len(self.records) < before + count:
            line = self.process.stdout.readline()
            assert line, "the reader has ended"
            if line.startswith("{"):
                record = json.loads(line)
                gap = record.get("gap")
                self.records.append((record["seq"], (gap["first"], gap["last"]) if gap else record["n"]))
            elif pause := AGAIN.search(line):
                self.pauses.append(float(pause[1]))
        return self.records[before:]

    def signal(self, which):
        self.process.send_signal(which)


def test_events_of_a_site_are_followed_and_resumed_at_the_terminal(site, host, started, roomful):
    room = host("Hall", *site.host)
    connected(room)
    room.happen(10)
    caught_up(room)
    operator = site.flags("reader")
    follower = started("events", "--site", "--json", "--from", "3", *operator)
    lines = [json.loads(follower.stdout.readline()) for _ in range(5)]
    assert [line["seq"] for line in lines] == [3, 4, 5, 6, 7]
    # The broker goes and comes while somebody follows.
    site.end()
    site.start()
    room.happen(10)
    numbers = [line["seq"] for line in lines]
    while numbers[-1] < 21:
        line = follower.stdout.readline()
        assert line, "the reader has ended"
        if line.startswith("{"):
            numbers.append(json.loads(line)["seq"])
    assert numbers == list(range(3, 22))
    people = started("events", "--since", "1h", *operator)
    assert "Hall" in people.stdout.readline()
    code, _, err = roomful("events", "--from", "3")
    assert code == 2 and "--after" in err


def test_who_reads_on_asks_as_soon_after_a_third_outage_as_after_the_first(site, host, started):
    room = host("Hall", *site.host)
    connected(room)
    watcher = started("site", "--watch", "--json", *site.flags("operator"))
    follower = Follower(site, started)

    def shows(pattern):
        while not (found := re.search(pattern, line := watcher.stdout.readline())):
            assert line, "the list has ended"
        return found

    shows('"Hall"')
    follower.reads(1)
    for _ in range(3):
        site.end()
        watched = float(shows(AGAIN)[1])
        site.start()
        room.happen(2)
        before = len(follower.pauses)
        follower.reads(2)
        # The first of each outage: a quarter of a second, and a quarter of that more at most.
        assert watched < 0.4 and follower.pauses[before] < 0.4
        shows(r"\[")


def test_a_follower_misses_nothing_of_another_stream_that_grows_past_its_number(site, host, started):
    room = host("Hall", *site.host)
    connected(room)
    room.happen(4)
    caught_up(room)
    follower = Follower(site, started)
    assert follower.reads(5) == [(place, place - 1) for place in range(1, 6)]
    follower.signal(signal.SIGSTOP)
    site.end()
    until(lambda: room.standing()["state"] == "away")
    site.forget()
    room.happen(14)
    site.start()
    caught_up(room)
    follower.signal(signal.SIGCONT)
    assert follower.reads(15) == [(1, (1, 4)), *((place, place + 3) for place in range(2, 16))]


def test_a_follower_reads_on_behind_what_a_broker_has_lost(site, host, started):
    room = host("Hall", *site.host)
    connected(room)
    room.happen(4)
    caught_up(room)
    site.keep_older()
    connected(room)
    room.happen(6)
    caught_up(room)
    follower = Follower(site, started)
    assert follower.reads(11) == [(place, place - 1) for place in range(1, 12)]
    follower.signal(signal.SIGSTOP)
    site.end()
    until(lambda: room.standing()["state"] == "away")
    site.put_older()
    # The stream is the same one, and grows past the follower's number.
    connected(room)
    room.happen(12)
    caught_up(room)
    follower.signal(signal.SIGCONT)
    assert follower.reads(13) == [(6, (5, 10)), *((place, place + 4) for place in range(7, 19))]
