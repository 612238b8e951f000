"""A program that feeds samples with times of its own: `roomful join --stdin`."""
import json
import signal
import subprocess
import time

from conftest import PROGRAM
from site_rooms import eventually, host  # noqa: F401

REST, PUSH = (0.0, 0.0, 9.81), (0.0, -9.81, 9.81)


def test_who_feeds_while_joining_takes_seconds_is_not_ahead_of_the_room(host, environment, folder):
    """The room stands still while its controller asks to join. What is sampled later is judged to be sampled later."""
    room = host("Hall", "--json")
    events = []
    subject = subprocess.Popen(
        [PROGRAM, "join", "--code-file", str(folder / "Hall.ticket"), "--as", "Blue", "--stdin"], stdin=subprocess.PIPE,
        text=True, env=environment | {"ROOMFUL_STATE": str(folder / "blue")}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def feed(force):
        line = {"t": time.monotonic() - begun, "acceleration": force, "rotationRate": (0, 0, 0)}
        subject.stdin.write(json.dumps(line) + "\n")
        subject.stdin.flush()

    def told(kind):
        return [event for event in room.told().values() if event["type"] == kind]

    try:
        room.process.send_signal(signal.SIGSTOP)
        begun = time.monotonic()
        feed(REST)
        time.sleep(3)  # So long joining takes at least: what the room must not see as a lead.
        room.process.send_signal(signal.SIGCONT)
        assert eventually(lambda: any(event["state"] == "joined" for event in told("player")))
        for _ in range(20):
            feed(REST)
            time.sleep(0.05)
        for _ in range(4):
            feed(PUSH)
            time.sleep(0.05)
        jump = lambda: next((event for event in told("gesture") if event["gesture"] == "keepcalm-jump"), None)
        limit = time.monotonic() + 30
        while not jump() and time.monotonic() < limit:
            feed(REST)
        assert jump(), "what is ahead of the room's clock is no motion to it"
        # Whatever the room does afterwards has a later time on the same clock.
        room.ask({"task": "lock"})
        assert jump()["at"] <= told("room")[-1]["at"]
    finally:
        subject.kill()
        subject.wait()
