"""A configuration that is read anew while people play: what is taken over, what waits, and what a wrong one changes."""
import json
import os
import shutil
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

import pytest
from conftest import PROGRAM
from door import ask
from rooms import TILT, active, keys, put, reloaded, text
from waiting import PATIENCE, settled, until


def test_what_can_change_is_taken_over_and_what_cannot_says_why(hall, joins, roomful, folder):
    host = hall(text(seats=1))
    shutil.copy(folder / "ticket", folder / "without")
    joins("Blue")
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    put(folder / "rooms.toml", text(seats=3, policy='"code"', idle='"20s"', port=1, mode='"collaborative"'))
    report = reloaded(roomful)
    found = keys(report)
    assert {key for key, each in found.items() if each["isTaken"]} == {"seats", "policy", "idle"}
    assert (found["policy"]["from"], found["policy"]["to"]) == ("open", "code")
    assert (found["idle"]["from"], found["idle"]["to"]) == ("10s", "20s")
    assert "know this port" in found["port"]["note"] and "settled" in found["mode"]["note"]
    # The room itself, not the report: nobody comes in without the code, with the new ticket one does, and Blue plays on.
    code, _, err = roomful("join", "--code-file", folder / "without", "--as", "Red", "--replay", TILT, ROOMFUL_STATE=str(folder / "Red"))
    assert code == 1 and "code" in err, err
    assert host.poll() is None
    joins("Red")
    assert settled(lambda: active(roomful), {"Blue": 1, "Red": 2}) == {"Blue": 1, "Red": 2}
    # What waits for a restart is told again, what was taken over is not.
    assert set(keys(reloaded(roomful))) == {"port", "mode"}
    code, out, _ = roomful("reload")
    assert code == 0 and 'port: "0" to "' in out and "not before a restart" in out and "policy" not in out


def test_as_it_was_nothing_is_said_to_change(hall, roomful, folder):
    hall(text())
    assert reloaded(roomful) == {"file": str(folder / "rooms.toml"), "rooms": [{"keys": [], "name": "Hall"}]}
    assert "nothing has changed" in roomful("reload")[1]


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (text(policy='"ask"') + "seets = 3\n", 6, "did you mean seats?"),
        (text(policy='"ask"', seats=0), 6, "1 to 10000 seats"),
        (text(policy='"ask"', idle='"1ms"'), 6, "idle must be"),
        (text(policy='"ask"', play='"keepclam"'), 6, "there is no game"),
        (text(policy='"ask"', serve='"gone"'), 6, "there is no"),
        (text(policy='"ask"', contest='"jump"', contest_cap='"1h"'), 7, "contest cap"),
        (text(policy='"ask"') + "[[room\n", 6, ""),
        ("policy = 7", 1, "policy"),
    ],
)
def test_a_wrong_file_changes_nothing_and_is_named_with_its_line(hall, joins, roomful, folder, content, line, words):
    host = hall(text())
    joins("Blue")
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    put(folder / "rooms.toml", content)
    code, out, err = roomful("reload")
    assert (code, out) == (2, "") and f"rooms.toml:{line}: " in err and words in err, err
    host.send_signal(signal.SIGHUP)
    assert "not taken over" in host.manager.hears("READY=1")
    assert active(roomful) == {"Blue": 1}
    joins("Red")
    assert settled(lambda: active(roomful), {"Blue": 1, "Red": 2}) == {"Blue": 1, "Red": 2}


@pytest.mark.parametrize("content", ["", " \n\t\n"])
def test_a_file_that_holds_nothing_changes_nothing(hall, roomful, folder, content):
    """As it lies there for a moment while it is written in place, or for good where the disk was full."""
    hall(text(seats=3))
    put(folder / "rooms.toml", content)
    code, out, err = roomful("reload")
    assert (code, out) == (2, "") and "rooms.toml is empty" in err
    put(folder / "rooms.toml", text(seats=3))
    assert "nothing has changed" in roomful("reload")[1]


def test_of_two_rooms_none_changes_where_one_is_wrong(hall, roomful, folder):
    def both(hall, kitchen):
        room = '[[room]]\nname = "{}"\ndiscovery = "none"\nhttp = "off"\n{}\n'
        return room.format("Hall", hall) + room.format("Kitchen", kitchen)

    hall(both("seats = 2", "seats = 2"))
    put(folder / "rooms.toml", both("seats = 3", "seats = 30000"))
    assert roomful("reload")[0] == 2

    put(folder / "rooms.toml", both("seats = 3", "seats = 2"))
    report = reloaded(roomful)
    assert keys(report)["seats"]["isTaken"] and keys(report)["seats"]["from"] == "2" and keys(report, "Kitchen") == {}
    # A room that is new, and one that is not written down any more.
    put(folder / "rooms.toml", both("seats = 3", "").replace("Kitchen", "Attic"))
    notes = {room["name"]: room.get("note") for room in reloaded(roomful)["rooms"]}
    assert "next start" in notes["Attic"] and "stays open" in notes["Kitchen"] and notes["Hall"] is None


def test_another_name_waits_and_the_rest_does_not(hall, roomful, folder):
    hall(text())
    put(folder / "rooms.toml", text(name='"Attic"', seats=2))
    found = keys(reloaded(roomful))
    assert not found["name"]["isTaken"] and found["seats"]["isTaken"]


def test_seats_that_are_taken_stay(hall, joins, roomful, folder):
    hall(text(seats=2))
    first = joins("Blue")
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    joins("Red")
    assert settled(lambda: active(roomful), {"Blue": 1, "Red": 2}) == {"Blue": 1, "Red": 2}
    put(folder / "rooms.toml", text(seats=1))
    seats = keys(reloaded(roomful))["seats"]
    assert not seats["isTaken"] and "seat 2 is taken" in seats["note"]
    assert active(roomful) == {"Blue": 1, "Red": 2} and first.poll() is None
    assert roomful("kick", "Red")[0] == 0
    assert keys(reloaded(roomful))["seats"]["isTaken"]


def test_a_key_that_comes_with_what_is_usual_changes_nothing(hall, roomful, folder):
    hall(text(policy='"code"'))
    put(folder / "rooms.toml", text(policy='"code"', grace='"30s"', tie='"share"'))
    report = reloaded(roomful)
    assert keys(report) == {}, report


def test_a_contest_about_what_the_room_does_not_watch_for_waits_and_the_rest_does_not(hall, roomful, folder):
    """The paper's jump: a contest about it brings it when the room is opened, and not while people play."""
    hall(text(contest='"jump"'))
    put(folder / "rooms.toml", text(contest='"keepcalm-jump"', seats=3, tie='"draw"'))
    for _ in range(2):
        found = keys(reloaded(roomful))
        assert not found["contest"]["isTaken"] and "keepcalm-jump" in found["contest"]["note"] and "gestures" not in found, found
    assert json.loads(roomful("peers", "--json", "--status")[1])["seats"] == 3
    put(folder / "rooms.toml", text(contest='"jump,shake"', seats=3, tie='"draw"'))
    assert keys(reloaded(roomful))["contest"]["isTaken"]


def test_gestures_that_a_file_brings_later_are_not_said_to_be_watched_for(hall, roomful, folder):
    (folder / "gestures.toml").write_text("[keepcalm-jump]\n")
    hall(text(contest='"jump"'))
    put(folder / "rooms.toml", text(contest='"jump"', gestures='"gestures.toml"'))
    for _ in range(2):
        assert not keys(reloaded(roomful))["gestures"]["isTaken"]
    put(folder / "gestures.toml", '[hop]\nlike = "jump"\n')
    put(folder / "rooms.toml", text(contest='"hop"', gestures='"gestures.toml"'))
    found = keys(reloaded(roomful))
    assert not found["gestures"]["isTaken"] and not found["contest"]["isTaken"] and "hop" in found["contest"]["note"], found


def test_a_contest_about_the_papers_jump_gives_way_while_it_runs(hall, roomful, folder):
    hall(text(contest='"keepcalm-jump"'))
    put(folder / "rooms.toml", text(contest='"jump"'))
    found = keys(reloaded(roomful))
    assert found["contest"]["isTaken"] and "gestures" not in found, found
    assert keys(reloaded(roomful)) == {}


def test_thresholds_of_gestures_and_the_game_change_while_it_runs(hall, roomful, folder):
    (folder / "gestures.toml").write_text("[jump]\npush = 1.9\n")
    hall(text(http='"any"', gestures='"gestures.toml"', play='"keepcalm"'))
    page = json.loads(roomful("open", "--print", "--json")[1])["pages"][0]
    address = page.split("/operator/")[0]
    title = urllib.request.urlopen(address + "/game/", timeout=PATIENCE).read()
    put(folder / "gestures.toml", "[jump]\npush = 2.1\n")
    put(folder / "rooms.toml", text(http='"any"', gestures='"gestures.toml"', play='"duel"'))
    found = keys(reloaded(roomful))
    assert found["gestures"]["isTaken"] and "other thresholds" in found["gestures"]["note"] and found["play"]["isTaken"]
    other = urllib.request.urlopen(address + "/game/", timeout=PATIENCE).read()
    assert title != other and b"uel" in other
    put(folder / "gestures.toml", '[hop]\nlike = "jump"\n')
    assert not keys(reloaded(roomful))["gestures"]["isTaken"]
    put(folder / "gestures.toml", "[jump]\npush = 1900\n")
    code, _, err = roomful("reload")
    assert code == 2 and "push" in err


def goes_by(folder):
    """The room's seats and policy, as itself says."""
    status = ask(next((folder / "state").rglob("*.sock")), {"task": "status"})[0]["status"]
    return status["seats"], status["policy"]


def test_a_storm_of_signals_ends_with_the_last_file(hall, joins, roomful, folder):
    host = hall(text())
    joins("Blue")
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    for count in range(100):
        put(folder / "rooms.toml", text(seats=5 + count % 7, policy='"ask"' if count % 2 else '"open"'))
        host.send_signal(signal.SIGHUP)
        time.sleep(0.01)
    # The last signal came after the last file: what the room goes by in the end is that file, without another word.
    assert settled(lambda: goes_by(folder), (6, "ask")) == (6, "ask")
    # The last signal's reading may be under way, and says so to whoever asks for another one.
    tries = []
    assert settled(lambda: tries.append(roomful("reload", "--json")) or "being read already" in tries[-1][2], False) is False
    code, out, err = tries[-1]
    assert code == 0 and keys(json.loads(out)) == {}, (out, err)
    assert active(roomful) == {"Blue": 1} and host.poll() is None
    host.terminate()
    said = host.stdout.read()
    assert 1 <= said.count('policy: "') <= 100


def test_a_file_that_is_being_written_is_not_believed(hall, roomful, folder):
    path = folder / "rooms.toml"
    whole = text(seats=8, grace='"1h"')
    hall(whole)
    # Its first half is a file that can be taken, too, and says something else.
    half = whole[: whole.index("grace")]
    stop = threading.Event()

    def write():
        while not stop.is_set():
            with path.open("w") as file:
                file.write(half)
                file.flush()
                time.sleep(0.02)
                file.write(whole[len(half) :])
            time.sleep(0.02)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(3):
            code, out, err = roomful("reload")
            assert code == 2 and "being written" in err or code == 0 and "nothing has changed" in out, (out, err)
    finally:
        stop.set()
        writer.join()
    assert keys(reloaded(roomful)) == {}


def test_a_writer_that_stalls_in_the_middle_is_waited_for(hall, roomful, folder):
    whole = text(seats=8, grace='"1h"')
    hall(whole)
    half = whole[: whole.index("grace")]
    with (folder / "rooms.toml").open("w") as file:
        file.write(half)
        file.flush()
        code, _, err = roomful("reload")
        assert code == 2 and "being written" in err, err
        file.write(whole[len(half) :])
    assert keys(reloaded(roomful)) == {}


def test_links_are_followed_and_only_files_are_read(hall, roomful, folder):
    hall(text())
    path = folder / "rooms.toml"
    (folder / "other.toml").write_text(text(seats=7))

    def lead(target):
        beside = folder / "link"
        beside.symlink_to(target)
        beside.rename(path)

    lead("other.toml")
    assert keys(reloaded(roomful))["seats"]["to"] == "7"
    os.mkfifo(folder / "pipe")
    (folder / "long").write_text("#" * 300_000)
    (folder / "bytes").write_bytes(b"seats = 1\n\xff\n")
    for target in ("pipe", ".", "gone", "link", "long", "bytes", "/dev/zero"):
        lead(target)
        code, _, err = roomful("reload")
        assert code == 2 and "rooms.toml" in err, (target, err)
    lead("other.toml")
    assert keys(reloaded(roomful)) == {}


def test_a_brokers_password_is_neither_told_nor_kept_where_all_may_read_it_without_a_word(hall, roomful, folder):
    host = hall(text(site='"hall:s3cret@127.0.0.1:1"'))
    put(folder / "rooms.toml", text(site='"hall:0ther@127.0.0.1:1,nats://hall:0ther@127.0.0.1:2"'))
    site = keys(reloaded(roomful))["site"]
    assert (site["from"], site["to"]) == ("…@127.0.0.1:1", "…@127.0.0.1:1,nats://…@127.0.0.1:2")
    host.terminate()
    said, _ = host.communicate(timeout=30)
    assert "s3cret" not in said and "0ther" not in said
    assert "every user of this machine can read the password or token that stands in" in said


def test_nobody_but_the_operator_may(hall, roomful, folder):
    hall(text(http='"any"'))
    links = json.loads(roomful("open", "--print", "--json")[1])
    address, token = links["pages"][0].split("/operator/#t=")
    game = links["game"].split("#t=")[1]
    put(folder / "rooms.toml", text(http='"any"', seats=9))

    def ask(bearer):
        request = urllib.request.Request(
            address + "/api/commands", data=b'{"task":"reload"}', headers={"authorization": f"Bearer {bearer}"} if bearer else {})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    assert ask(None)[0] == 401 and ask("A" * 43)[0] == 401
    assert ask(game)[0] == 403
    status, answer = ask(token)
    assert status == 200 and keys(answer["reload"])["seats"]["to"] == "9"


def test_people_come_in_while_it_is_read(hall, joins, roomful, folder):
    hall(text(seats=8))
    names = [f"Pad{number}" for number in range(8)]
    for count, name in enumerate(names):
        joins(name)
        put(folder / "rooms.toml", text(seats=8, grace=f'"{30 + count}s"', idle=f'"{10 + count}s"'))
        assert keys(reloaded(roomful))["grace"]["isTaken"] if count else True
    assert set(settled(lambda: set(active(roomful)), set(names))) == set(names)


def test_a_service_manager_hears_when_it_begins_and_when_it_is_done(hall, folder):
    host = hall(text())
    put(folder / "rooms.toml", text(seats=9, port=9))
    before = time.monotonic_ns() // 1_000
    host.send_signal(signal.SIGHUP)
    began = host.manager.hears("RELOADING=1")
    assert before <= int(began.split("MONOTONIC_USEC=")[1]) <= time.monotonic_ns() // 1_000
    assert host.manager.hears("READY=1") == "READY=1\nSTATUS=1 taken over, 1 at the next start"


def test_a_room_without_a_file_says_so_and_one_without_a_room_too(started, roomful, folder):
    assert roomful("reload")[0] == 3
    host = started("host", "Hall", "--discovery", "none", "--http", "off", "--json")
    until(lambda: roomful("peers")[0] == 0)
    code, _, err = roomful("reload")
    assert code == 2 and "host --config FILE" in err
    host.send_signal(signal.SIGHUP)
    assert host.wait(PATIENCE) == 0, "without a file it is the end, with goodbyes"


def test_a_room_that_was_begun_by_nohup_outlives_its_terminal(roomful, environment):
    host = subprocess.Popen(
        ["nohup", PROGRAM, "host", "Hall", "--discovery", "none", "--http", "off", "--json"], env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert settled(lambda: roomful("peers")[0], 0) == 0
        host.send_signal(signal.SIGHUP)
        time.sleep(1)
        assert host.poll() is None and roomful("peers")[0] == 0
        host.terminate()
        assert host.wait(PATIENCE) == 0
    finally:
        host.kill()
        host.wait()


def test_a_terminal_that_is_closed_ends_the_room_with_its_goodbyes(environment, roomful, folder):
    import pty

    put(folder / "rooms.toml", text())
    child, terminal = pty.fork()
    if child == 0:
        os.execve(PROGRAM, [PROGRAM, "host", "--config", str(folder / "rooms.toml"), "--json"], environment)
    try:
        until(lambda: roomful("peers")[0] == 0)
        os.close(terminal)
        _, how = until(lambda: (ended := os.waitpid(child, os.WNOHANG))[0] == child and ended)
        assert os.WIFEXITED(how), how
    finally:
        try:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def test_the_unit_reloads_by_the_same_way(roomful):
    assert "\nExecReload=/usr/bin/roomful reload\n" in roomful("service", "unit")[1]


def test_the_label_goes_with_the_game_that_is_played(hall, roomful, folder):
    def game():
        return json.loads(roomful("peers", "--json", "--status")[1]).get("game")

    hall(text(play='"keepcalm"'))
    assert game() == "keepcalm"
    put(folder / "rooms.toml", text(play='"cube"'))
    assert "play" in keys(reloaded(roomful))
    assert game() == "cube"
