"""Motion that is collected on purpose, as the motion score reads it: `roomful teach … --collect DIR`."""
import json
import os
import signal
import subprocess
import time

import pytest
from conftest import PROGRAM
from evenings import rows
from rooms import DROPPED, ROOT
from waiting import until

# 197 s without a gap.
TURNING = ROOT / "Recordings/orientation/broad_06_undisturbed_fast_rotation_A.csv"
AGREED = ("--subject", "p1", "--licence", "CC0-1.0", "--consent", "p1 agreed to its publication")


@pytest.fixture
def room(request, opened, joins, roomful):
    """A room in which somebody moves as a recording says, again and again."""
    moves = getattr(request, "param", TURNING)
    opened("Studio")
    joins("Blue", replay=moves)
    until(lambda: "Blue" in roomful("peers")[1])
    # The clock is known by then, and the motion comes.
    until(lambda: [peer for peer in json.loads(roomful("peers", "--json")[1]) if peer["samples"]["delivered"] > 100])


def truth():
    return [force(row) for row in rows(TURNING)]


def place(samples, source):
    """Where these samples lie in a row in the source, which is played again and again; `None` where they do not."""
    near = lambda a, b: all(abs(x - y) < 0.02 for x, y in zip(a, b))
    return next((first for first in range(len(source)) if all(
        near(sample, source[(first + offset) % len(source)]) for offset, sample in enumerate(samples))), None)


def trials(path, column):
    found = {}
    for row in rows(path):
        found.setdefault(row[column], []).append(row)
    return found


def force(row):
    """In g, along the device's axes."""
    return tuple(float(row[axis]) / 9.80665 for axis in ("ax", "ay", "az"))


def test_gestures_are_added_to_a_file_that_the_score_reads_and_hold_what_was_felt(room, folder, roomful):
    data = folder / "motion"
    command = ("teach", "leap", "--player", "Blue", "--times", "2", "--lasting", "2s", "--collect", data, *AGREED)
    code, out, errors = roomful(*command, timeout=120)
    assert code == 0 and "2 of leap by p1" in out, (out, errors)
    assert "lab score needs 7 of each gesture by one person" in out and "of this one there are 2" in out, out
    code, out, errors = roomful(*command, "--json", timeout=120)
    summary = json.loads(out.splitlines()[-1])
    assert code == 0 and summary["trials"] == 2 and summary["leftOut"] == [], (out, errors)
    found = trials(data / "gestures/collected.csv", "gid")
    assert list(found) == ["p1-leap-1", "p1-leap-2", "p1-leap-3", "p1-leap-4"]
    source = truth()
    for name, samples in found.items():
        assert {(row["label"], row["subject"]) for row in samples} == {("leap", "p1")}
        times = [float(row["t_ms"]) for row in samples]
        assert times[0] == 0 and 1_800 < times[-1] < 2_200 and all(0 < b - a < 150 for a, b in zip(times, times[1:]))
        assert place([force(row) for row in samples], source) is not None, f"{name}: samples are missing, or were invented"
    notes = [json.loads(line) for line in (data / "collected.jsonl").read_text().splitlines()]
    assert [note["trials"] for note in notes] == [["p1-leap-1", "p1-leap-2"], ["p1-leap-3", "p1-leap-4"]]
    assert notes[0]["licence"] == "CC0-1.0" and "agreed" in notes[0]["consent"]
    assert not list(data.glob(".collecting*")), "the recording itself is not kept"
    assert "collected" in roomful("lab", "score", data)[1]


def test_shakes_have_labels_and_everyday_motion_is_one_recording(room, folder, roomful):
    data = folder / "motion"
    assert roomful("teach", "shake", "--player", "Blue", "--times", "1", "--lasting", "2s", "--collect", data, *AGREED, timeout=120)[0] == 0
    [(name, samples)] = trials(data / "events/shakes.csv", "rec").items()
    [label] = rows(data / "events/shakes_labels.csv")
    assert label["rec"] == name and label["activity"] == "shake"
    start, end, last = float(label["start_ms"]), float(label["end_ms"]), float(samples[-1]["t_ms"])
    assert 900 < start < 1_100 and 1_900 < end - start < 2_300 and 500 < last - end < 1_200, (start, end, last)
    code, out, errors = roomful("teach", "walking", "--everyday", "--lasting", "4s", "--player", "Blue", "--collect", data, *AGREED, timeout=120)
    assert code == 0, (out, errors)
    [(name, samples)] = trials(data / "events/everyday.csv", "rec").items()
    assert name == "p1-walking-1" and {row["activity"] for row in samples} == {"walking"}
    assert place([force(row) for row in samples], truth()) is not None


@pytest.mark.parametrize("room", [DROPPED], indirect=True)
def test_a_trial_in_which_samples_are_missing_is_left_out_and_said(room, folder, roomful):
    """The recordings that this one is made of follow each other with half a second of silence, every six seconds."""
    data = folder / "motion"
    code, out, errors = roomful("teach", "leap", "--player", "Blue", "--times", "1", "--lasting", "8s", "--collect", data, *AGREED, timeout=120)
    assert code == 1 and "p1-leap-1" in out and "are missing in it" in out and "nothing was collected" in errors, (out, errors)
    assert not (data / "gestures/collected.csv").exists()


def test_as_many_are_asked_for_as_the_score_needs(room, folder, environment):
    process = subprocess.Popen(
        [PROGRAM, "teach", "leap", "--player", "Blue", "--lasting", "1s", "--collect", str(folder / "motion"), *AGREED],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.stdout.read()
    process.wait(60)
    assert first.startswith("1 of 8: "), first


def test_interrupted_it_keeps_what_was_whole(room, folder, environment, roomful):
    data = folder / "motion"
    process = subprocess.Popen(
        [PROGRAM, "teach", "leap", "--player", "Blue", "--times", "50", "--lasting", "1s", "--collect", str(data), *AGREED],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    for line in process.stdout:
        if line.startswith("3 of 50: leap"):
            process.send_signal(signal.SIGINT)
            break
    said = process.stdout.read()
    assert process.wait(60) == 0 and "2 of leap" in said, said
    assert list(trials(data / "gestures/collected.csv", "gid")) == ["p1-leap-1", "p1-leap-2"]
    assert json.loads(roomful("record", "status", "--json")[1])["state"] == "off"


def test_killed_it_leaves_neither_a_recording_that_runs_nor_its_file(room, folder, environment, roomful):
    data = folder / "motion"
    process = subprocess.Popen(
        [PROGRAM, "teach", "leap", "--player", "Blue", "--times", "50", "--lasting", "1s", "--collect", str(data), *AGREED],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    next(line for line in process.stdout if line.startswith("2 of 50: leap"))
    films = lambda: list((folder / "state").rglob("collecting-*"))
    assert films() and not list(data.rglob("*.mcap")), "it does not lie where it may be published"
    assert json.loads(roomful("record", "status", "--json")[1])["state"] == "recording"
    process.kill()
    process.wait()
    process.stdout.close()
    until(lambda: json.loads(roomful("record", "status", "--json")[1])["state"] == "off")
    until(lambda: not films())


def test_a_collection_and_another_s_recording_end_each_other_by_nothing_but_a_word(room, folder, environment, roomful):
    data, evening = folder / "motion", folder / "eve.mcap"
    process = subprocess.Popen(
        [PROGRAM, "teach", "leap", "--player", "Blue", "--times", "50", "--lasting", "1s", "--collect", str(data), *AGREED],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    next(line for line in process.stdout if line.startswith("2 of 50: leap"))
    code, _, errors = roomful("record", "start", evening)
    assert code != 0 and "are collected" in errors and not evening.exists(), errors
    assert "Refused while teach --collect collects." in " ".join(roomful("record", "start", "--help")[1].split())
    assert roomful("record", "stop")[0] == 0 and roomful("record", "start", evening)[0] == 0
    said = process.stdout.read()
    assert process.wait(60) != 0 and "not everything was recorded" in said, said
    assert "p1-leap-1" in trials(data / "gestures/collected.csv", "gid")
    status = json.loads(roomful("record", "status", "--json")[1])
    assert status["state"] == "recording" and status["path"] == str(evening), status


def test_somebody_is_taken_out_of_what_was_collected(folder, roomful):
    data = folder / "motion"
    rows_of = {
        "gestures/collected.csv": ["gid,label,subject,t_ms", "p1-leap-1,leap,p1,0", "p2-leap-1,leap,p2,0", "p1-leap-2,leap,p1,0"],
        "events/everyday.csv": ["rec,activity,subject,t_ms", "p2-p1-1,p1,p2,0"],
        "events/shakes.csv": ["rec,t_ms", "p1-shake-1,0", "p1-shake-shake-1,0", "p2-shake-1,0"],
        "events/shakes_labels.csv": ["rec,activity,start_ms,end_ms", "p1-shake-1,shake,0,1", "p2-shake-1,shake,0,1"],
        "collected.jsonl": [json.dumps({"subject": who, "trials": []}) for who in ("p1", "p2", "p1")],
    }
    for name, lines in rows_of.items():
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text("\n".join(lines) + "\n")
    (data / ".collecting-0.mcap").write_text("")
    code, out, errors = roomful("forget", data, "--subject", "p1", "--json")
    gone = json.loads(out)
    assert code == 0 and gone["rows"] == 6 and len(gone["files"]) == 4, (out, errors)
    assert ".collecting-0.mcap is a recording of the whole room" in errors
    left = {name: (data / name).read_text().splitlines() for name in rows_of}
    assert left["gestures/collected.csv"] == [rows_of["gestures/collected.csv"][place] for place in (0, 2)]
    assert left["events/everyday.csv"] == rows_of["events/everyday.csv"]
    assert left["events/shakes.csv"] == [rows_of["events/shakes.csv"][place] for place in (0, 2, 3)]
    assert left["events/shakes_labels.csv"] == [rows_of["events/shakes_labels.csv"][place] for place in (0, 2)]
    assert left["collected.jsonl"] == rows_of["collected.jsonl"][1:2]
    code, _, errors = roomful("forget", data, "--subject", "p1")
    assert code != 0 and "nothing of p1" in errors
    assert roomful("forget", data)[0] != 0 and roomful("forget", data, "P1", "--subject", "p1")[0] != 0


def test_everyday_motion_that_is_interrupted_is_kept_as_far_as_it_goes(room, folder, environment):
    data = folder / "motion"
    process = subprocess.Popen(
        [PROGRAM, "teach", "walking", "--everyday", "--lasting", "1h", "--player", "Blue", "--collect", str(data), *AGREED],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    for line in process.stdout:
        if "walking, now" in line:
            time.sleep(3)
            process.send_signal(signal.SIGINT)
            break
    said = process.stdout.read()
    assert process.wait(60) == 0 and "1 of walking" in said, said
    [(_, samples)] = trials(data / "events/everyday.csv", "rec").items()
    assert 2_500 < float(samples[-1]["t_ms"]) < 10_000


def test_what_is_missing_or_wrong_is_said_and_nothing_is_written(room, folder, roomful):
    data = folder / "motion"
    refusals = [
        (("leap", "--collect", data), "--subject"),
        (("leap", "--collect", data, "--subject", "Anna, 7", "--licence", "x", "--consent", "y"), "--subject"),
        (("leap", "--collect", data, "--subject", "p1", "--licence", "", "--consent", "y"), "--licence"),
        (('le"ap,', "--collect", data, *AGREED), "letters"),
        (("leap", "--lasting", "0s", "--collect", data, *AGREED), "--lasting"),
        (("leap", "--player", "Nobody", "--collect", data, *AGREED), "Nobody"),
        (("leap", "--times", "0", "--collect", data, *AGREED), "--times"),
        (("leap", "--everyday"), "--collect"),
    ]
    for arguments, word in refusals:
        code, out, errors = roomful("teach", *arguments)
        assert code != 0 and word in errors, (arguments, out, errors)
    assert not data.exists() or not list(data.rglob("*.csv"))
    other = data / "gestures/collected.csv"
    other.parent.mkdir(parents=True, exist_ok=True)
    other.write_text("something,else\n1,2\n")
    code, _, errors = roomful("teach", "leap", "--times", "1", "--lasting", "1s", "--player", "Blue", "--collect", data, *AGREED, timeout=60)
    assert code != 0 and "other columns" in errors and other.read_text() == "something,else\n1,2\n"
    assert roomful("record", "start", folder / "evening.mcap")[0] == 0
    code, _, errors = roomful("teach", "leap", "--times", "1", "--player", "Blue", "--collect", data, *AGREED)
    assert code != 0 and "recorded already" in errors


def test_nothing_is_written_through_a_link_or_into_a_pipe_that_somebody_else_put_there(room, folder, roomful):
    data, own = folder / "motion", folder / "own"
    own.write_text("mine\n")
    (data / "events").mkdir(parents=True)
    file = data / "events/everyday.csv"
    command = ("teach", "walking", "--everyday", "--lasting", "1s", "--player", "Blue", "--collect", data, *AGREED)
    data.chmod(0o777)
    code, _, errors = roomful(*command)
    assert code == 1 and "open to other users" in errors, errors
    data.chmod(0o755)
    file.symlink_to(own)
    code, _, errors = roomful(*command)
    assert code == 1 and "symbolic link" in errors and own.read_text() == "mine\n", errors
    file.unlink()
    os.mkfifo(file)
    code, _, errors = roomful(*command, timeout=20)
    assert code == 1 and "not a plain file" in errors, errors
