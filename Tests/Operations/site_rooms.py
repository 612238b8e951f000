"""Rooms in a site, for tests: hosts with a real broker, and what their own machine says of them."""
import door
from waiting import until


class Room:
    """A hosted room, and what its own machine says of it."""

    def __init__(self, name, process, state, roomful):
        self.name, self.process, self.state, self.roomful = name, process, state, roomful

    def status(self):
        code, out, _ = self.roomful("peers", "--room", self.name)
        return out if code == 0 else ""

    def ask(self, *requests):
        """Commands by the operator's door, and their answers."""
        return door.ask(next(self.state.rglob("*.sock")), *requests)

    def happen(self, count):
        """So many events, an even number: the room is locked and unlocked."""
        self.ask(*[{"task": "lock" if number % 2 == 0 else "unlock"} for number in range(count)])

    def told(self):
        """The room's own word: its events by number, as far as it remembers them, up to the last it has told by now."""
        last, told = next(self.listen({"task": "events"}))["after"], {}
        if last:
            for event in self.listen({"task": "events", "after": 0}):
                told |= {event["n"]: event} if "n" in event else {}
                if event.get("n", 0) >= last:
                    break
        return told

    def listen(self, request):
        """The events of the operator's door, the greeting first."""
        return door.listen(next(self.state.rglob("*.sock")), request)

    def standing(self):
        return self.ask({"task": "status"})[0]["status"].get("site") or {"state": None}


def connected(room):
    until(lambda: room.standing()["state"] == "connected", room.standing)


def problem(room):
    return until(lambda: room.standing()["state"] == "away" and room.standing()["problem"])


def caught_up(room):
    """Everything that the room has told until now is confirmed, or in a gap: what it says of itself may be a second old."""
    last = max(room.told(), default=-1)

    def is_so():
        standing = room.standing()
        return standing["state"] == "connected" and standing["waiting"] == 0 and standing["confirmed"] + standing["lost"] > last

    until(is_so, room.standing)


def whole(records, room=None):
    """Numbers of one opening follow one another, gaps included; answers the events by number, and the gaps."""
    last, events, gaps = {}, {}, []
    for _, record in records:
        if room and record["name"] != room:
            continue
        key = record["room"], record["opened"]
        if gap := record.get("gap"):
            gaps.append((gap["first"], gap["last"]))
            assert record["n"] == gap["last"]
        else:
            assert record["event"].get("n", 0) == record["n"]
            assert record["n"] not in events, f"{record['n']} stands in the stream twice"
            assert record["n"] > last.get(key, -1), "out of order"
            events[record["n"]] = record["event"]
        last[key] = max(record["n"], last.get(key, -1))
    return events, gaps
