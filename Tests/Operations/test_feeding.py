"""A program that feeds samples with times of its own: `roomful join --stdin`."""
import csv
import json
import signal
import subprocess
import threading
import time

import pytest
from conftest import PROGRAM
from rooms import DROPPED, ROOT, active
from waiting import until

REST, PUSH = (0.0, 0.0, 9.81), (0.0, -9.81, 9.81)


def test_who_feeds_while_joining_takes_seconds_is_not_ahead_of_the_room(host, environment, folder):
    """The room stands still while its controller asks to join. What is sampled later is judged to be sampled later."""
    room = host("Hall", "--json", "--gestures", ROOT / "Examples/keepcalm.toml")
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
        until(lambda: any(event["state"] == "joined" for event in told("player")))
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


def test_a_file_that_is_fed_at_once_is_motion_as_it_was_sampled(host, roomful, folder):
    """`cat FILE | roomful join --stdin`: the falls that `--replay FILE` makes."""
    with DROPPED.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["rec"] == "fall_7"]
    lines = folder / "lines"
    lines.write_text("".join(
        json.dumps({"t": 12 + float(row["t_ms"]) / 1e3, "acceleration": [float(row["a" + axis]) for axis in "xyz"]}) + "\n"
        for row in rows))
    room = host("Hall", "--json")

    def falls_until(name):
        """The room's falls until this controller has left."""
        events = list(room.told().values())
        ends = [at for at, event in enumerate(events)
                if event["type"] == "player" and event.get("name") == name and event["state"] == "left"]
        return [event for event in events[:ends[0]] if event["type"] == "gesture" and event["gesture"] == "free-fall"] if ends else None

    falls = []
    for name, feed in (("Fed", ["--stdin"]), ("Piped", ["--stdin"]), ("Replayed", ["--replay", DROPPED, "--recording", "fall_7"])):
        # Joining takes seconds: what is fed meanwhile is not thrown away.
        room.process.send_signal(signal.SIGSTOP)
        threading.Timer(4, room.process.send_signal, [signal.SIGCONT]).start()
        cat = subprocess.Popen(["cat", lines], stdout=subprocess.PIPE)
        with lines.open() as file, cat:
            code, out, errors = roomful(
                "join", "--code-file", folder / "Hall.ticket", "--as", name, *feed, stdin=cat.stdout if name == "Piped" else file,
                ROOMFUL_STATE=str(folder / name))
        assert code == 0 and f"{len(rows)} samples: {len(rows)} acknowledged" in out, (out, errors)
        falls.append(len(until(lambda name=name: falls_until(name))))
    assert falls == [falls[0], 2 * falls[0], 3 * falls[0]] and falls[0] > 0, falls


def test_lines_name_the_buttons_that_are_held_and_the_charge(host, environment, folder):
    room = host("Hall", "--json")
    subject = subprocess.Popen(
        [PROGRAM, "join", "--code-file", str(folder / "Hall.ticket"), "--as", "Blue", "--stdin", "--buttons", "tilt,shake"],
        stdin=subprocess.PIPE, text=True, env=environment | {"ROOMFUL_STATE": str(folder / "blue")}, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE)

    def say(**more):
        subject.stdin.write(json.dumps({"acceleration": REST, "battery": 9, **more}) + "\n")
        subject.stdin.flush()

    def told_while(wanted, **more):
        """The first such event, while this is said."""
        def first():
            say(**more)
            return next((event for event in room.told().values() if wanted(event)), None)
        return until(first)

    try:
        assert told_while(lambda event: event["type"] == "battery")["percent"] == 9
        gesture = told_while(lambda event: event.get("source") == "button", buttons=["shake"])
        assert (gesture["type"], gesture["gesture"], gesture["phase"]) == ("gesture", "shake", "began")
        say(rotationRate=REST)
        _, errors = subject.communicate()
        assert subject.returncode == 0 and "what the first sample had not is left out: rotationRate" in errors, errors
    finally:
        subject.kill()
        subject.wait()


@pytest.fixture
def fed(opened, environment, folder):
    """A controller whose lines come at this rate for as long as the test lasts, with times of their own or without."""
    opened("Hall", "--seats", "1")
    ends, feeds = threading.Event(), []

    def begin(rate, *options, has_times):
        subject = subprocess.Popen(
            [PROGRAM, "join", "--code-file", str(folder / "ticket"), "--as", "Blue", "--stdin", *options], stdin=subprocess.PIPE,
            text=True, env=environment | {"ROOMFUL_STATE": str(folder / "blue")}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

        subject.slowest = 0  # How long its feeder had to wait with a line.

        def feed():
            begun, said = time.monotonic(), 0
            try:
                while not ends.is_set():
                    # However late it wakes: what is due is said, each by itself.
                    while said < (time.monotonic() - begun) * rate:
                        line = {"acceleration": REST} | ({"t": said / rate} if has_times else {})
                        before = time.monotonic()
                        subject.stdin.write(json.dumps(line) + "\n")
                        subject.stdin.flush()
                        subject.slowest = max(subject.slowest, time.monotonic() - before)
                        said += 1
                    time.sleep(0.001)
            except BrokenPipeError:
                pass

        thread = threading.Thread(target=feed)
        thread.start()
        feeds.append((subject, thread))
        return subject

    yield begin
    ends.set()
    for subject, thread in feeds:
        subject.kill()
        thread.join()
        subject.communicate()


def declared(roomful):
    code, out, _ = roomful("peers", "P1", "--json")
    streams = [stream for peer in json.loads(out) for stream in peer["detail"]["streams"]] if code == 0 else []
    return streams[0]["nominalRate"] if streams else None


def test_a_sensor_of_400_hz_is_declared_by_the_times_of_its_first_lines(fed, roomful):
    subject = fed(400, has_times=True)
    assert until(lambda: declared(roomful)) == pytest.approx(400, rel=0.05)
    time.sleep(10)  # After 5 to 8 s, whoever sends far more than it declared is sent away.
    assert subject.poll() is None


def test_a_sensor_without_times_is_as_fast_as_its_user_says(fed, roomful):
    fed(400, "--rate", "400", has_times=False)
    assert until(lambda: declared(roomful)) == 400


def test_who_is_sent_away_for_more_than_was_declared_is_told_how_to_declare_it(fed, roomful):
    subject = fed(400, has_times=False)
    assert until(lambda: declared(roomful)) == 100
    errors = subject.stderr.read()
    assert subject.wait(60) != 0 and "declared were 100 samples a second" in errors and "--rate HZ" in errors, errors


def test_who_feeds_while_it_waits_for_a_seat_is_read_on_and_keeps_the_seat(fed, joins, roomful):
    """It was made to wait, as a pipe is full after some seconds, made up for it once there was a seat, and was sent away for that."""
    red = joins("Red")
    until(lambda: "Red" in active(roomful))
    subject = fed(400, "--wait-for-seat", has_times=True)
    time.sleep(10)  # A pipe holds some 3 s of it.
    red.send_signal(signal.SIGINT)
    until(lambda: "Blue" in active(roomful))
    seated = time.monotonic()
    time.sleep(10)  # After 5 to 8 s, whoever sends far more than it declared is sent away.
    assert subject.poll() is None and subject.slowest < 2, subject.slowest
    samples = json.loads(roomful("peers", "P1", "--json")[1])[0]["samples"]["expected"]
    assert samples < 400 * (time.monotonic() - seated + 2), "what was fed before there was a seat is nobody's motion"


@pytest.fixture
def waits(opened, joins, roomful, environment, folder):
    """Blue, which is fed by the test, waits for Red's seat."""
    opened("Hall", "--seats", "1")
    red = joins("Red")
    until(lambda: "Red" in active(roomful))
    subject = subprocess.Popen(
        [PROGRAM, "join", "--code-file", str(folder / "ticket"), "--as", "Blue", "--stdin", "--wait-for-seat"],
        stdin=subprocess.PIPE, text=True, env=environment | {"ROOMFUL_STATE": str(folder / "blue")},
        stdout=(folder / "out").open("w"), stderr=(folder / "errors").open("w"))
    subject.red = red
    subject.queues = lambda: "in the queue" in (folder / "errors").read_text()
    yield subject
    subject.kill()
    subject.wait()


def test_a_feed_that_ends_while_it_waits_for_a_seat_ends_the_waiting(waits, folder):
    def queues():
        waits.stdin.write(json.dumps({"acceleration": REST}) + "\n")
        waits.stdin.flush()
        return waits.queues()

    until(queues)
    for _ in range(20):
        queues()
        time.sleep(0.05)
    waits.stdin.close()
    assert waits.wait(30) == 1, "it never played"
    assert "the input ended before there was a seat" in (folder / "errors").read_text()


def test_a_feed_that_ends_before_anybody_calls_was_in_vain(environment, folder):
    subject = subprocess.Popen(
        [PROGRAM, "join", "--wait", "--as", "Blue", "--stdin", "--discovery", "none"], stdin=subprocess.PIPE, text=True,
        env=environment | {"ROOMFUL_STATE": str(folder / "blue")}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        for _ in range(20):
            subject.stdin.write(json.dumps({"acceleration": REST}) + "\n")
            subject.stdin.flush()
            time.sleep(0.05)
        assert "waits to be called" in subject.stdout.readline()
        _, errors = subject.communicate(timeout=30)
        assert subject.returncode == 1 and "the input ended before there was a seat" in errors, errors
    finally:
        subject.kill()
        subject.wait()


def test_a_file_waits_for_the_seat_with_its_reader(waits, folder):
    lines = [json.dumps({"t": number / 100, "acceleration": REST}) + "\n" for number in range(300)]
    waits.stdin.write("".join(lines))
    waits.stdin.close()
    until(waits.queues)
    time.sleep(5)  # For longer than its lines tell of.
    waits.red.send_signal(signal.SIGINT)
    assert waits.wait(60) == 0
    assert "300 samples: 300 acknowledged" in (folder / "out").read_text(), (folder / "errors").read_text()


@pytest.mark.parametrize("odd", [[0], [1, 3, 5], [0, 4]], ids=["first", "some", "both"])
def test_among_lines_with_times_those_without_are_skipped_by_number_and_the_rest_arrives(opened, roomful, environment, folder, odd):
    """Stamped as it comes, such a line would be hours from its neighbours, and they late: all but a few went, and nobody said so."""
    opened("Hall")
    lines = [{"acceleration": REST} | ({} if number in odd else {"t": number / 100}) for number in range(100)]
    subject = subprocess.Popen(
        [PROGRAM, "join", "--code-file", str(folder / "ticket"), "--as", "Blue", "--stdin"], stdin=subprocess.PIPE, text=True,
        env=environment | {"ROOMFUL_STATE": str(folder / "blue")}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        for line in lines:
            subject.stdin.write(json.dumps(line) + "\n")
            subject.stdin.flush()
            time.sleep(0.01)
        # A first line is taken as it is: that the rest has times, nobody knows yet.
        skipped = [number for number in odd if number > 0]
        sent = lambda: json.loads(roomful("peers", "P1", "--json")[1])[0]["samples"]["expected"]
        # One or two may have been read before there was a seat.
        until(lambda: 0 <= len(lines) - len(skipped) - sent() <= 2, sent)
        subject.stdin.close()
        errors = subject.stderr.read()
        assert subject.wait(30) == 0
        assert [f"line {number + 1} is skipped: it has no time" in errors for number in range(10)] == [
            number in skipped for number in range(10)], errors
    finally:
        subject.kill()
        subject.wait()


@pytest.mark.parametrize("way", ["--stdin", "--replay"])
def test_samples_without_an_attitude_are_told_and_counted_with_why(opened, roomful, folder, way):
    """0,0,0,0 until the board has calibrated: half of each trial was gone, and the report said that all had arrived."""
    opened("Hall")
    lines = folder / "lines.csv"
    lines.write_text("t_s,ax,ay,az,gx,gy,gz,qw,qx,qy,qz\n" + "".join(
        f"{number / 100},0,0,9.81,0,0,0,{0 if number < 60 else 1},0,0,0\n" for number in range(100)))

    def join(*options):
        with lines.open() as file:
            code, out, errors = roomful(
                "join", "--code-file", folder / "ticket", "--as", "Blue", *([way] if way == "--stdin" else [way, lines]),
                *options, stdin=file, ROOMFUL_STATE=str(folder / "blue"))
        assert code == 0 and errors.count("no unit quaternion, such as 0,0,0,0,") == 1, errors
        return out

    summary = json.loads(join("--json").splitlines()[-1])
    assert (summary["samples"], summary["refused"], summary["crowdedOut"]) == (40, 60, 0)
    assert summary["refusals"] == [{"samples": 60, "why": "has an attitude that is no unit quaternion"}]
    out = join()
    assert "40 samples: 40 acknowledged" in out and "60 samples left out: each has an attitude that is no unit quaternion" in out


def test_of_who_sends_nothing_that_can_be_taken_is_not_said_that_all_is_well(opened, started, roomful, folder):
    opened("Hall")
    lines = folder / "lines.csv"
    lines.write_text("t_s,ax,ay,az,gx,gy,gz,qw,qx,qy,qz\n" + "".join(
        f"{number / 100},0,0,9.81,0,0,0,16384,0,0,0\n" for number in range(100)))
    started("join", "--code-file", folder / "ticket", "--as", "Raw", "--replay", lines, "--loop", ROOMFUL_STATE=str(folder / "raw"))
    until(lambda: "no sample of stream 0 yet, though the link lives" in roomful("peers", "P1")[1])
