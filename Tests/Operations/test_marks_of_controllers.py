"""A controller's own program points at moments of the evening: they are in the recording, as its and at their time."""
import json
import subprocess
import time

from conftest import PROGRAM
from evenings import rows


def feed(folder, environment, marks, within=None):
    """A program that samples at 50 Hz and marks: `marks` says after how many samples which, `within` which samples do so
    themselves."""
    process = subprocess.Popen(
        [PROGRAM, "join", "--as", "Blue", "--stdin", "--code-file", str(folder / "ticket")], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment | {"ROOMFUL_STATE": str(folder / "blue")})
    start = time.monotonic()
    for sample in range(150):
        for text in marks.get(sample, []):
            process.stdin.write(json.dumps({"mark": text}) + "\n")
        itself = {"mark": within[sample]} if sample in (within or {}) else {}
        process.stdin.write(json.dumps({"t": sample / 50, "acceleration": [0, 0, 9.81 + sample % 2 / 100], **itself}) + "\n")
        process.stdin.flush()
        time.sleep(max(0, start + sample / 50 - time.monotonic()))
    process.stdin.close()
    return process


def marks_of(folder, roomful, recording="evening.mcap"):
    assert roomful("export", folder / recording, "--to", "csv", folder / f"out-{recording}")[0] == 0
    return rows(folder / f"out-{recording}/marks.csv"), rows(folder / f"out-{recording}/motion.csv")


def test_marks_stand_in_the_recording_at_the_samples_that_they_follow(folder, environment, opened, roomful):
    room = opened("Marks", "--record", folder / "evening.mcap")
    marked = {0: ["first of all"], 75: ["lap 1"], 120: ["lap 2", "\u001b[31mred", "x" * 201]}
    program = feed(folder, environment, marked, within={100: "a turn"})
    assert program.wait(60) == 0
    assert "a mark is left out" in program.stderr.read(), "one is too long"
    assert roomful("mark", "the operator's")[0] == 0
    assert roomful("stop")[0] == 0 and room.wait(60) == 0
    marks, motion = marks_of(folder, roomful)
    texts = [mark["text"] for mark in marks]
    assert texts[:4] == ["P1: first of all", "P1: lap 1", "P1: a turn", "P1: lap 2"], texts
    assert texts[-1] == "the operator's" and len(texts) == 6
    assert "\x1b" not in texts[4] and texts[4].startswith("P1: ")
    # Its moment is that of the 75th sample, by two ways of the file: the link's clock, and the motion's.
    at, turn = float(marks[1]["at_ms"]), float(marks[2]["at_ms"])
    assert min(abs(float(row["at_ms"]) - at) for row in motion) < 10
    # A sample that says so itself is the moment, and is motion besides: the 101st, and none is missing around it.
    assert abs(turn - at - 520) < 10, turn - at
    assert sum(at - 5 < float(row["at_ms"]) < turn + 5 for row in motion) == 27
    # What was sampled before there was a seat is in no recording: they are counted from the end.
    assert abs(sum(float(row["at_ms"]) > at + 5 for row in motion) - 75) <= 3, (at, len(motion))
    assert roomful("replay", folder / "evening.mcap", "--verify")[0] == 0
    assert "lap 1" in roomful("replay", folder / "evening.mcap", "--speed", "0", "--from", "P1: lap 1")[1]
    # Of somebody who is forgotten no mark is left either.
    assert roomful("forget", folder / "evening.mcap", "P1", "--output", folder / "without.mcap")[0] == 0
    assert [mark["text"] for mark in marks_of(folder, roomful, "without.mcap")[0]] == ["the operator's"]
    assert b"lap 1" not in (folder / "without.mcap").read_bytes()


def test_where_people_are_labels_their_words_are_left_out_and_a_flood_has_an_end(folder, environment, opened, roomful):
    key = folder / "key"
    key.write_text("5" * 64)
    key.chmod(0o600)
    room = opened("Marks", "--record", folder / "evening.mcap", "--pseudonyms", key)
    program = feed(folder, environment, {50: ["Anna falls"] + [f"flood {n}" for n in range(300)]})
    assert program.wait(60) == 0
    assert program.stderr.read().count("a mark is left out") == 1, "nobody reads hundreds of lines"
    summary = program.stdout.read().splitlines()[-1]
    assert roomful("stop")[0] == 0 and room.wait(60) == 0
    marks, _ = marks_of(folder, roomful)
    assert {mark["text"] for mark in marks} == {"P1"} and 20 <= len(marks) <= 30, len(marks)
    assert summary == f"{301 - len(marks)} marks left out"
    recording = (folder / "evening.mcap").read_bytes()
    assert b"Anna" not in recording and b"flood" not in recording
    assert roomful("replay", folder / "evening.mcap", "--verify")[0] == 0


def test_of_many_marks_before_the_first_sample_as_many_are_kept_as_at_once(folder, environment, opened, roomful):
    room = opened("Marks", "--record", folder / "evening.mcap")
    program = feed(folder, environment, {0: [f"set {n}" for n in range(30)]})
    assert program.wait(60) == 0
    assert program.stdout.read().splitlines()[-1] == "10 marks left out"
    assert program.stderr.read().count("a mark is left out") == 1
    assert roomful("stop")[0] == 0 and room.wait(60) == 0
    assert [mark["text"] for mark in marks_of(folder, roomful)[0]] == [f"P1: set {n}" for n in range(20)]
