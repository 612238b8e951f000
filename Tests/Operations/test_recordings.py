"""An evening that is recorded: played again to the same events, and read by other people's tools."""
import json
import os
import re
import resource
import signal
import subprocess
import urllib.error
import urllib.request

import pytest
from conftest import PROGRAM
from evenings import answering, force, heard, rows, true_force
from read_exports import compare, compare_report
from rooms import DROPPED, TILT
from waiting import until


@pytest.fixture
def recorded(folder, opened, joins, roomful):
    """A room that records itself, with a controller that jumps; begins once three of its gestures were told."""
    host = opened(
        "Recorded", "--contest", "keepcalm-jump", "--record", f"{folder}/evenings/", "--record-description", "a test")
    joins("Blue", replay=DROPPED)

    def status():
        return json.loads(roomful("record", "status", "--json")[1] or "{}")

    until(lambda: status().get("events", 0) >= 20)
    yield host, status
    assert not list((folder / "evenings").glob("*.reserve")) or host.returncode == -signal.SIGKILL


STOPPED = []


@pytest.fixture
def stopped(request, folder, roomful):
    """The recording of such a room that was stopped: one for all tests that only read it, each with a copy of its own."""
    if not STOPPED:
        host, _ = request.getfixturevalue("recorded")
        assert roomful("stop")[0] == 0 and host.wait(60) == 0
        [made] = (folder / "evenings").glob("*.mcap")
        STOPPED.append((made.name, made.read_bytes()))
    name, content = STOPPED[0]
    (folder / "evenings").mkdir(mode=0o700, exist_ok=True)
    (folder / "evenings" / name).write_bytes(content)
    return folder / "evenings" / name


def test_a_recording_plays_again_to_the_same_events_and_others_read_it(recorded, folder, roomful):
    host, status = recorded
    assert roomful("mark", "second trial")[0] == 0
    until(lambda: status().get("marks") == 1)
    # At 200 Hz four seconds: its clock is compared once it was measured for three.
    until(lambda: sum(peer["samples"]["delivered"] for peer in json.loads(roomful("peers", "--json")[1])) > 800)
    assert roomful("mark", "1")[0] == roomful("mark", "2")[0] == 0
    until(lambda: status().get("marks") == 3)
    assert roomful("stop")[0] == 0
    assert host.wait(60) == 0
    [recording] = (folder / "evenings").glob("*.mcap")
    code, out, errors = roomful("replay", recording, "--verify", "--json")
    report = json.loads(out)
    assert code == 0 and report["same"] and report["finished"] and report["marks"] == 3, (out, errors)
    # Another witness of which build it is: what reads the program's file.
    notes = subprocess.run(["readelf", "-n", PROGRAM], capture_output=True, text=True, check=True).stdout
    build = re.search("Build ID: ([0-9a-f]{12})", notes)[1]
    assert f"(build {build})" in report["recordedBy"] and "playedBy" not in report, report
    assert "second trial" in roomful("replay", recording, "--speed", "0", "--from", "second trial")[1]
    for start, isThere in (("2", False), ("2s", True)):
        told = roomful("replay", recording, "--speed", "0", "--from", start)[1]
        assert "mark: 2\n" in told and ("mark: 1\n" in told) == isThere, "a mark of that name comes before a time"
    code, out, _ = roomful("replay", recording, "--speed", "0", "--player", "P1", "--json")
    marks = [event["text"] for event in map(json.loads, out.splitlines()) if event["type"] == "mark"]
    assert code == 0 and marks == ["second trial", "1", "2"], out
    code, _, errors = roomful("replay", recording, "--speed", "0", "--player", "P9")
    assert code != 0 and "it has P1" in errors, errors
    for form in ["csv", "xdf", "sqlite"]:
        assert roomful("export", recording, "--to", form, folder / "exports")[0] == 0
    print(compare(recording, folder / "exports"))
    assert roomful("report", recording, "--output", folder / "evening.html")[0] == 0
    page = (folder / "evening.html").read_text()
    print(compare_report(page, folder / "exports"))
    assert "second trial" in page and "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "<script" not in page
    assert roomful("report", recording, "--photo-finish", "V1", "--svg", folder / "v1.svg")[0] == 0
    rules = folder / "gestures.toml"
    rules.write_text("[keepcalm-jump]\nenter = 1.5\n")
    told = json.loads(roomful("replay", recording, "--with", rules, "--json")[1])["gestures"]
    assert any(row["gesture"] == "keepcalm-jump" and row["was"] > 0 for row in told)
    assert roomful("replay", recording, "--contest", "jump, keepcalm-jump")[0] == 0
    code, out, errors = roomful("replay", recording, "--contest", "jmp")
    assert code == 2 and out == "" and "no gesture is called jmp" in errors and "keepcalm-jump" in errors, errors
    code, out, errors = roomful("replay", recording, "--fusion", "all:500ms")
    assert code == 2 and out == "" and "--fusion goes with --mode collaborative" in errors, errors
    others = [row for row in told if row["gesture"] != "keepcalm-jump"]
    assert others and all(row["lost"] == row["gained"] == 0 for row in others), "rules that stayed the same changed something"


def test_an_export_names_its_program_and_a_comparison_what_it_did_not_compare(stopped, folder, roomful):
    code, out, errors = roomful("replay", stopped, "--verify", "--json")
    report = json.loads(out)
    assert code == 0 and report["motions"] == 0, (out, errors)
    out = roomful("replay", stopped, "--verify")[1]
    assert "the same: " in out and "motion was told to nobody: not compared" in out and "0 motions" not in out, out
    assert roomful("export", stopped, "--to", "csv", folder / "out")[0] == 0
    about = {row["key"]: row["value"] for row in rows(folder / "out/about.csv")}
    assert about["program"] == about["exported by"] and report["recordedBy"].startswith(about["exported by"]), about


def test_a_recording_behind_another_in_one_file_is_named_and_not_mended_away(stopped, folder, roomful):
    one, both = stopped.read_bytes(), folder / "both.mcap"
    both.write_bytes(one * 2)
    code, out, _ = roomful("replay", both, "--verify")
    assert code == 1 and f"{len(one)} bytes follow its end: perhaps another recording" in out and "--mend" not in out, out
    assert "--mend" not in roomful("recordings", both)[1]
    code, out, _ = roomful("recordings", "--mend", both)
    assert code == 1 and "is left as it is" in out and both.read_bytes() == one * 2, out


def test_damage_in_a_recording_that_was_ended_is_not_mended_away(stopped, folder, roomful):
    from mcap.reader import make_reader

    with stopped.open("rb") as file:
        last = make_reader(file).get_summary().chunk_indexes[-1]
    whole, damaged = bytearray(stopped.read_bytes()), folder / "damaged.mcap"
    whole[last.chunk_start_offset + last.chunk_length - 20] ^= 1
    damaged.write_bytes(whole)
    for _ in range(2):
        code, out, _ = roomful("replay", damaged, "--verify")
        assert code == 1 and f"bytes {last.chunk_start_offset} to" in out and "killed" not in out, out
        code, out, _ = roomful("recordings", "--mend", damaged)
        assert code == 1 and "is left as it is" in out and damaged.read_bytes() == whole, out


def limited(size, environment, *arguments):
    """Runs a command that may make no file longer than that: as on a disk that is full."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    done = subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60, env=environment, preexec_fn=limit,
        check=False)
    return done.returncode, done.stderr


def data_end(recording):
    """Where a sound recording's end begins: before it stands what a killed recorder leaves."""
    return recording.read_bytes().rindex(b"\x0f\4\0\0\0\0\0\0\0")


def test_mending_changes_no_file_of_another_program_and_none_that_cannot_be_read_here(stopped, folder, environment, roomful):
    from mcap.writer import CompressionType, Writer

    evenings = stopped.parent
    for kind in CompressionType:
        with (evenings / f"robot-{kind.name}.mcap").open("wb") as file:
            writer = Writer(file, chunk_size=20_000, compression=kind)
            writer.start("ros2", library="rosbag2")
            schema = writer.register_schema("x", "jsonschema", b"{}")
            channel = writer.register_channel("/imu", "json", schema)
            for number in range(3_000):
                writer.add_message(channel, number, b'{"i":%d}' % (number * number), number)
            writer.finish()
            file.truncate(file.tell() * 4 // 5)
    os.truncate(stopped, data_end(stopped) - 7)
    # A machine without libzstd: whoever asks for it by name finds none.
    (folder / "none.c").write_text(
        '#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <string.h>\n'
        'void *dlopen(const char *name, int how) {\n'
        '    if (name && strstr(name, "libzstd")) return 0;\n'
        '    return ((void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen"))(name, how);\n}\n')
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "none.so", folder / "none.c"], check=True)
    bare = environment | {"LD_PRELOAD": str(folder / "none.so")}
    left = {path: path.read_bytes() for path in evenings.glob("*.mcap")}
    assert len(left) == 4
    for own in (stopped.read_bytes(), stopped.read_bytes() + b"\x06\xff"):
        stopped.write_bytes(own)
        done = subprocess.run(
            [os.path.abspath(PROGRAM), "recordings", "--mend"], cwd=evenings, env=bare, capture_output=True, text=True,
            check=False)
        assert done.returncode == 1 and "libzstd is missing here" in done.stdout, done
        assert stopped.read_bytes() == own
    # What nobody named, and no room recorded, is no failure.
    code, out, _ = roomful("recordings", "--mend", "--json", evenings)
    told = {row["path"]: row for row in map(json.loads, out.splitlines())}
    mended = told.pop(str(stopped))
    assert code == 0 and mended["mended"] and mended["finished"] and mended["cutOff"] > 2, out
    assert len(told) == 3 and all(not row["mended"] and "no room recorded it" in row["left"] for row in told.values()), out
    assert all(path.read_bytes() == content for path, content in left.items() if path != stopped)
    assert roomful("recordings", "--mend", evenings / "robot-NONE.mcap")[0] == 1


def test_a_recording_in_which_nothing_was_recorded_may_be_deleted_and_fails_no_folder(stopped, roomful):
    begun = stopped.with_name("begun.mcap")
    begun.write_bytes(stopped.read_bytes()[:60])
    for path, expected in ((stopped.parent, 0), (begun, 1)):
        code, out, _ = roomful("recordings", "--mend", path)
        assert code == expected and "it may be deleted" in out and begun.stat().st_size == 60, out


def test_a_full_disk_takes_nothing_of_what_is_to_be_mended(stopped, environment):
    # Of the end that it had begun to write, too little stands there for a whole one.
    os.truncate(stopped, data_end(stopped) + 20)
    was = stopped.read_bytes()
    done = limited(len(was) + 10, environment, "recordings", "--mend", stopped)
    assert done[0] == 1 and stopped.read_bytes() == was, done
    assert limited(len(was) * 2, environment, "recordings", "--mend", stopped)[0] == 0


def test_what_finds_no_room_on_the_disk_says_where_and_leaves_nothing_behind(stopped, folder, roomful, environment):
    results = folder / "results"
    for form in ("csv", "xdf", "sqlite"):
        code, errors = limited(4_096, environment, "export", stopped, "--to", form, results)
        assert code == 1 and f"cannot write {results}/" in errors and "name another folder" in errors, errors
        assert "Cocoa" not in errors and list(results.iterdir()) == [], errors
        assert roomful("export", stopped, "--to", form, results)[0] == 0
        for path in results.iterdir():
            path.unlink()
    # One file of several is there already: the others are not left beside it.
    (results / "about.csv").write_text("mine")
    assert roomful("export", stopped, "--to", "csv", results)[0] == 1
    assert [path.name for path in results.iterdir()] == ["about.csv"]
    assert (results / "about.csv").read_text() == "mine"
    without = results / "without.mcap"
    assert roomful("forget", stopped, "Blue", "--output", without)[0] == 0
    size = without.stat().st_size
    without.unlink()
    code, errors = limited(size * 9 // 10, environment, "forget", stopped, "Blue", "--output", without)
    assert code == 1 and f"cannot write {without}" in errors and "name another file" in errors, errors
    assert [path.name for path in results.iterdir()] == ["about.csv"]


def test_a_path_that_was_named_and_is_no_recording_is_a_failure(folder, roomful):
    evenings = folder / "evenings"
    evenings.mkdir()
    (evenings / "odd.mcap").write_text("no recording")
    assert roomful("recordings", evenings)[0] == 0, "of a folder some files may be others' own"
    for path in (folder / "nonexist", evenings / "odd.mcap"):
        code, out, _ = roomful("recordings", evenings, path)
        assert code == 1 and str(path) in out, out


def test_what_is_begun_in_the_middle_tells_events_as_they_were_kept_and_motion_as_it_came(folder, opened, joins, roomful):
    recording = folder / "late.mcap"
    host = opened("Late", "--json")
    joins("Blue", replay=DROPPED)
    until(lambda: json.loads(roomful("peers", "--json")[1]))
    assert roomful("record", "start", recording)[0] == 0
    until(lambda: json.loads(roomful("record", "status", "--json")[1]).get("events", 0) >= 10)
    assert roomful("mark", "second trial")[0] == 0
    until(lambda: json.loads(roomful("record", "status", "--json")[1]).get("marks") == 1)
    assert roomful("record", "stop")[0] == 0
    departed = json.loads(roomful("peers", "--json")[1])
    assert roomful("stop")[0] == 0 and host.wait(60) == 0
    live = heard(host)
    code, out, errors = roomful("replay", recording, "--speed", "0", "--json")
    told = [event for event in map(json.loads, out.splitlines()) if event["type"] != "mark"]
    numbers = [event["n"] for event in told]
    assert code == 0 and "in the middle" in errors and len(told) >= 10, errors
    assert told == [live[number] for number in numbers] and numbers == list(range(numbers[0], numbers[0] + len(told)))
    assert numbers[0] > 1, "somebody had joined before"
    for form in ("csv", "xdf", "sqlite"):
        code, _, errors = roomful("export", recording, "--to", form, folder / "exports")
        assert code == 0, errors
    exported = rows(folder / "exports/events.csv")
    assert [json.loads(row["json"]) for row in exported] == told
    assert [row["text"] for row in rows(folder / "exports/marks.csv")] == ["second trial"]
    assert any(row["key"] == "problem" and "in the middle" in row["value"] for row in rows(folder / "exports/about.csv"))
    # Motion is what the file held that Blue replays, sample by sample; the clock goes on from where it was known.
    motion = rows(folder / "exports/motion.csv")
    source = [true_force(row) for row in rows(DROPPED)]
    forces = [force(row, "gravity_", "user_") for row in motion]
    assert len(motion) > 100 and {row["player"] for row in motion} == {"1"}
    assert any(
        all(abs(value - source[(first + place) % len(source)]) < 0.01 for place, value in enumerate(forces))
        for first in range(len(source))), "samples are missing, or were invented"
    drift = [float(row["at_ms"]) / 1e3 - float(row["device_s"]) for row in motion]
    links = rows(folder / "exports/links.csv")
    assert max(drift) - min(drift) < 0.05 and all(row["clock_uncertainty_ms"] for row in links)
    # The books go on from before: the room's own at the end are the same.
    [books] = [peer for peer in departed if peer["name"] == "Blue"]
    assert int(links[-1]["datagrams"]) <= books["datagrams"]["unique"] and int(links[-1]["samples"]) > len(motion)
    assert roomful("report", recording, "--output", folder / "late.html")[0] == 0
    page = (folder / "late.html").read_text()
    assert "Blue" in page and "in the middle" in page and f"{len(motion)} samples" in page
    code, out, _ = roomful("replay", recording, "--verify", "--json")
    assert code == 1 and json.loads(out)["fromTheStart"] is False
    code, _, errors = roomful("forget", recording, "Blue", "--output", folder / "without.mcap")
    assert code == 0, errors
    assert roomful("export", folder / "without.mcap", "--to", "csv", folder / "without")[0] == 0
    assert rows(folder / "without/motion.csv") == [] and b"Blue" not in (folder / "without.mcap").read_bytes()


def test_a_re_zero_shows_in_what_is_exported(folder, opened, joins, roomful):
    host = opened("Zero", "--record", folder / "evening.mcap")
    joins("Blue", replay=TILT)
    delivered = lambda: sum(peer["samples"]["delivered"] for peer in json.loads(roomful("peers", "--json")[1] or "[]"))
    until(lambda: delivered() > 50)
    assert roomful("rezero", "P1")[0] == 0
    before = delivered()
    until(lambda: delivered() > before + 20)
    assert roomful("stop")[0] == 0 and host.wait(60) == 0
    assert f"recorded: all that happens here, to {folder}/evening.mcap" in host.stdout.read()
    assert roomful("export", folder / "evening.mcap", "--to", "csv", folder / "out")[0] == 0
    # What the room itself did is among nobody's marks.
    motion, marks = rows(folder / "out/motion.csv"), rows(folder / "out/marks.csv")
    counts = [row["rezeroes"] for row in motion]
    first = counts.index("1")
    assert set(counts) == {"0", "1"} and counts == sorted(counts) and marks == []
    # From then on it is the turn since: at first next to none.
    assert abs(float(motion[first]["attitude_w"])) > 0.99, motion[first]


def test_a_recorder_that_was_killed_leaves_a_file_that_plays_and_can_be_mended(recorded, folder, roomful):
    from mcap.reader import make_reader

    host, _ = recorded
    killed = answering(folder)
    host.kill()
    host.wait()
    [recording] = (folder / "evenings").glob("*.mcap")
    code, out, _ = roomful("replay", recording, "--verify", "--json")
    report = json.loads(out)
    assert code == 0 and report["same"] and not report["finished"] and report["events"] >= 10, out
    code, out, _ = roomful("replay", recording, "--verify")
    assert code == 0 and "the same as far as it goes" in out and "its end is missing" in out
    reserve = recording.with_name(recording.name + ".reserve")
    assert reserve.stat().st_size == 262_144
    before = recording.stat().st_size
    code, out, errors = roomful("recordings", "--mend", "--json", recording)
    [row] = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and row["mended"] and row["finished"] and "left" not in row, (out, errors)
    assert row["cutOff"] < before and recording.stat().st_size > before - row["cutOff"]
    assert not reserve.exists()
    code, _, err = roomful("export", recording, "--to", "csv", recording)
    assert code == 1 and "name a folder" in err and "Error Domain" not in err
    code, out, _ = roomful("replay", recording, "--verify", "--json")
    assert code == 0 and json.loads(out)["finished"], out
    with recording.open("rb") as file:
        reader = make_reader(file)
        assert reader.get_summary().statistics.message_count > 0
        [*_, (_, _, last)] = reader.iter_messages(topics=["roomful/inputs"])
        told = [json.loads(message.data)["n"] for _, _, message in reader.iter_messages(topics=["roomful/events"])]
    # A block's time is that of its first entry; it holds up to 0.2 s.
    assert killed - last.log_time / 1e9 <= 1, "more than a second was lost"
    # Those who read tables and pages alone hear of it, too; and of every event whose cause was not written any more.
    assert roomful("export", recording, "--to", "csv", folder / "exports")[0] == 0
    assert [int(row["n"]) for row in rows(folder / "exports/events.csv")] == sorted(told)
    assert any(row["key"] == "problem" and "its end is missing" in row["value"] for row in rows(folder / "exports/about.csv"))
    assert roomful("report", recording, "--output", folder / "evening.html")[0] == 0
    page = (folder / "evening.html").read_text()
    assert "What is missing" in page and "its end is missing" in page
    without = folder / "without.mcap"
    assert roomful("forget", recording, "Blue", "--output", without)[0] == 0
    code, out, _ = roomful("replay", without, "--verify", "--json")
    report = json.loads(out)
    assert code == 0 and report["finished"] and not report["complete"], "by being taken out somebody gave it an end"


def test_a_game_hears_a_recorded_evening_as_it_was(stopped, started):
    from mcap.reader import make_reader

    with stopped.open("rb") as file:
        told = [json.loads(m.data) for _, _, m in make_reader(file).iter_messages(topics=["roomful/events"])]
    replay = started("replay", stopped, "--http", "any", "--speed", "0")
    lines = []
    for line in replay.stdout:
        lines.append(line)
        if "the recording ends here" in line:
            break
    base, token = re.search(r"(http://127\.0\.0\.1:\d+/)\S*#t=(\S+)", "".join(lines)).groups()
    heard = []
    request = urllib.request.Request(f"{base}api/events?after=0&motion=1", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=60) as stream:
        while len(heard) <= len(told):
            line = stream.readline().decode()
            if line.startswith("data:"):
                heard.append(json.loads(line[5:]))
    hello, *heard = heard
    assert hello["type"] == "hello" and hello["room"] == "Recorded"
    assert heard == told[:len(heard)] and len(heard) >= 20
    status = urllib.request.Request(
        f"{base}api/commands", json.dumps({"task": "kick", "who": "P1"}).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(status, timeout=60)
    replay.send_signal(signal.SIGINT)
    assert replay.wait(60) == 0


def test_gestures_are_theirs_who_made_them(folder, opened, joins, roomful):
    """Whatever number they had then; and a device without a gyroscope has no rotation in any file."""
    recording = folder / "evening.mcap"
    host = opened("Swapped", "--record", recording)

    def events():
        return json.loads(roomful("record", "status", "--json")[1] or "{}").get("events", 0)

    for name in ("Blue", "Red"):
        joins(name, replay=DROPPED)
        # Whoever comes first is well ahead, and so are their numbers apart.
        told = events()
        until(lambda: name in roomful("peers", "--json")[1] and events() >= told + 24)
    assert roomful("seat", "swap", "P1", "P2")[0] == 0
    swapped = events()
    until(lambda: events() >= swapped + 24)
    assert roomful("stop")[0] == 0 and host.wait(60) == 0
    told = [json.loads(line) for line in roomful("replay", recording, "--speed", "0", "--json")[1].splitlines()]
    names = {event["controllers"][0]: event["name"] for event in told if event["type"] == "player"}
    made = {name: 0 for name in names.values()}
    for event in told:
        if event["type"] == "gesture" and event["phase"] == "began":
            [maker] = event["controllers"]
            made[names[maker]] += 1
    assert set(made) == {"Blue", "Red"} and made["Blue"] > made["Red"] > 0, made
    assert roomful("report", recording, "--output", folder / "evening.html")[0] == 0
    page = (folder / "evening.html").read_text()
    shown = {name: int(count) for name, count in re.findall(r"<figcaption>(\w+) \(.*?samples, (\d+) gestures", page)}
    assert shown == made
    assert roomful("export", recording, "--to", "csv", folder / "tables")[0] == 0
    motion = rows(folder / "tables/motion.csv")
    assert {row["source"] for row in motion} == {"acceleration"} and len(motion) > 500
    assert {row["rotation_x"] + row["rotation_y"] + row["rotation_z"] for row in motion} == {""}
    assert all(row["user_z"] for row in motion[-200:])


def test_a_native_controller_is_told_with_its_seat_and_after_it_whether_the_room_is_recorded(folder, opened, started, roomful):
    """Also when nobody ends a recording, but what happens to its file."""
    opened("Told")

    def joined(name):
        return started("join", "--code-file", folder / "ticket", "--as", name, "--replay", TILT, "--loop", "--json",
                       ROOMFUL_STATE=str(folder / name))

    def isRecorded(program):
        said = (json.loads(line) for line in program.stdout if line.startswith("{"))
        return next(event["recorded"] for event in said if event["type"] == "seated")

    early = joined("Early")
    assert isRecorded(early) is False
    assert roomful("record", "start", folder / "evening.mcap")[0] == 0
    assert isRecorded(early) is True
    assert isRecorded(joined("Late")) is True
    assert roomful("record", "stop")[0] == 0
    assert isRecorded(early) is False
    assert roomful("record", "start", folder / "lost.mcap")[0] == 0
    assert isRecorded(early) is True
    (folder / "lost.mcap").unlink()
    assert isRecorded(early) is False
    assert json.loads(roomful("peers", "--status", "--json")[1])["isRecorded"] is False
    assert isRecorded(joined("Last")) is False
