"""Whom a recording names: labels in place of people, from its first byte, and somebody who is to be forgotten."""
import json
import subprocess

from conftest import PROGRAM
from evenings import content, rows
from rooms import DROPPED, ROOT, active, is_written
from waiting import until


def test_labels_stand_for_people_from_the_first_byte_and_somebody_can_be_forgotten(folder, opened, joins, roomful):
    from mcap.reader import make_reader

    def record(number, *more):
        path = folder / f"evening{number}.mcap"
        host = opened(f"Study {number}", "--names", "free", "--record", path, *more, policy="code", ticket=f"ticket{number}",
                      ROOMFUL_STATE=str(folder / f"state{number}"))
        joined = [joins(name, ticket=f"ticket{number}", replay=DROPPED) for name in ("Annabel", "Bertram")]
        state = {"ROOMFUL_STATE": str(folder / f"state{number}")}
        until(lambda: json.loads(roomful("record", "status", "--json", **state)[1] or "{}").get("events", 0) >= 12)
        assert roomful("kick", "Bertram", **state)[0] == 0
        if more:
            # Another file, begun in the middle, names nobody either.
            until(lambda: [peer["name"] for peer in json.loads(roomful("peers", "--json", **state)[1])] == ["Annabel"])
            assert roomful("record", "start", folder / f"later{number}.mcap", **state)[0] == 0
            until(lambda: json.loads(roomful("record", "status", "--json", **state)[1]).get("events", 0) >= 6)
        assert roomful("stop", **state)[0] == 0 and host.wait(60) == 0
        for process in joined:
            process.kill()
        return path

    def people(path):
        with path.open("rb") as file:
            events = [json.loads(m.data) for _, _, m in make_reader(file).iter_messages(topics=["roomful/events"])]
        told = [event for event in events if event["type"] == "player"]
        # By name he was kicked, and by label he is, too.
        assert {event["state"] for event in told} >= {"joined", "left"}, told
        return {id for event in told for id in event["controllers"]}

    def end(path):
        with path.open("rb") as file:
            notes = [m for _, _, m in make_reader(file).iter_messages(topics=["roomful/notes"])]
        return json.loads(notes[-1].data)["note"], notes[-1].log_time

    key = ("--pseudonyms", folder / "study.key")
    one, two, named = record(1, *key), record(2, *key), record(3)
    assert (folder / "study.key").stat().st_mode & 0o077 == 0
    ids = people(named)
    assert len(ids) == 2 and b"Annabel" in content(named)
    later = [folder / f"later{number}.mcap" for number in (1, 2)]
    for path in (one, two, *later):
        for word in [b"Annabel", b"Bertram", *(id.encode() for id in ids), *(bytes.fromhex(id) for id in ids)]:
            assert word not in content(path), word
        assert roomful("replay", path, "--verify")[0] == (0 if path in (one, two) else 1)
    for path in later:
        assert roomful("export", path, "--to", "csv", folder / path.stem)[0] == 0
        assert {row["controller"] for row in rows(folder / path.stem / "motion.csv")} < people(one)
    assert people(one) == people(two) and people(one).isdisjoint(ids)

    assert roomful("forget", named, "Annabel")[0] == 0
    left = folder / "evening3-without-one.mcap"
    assert roomful("replay", left, "--verify")[0] == 0
    assert b"Annabel" not in content(left) and b"Bertram" in content(left)
    assert len(people(left) & ids) == 1
    assert end(left) == end(named) and end(named)[0] == "complete", "it ended when it ended, not when this was made"
    code, _, problem = roomful("forget", named, "Nobody", "--output", folder / "x.mcap")
    assert code != 0 and "Annabel" in problem.replace("annabel", "Annabel")


def test_labels_change_nothing_of_an_evening_but_names_and_ids(folder, environment, started, roomful):
    """Against what the room itself told: every event, and what became of every haptic."""
    ticket, path = folder / "ticket", folder / "evening.mcap"
    with (folder / "told").open("w") as told:
        host = subprocess.Popen(
            [PROGRAM, "host", "Study", "--policy", "open", "--discovery", "none", "--http", "off", "--json", "--contest",
             "keepcalm-jump", "--record", path, "--pseudonyms", folder / "key", "--code-file", ticket],
            stdin=subprocess.DEVNULL, stdout=told, stderr=subprocess.DEVNULL, env=environment)
    try:
        until(lambda: is_written(ticket))
        joined = [started("join", "--as", name, "--replay", ROOT / f"Recordings/demo/{motion}.csv", "--code-file", ticket,
                          ROOMFUL_STATE=str(folder / name)) for name, motion in (("Ann", "drop"), ("Bob", "toss"))]
        assert [player.wait(60) for player in joined] == [0, 0]
        assert roomful("stop")[0] == 0 and host.wait(60) == 0
    finally:
        host.kill()
        host.wait()

    def events(text):
        all_events = [json.loads(line) for line in text.splitlines()]
        return [{key: value for key, value in event.items() if key not in ("name", "controller", "controllers")}
                for event in all_events if event["type"] != "hello"]

    was, kept = events((folder / "told").read_text()), events(roomful("replay", path, "--speed", "0", "--json")[1])
    assert sum(event["type"] == "haptic" and event["outcome"] == "played" for event in was) > 5
    assert kept == was


def test_who_was_turned_away_and_whoever_was_named_can_be_forgotten(folder, opened, joins, roomful):
    recording = folder / "evening.mcap"
    host = opened("Turned", "--record", recording, policy="ask")
    roomful("identify", "Quentin")
    joins("Quentin", replay=DROPPED)
    until(lambda: "Quentin" in roomful("accept", "--json")[1] + roomful("accept")[1])
    assert roomful("decline", "Quentin", "--message", "Quentin, another day")[0] == 0
    assert roomful("stop")[0] == 0 and host.wait(60) == 0
    assert b"Quentin" in content(recording)
    without = folder / "without.mcap"
    code, out, errors = roomful("forget", recording, "Quentin", "--output", without)
    assert code == 0, errors
    assert b"Quentin" not in content(without)


def test_a_recording_that_is_begun_once_people_have_agreed_has_labels_for_them_too(folder, opened, joins, roomful):
    host = opened("Study", "--pseudonyms", folder / "study.key")
    joins("Annabel", replay=DROPPED)
    until(lambda: "Annabel" in active(roomful))
    assert (folder / "study.key").stat().st_mode & 0o077 == 0
    path = folder / "later.mcap"
    assert roomful("record", "start", path, "--record-consent", "all, in writing")[0] == 0
    until(lambda: json.loads(roomful("record", "status", "--json")[1]).get("events", 0) >= 3)
    assert roomful("stop")[0] == 0 and host.wait(60) == 0
    assert b"Annabel" not in content(path)
    assert b"all, in writing" in content(path)


def test_it_is_said_where_a_name_still_stands_and_marks_and_consent_can_be_left_out(folder, opened, started, joins, roomful):
    recording, without = folder / "evening.mcap", folder / "without.mcap"
    consent = ("--record-consent", "Anna Apfel and Bert Birne agreed", "--record-description", "a study")
    host = opened("Study", "--names", "free", "--record", recording, *consent)
    joins("Bert Birne", replay=DROPPED)
    until(lambda: "Bert Birne" in roomful("peers")[1])
    for text in ("bert stumbled", "second trial"):
        assert roomful("mark", text)[0] == 0
    lesson = started("teach", "birnesign", "--player", "P1")
    assert lesson.stdout.readline().startswith("1 of 3")
    assert roomful("stop")[0] == 0 and host.wait(60) == 0
    code, out, errors = roomful("forget", recording, "P1", "--output", without, "--json")
    named = json.loads(out)["named"]
    assert code == 0 and {"a mark, \"bert stumbled\"", "the consent, \"Anna Apfel and Bert Birne agreed\"",
                         "the name of a taught gesture, \"birnesign\""} == set(named), named
    assert not [place for place in named if "second trial" in place or "a study" in place]
    assert all(f"still: in {place}" in errors for place in named)
    more = ("--without-marks", "--consent", "one of two agreed", "--description", "")
    code, out, errors = roomful("forget", recording, "P1", "--output", folder / "none.mcap", "--json", *more)
    assert code == 0 and not [place for place in json.loads(out)["named"] if "gesture" not in place]
    left = content(folder / "none.mcap").lower()
    assert b"bert" not in left and b"one of two agreed" in left and b"a study" not in left and b"second trial" not in left


def test_nobody_is_kept_in_by_a_name_that_means_another(folder, opened, joins, roomful):
    """Who is meant goes by the one rule of the room: a player before a name, the first way in which anyone is meant."""
    recording, without = folder / "evening.mcap", folder / "without.mcap"
    host = opened("Study", "--names", "free", "--record", recording)
    joins("Annabel", replay=DROPPED)
    until(lambda: "Annabel" in active(roomful))
    joins("P1", replay=DROPPED)
    until(lambda: active(roomful) == {"Annabel": 1, "P1": 2}, lambda: active(roomful))
    assert roomful("stop")[0] == 0 and host.wait(60) == 0
    code, _, errors = roomful("forget", recording, "P1", "--output", without)
    assert code == 0, errors
    assert b"Annabel" in content(recording) and b"Annabel" not in content(without)
