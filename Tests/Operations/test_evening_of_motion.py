"""Recordings of motion become evenings: what is exported of one is the motion that went in."""
import collections
import json
import subprocess

from conftest import PROGRAM
from evenings import force, rows, true_force
from rooms import ROOT
from waiting import until


def test_an_evening_is_made_of_motion_and_holds_it_sample_by_sample(folder, environment, roomful):
    """Against the source file itself: so many samples, at these times, with this force on the sensor."""
    tilt, tremor = (ROOT / "Recordings" / name for name in ("demo/tilt.csv", "coremotion/ios_rest_tremor.csv"))
    evening = folder / "motion.mcap"
    made = subprocess.run(
        [ROOT / "Scripts/evening-of.sh", "--program", PROGRAM, "--about", "BROAD, CC BY 4.0", evening, tilt, tremor],
        capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert made.returncode == 0 and made.stdout.startswith("the same:"), (made.stdout, made.stderr)
    assert roomful("export", evening, "--to", "csv", folder / "out")[0] == 0
    assert {row["key"]: row["value"] for row in rows(folder / "out/about.csv")}["description"] == "BROAD, CC BY 4.0"
    motion = rows(folder / "out/motion.csv")
    players = {player: [row for row in motion if row["player"] == player] for player in {row["player"] for row in motion}}
    # What waits for longer than a second, on a machine that stands still, is late, and no motion; after two its sender
    # gives it up. The books have it, up to the last row, which is of the link's end.
    books = {row["player"]: row for row in rows(folder / "out/links.csv")}
    assert all(row["samples_missing"] == "0" for row in books.values()), books
    late = {player: int(row["samples_late"]) + int(row["samples_abandoned"]) for player, row in books.items()}
    sources = {len(found): found for found in (rows(tilt), rows(tremor))}
    counts = {player: len(told) + late[player] for player, told in players.items()}
    assert sorted(counts.values()) == sorted(sources), ("samples are missing, or were invented", counts, books)
    assert {player: int(row["samples"]) + late[player] for player, row in books.items()} == counts, books
    for player, told in players.items():
        pairs = matched(told, sources[counts[player]], late[player])
        assert pairs, f"player {player}, {len(told)} told, {late[player]} late, moved at other times than in the file"
        for heard, was in pairs:
            assert abs(force(heard, "gravity_", "user_") - true_force(was)) < 0.01, (heard, was)


def test_a_room_that_is_closed_while_all_play_told_every_sample_that_its_books_hold(folder, environment, roomful):
    evening, ticket = folder / "closed.mcap", folder / "ticket"
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
    host = subprocess.Popen([PROGRAM, "host", "Closed", "--seats", "6", "--policy", "open", "--discovery", "none", "--http",
                             "off", "--code-file", ticket, "--record", evening], **quiet)
    fleet = None
    try:
        until(lambda: ticket.exists() and ticket.stat().st_size > 0)
        fleet = subprocess.Popen([PROGRAM, "lab", "fleet", "--room", "Closed", "--controllers", "6", "--rate", "200", "--for",
                                  "120s", "--network", "loss=5%,delay=20±10ms", "--seed", "3"], **quiet)

        def played():
            peers = json.loads(roomful("peers", "--json")[1] or "[]")
            return len(peers) == 6 and all(peer["samples"]["delivered"] > 400 for peer in peers)

        until(played)
        assert roomful("stop")[0] == 0 and host.wait(60) == 0
    finally:
        for process in filter(None, (fleet, host)):
            process.kill()
            process.wait()
    assert roomful("export", evening, "--to", "csv", folder / "out")[0] == 0
    told = collections.Counter(row["controller"] for row in rows(folder / "out/motion.csv"))
    books = {row["controller"]: int(row["samples"]) for row in rows(folder / "out/links.csv")}
    assert len(books) == 6 and told == books


def matched(told, source, late):
    """Each sample that was told with the one of the file at its time; `late` of the file's may be left out, the first too."""
    key = "t_s" if "t_s" in source[0] else "t_ms"
    times = [float(each[key]) for each in source]
    for first in range(late + 1):
        shift, place, pairs = float(told[0]["device_s"]) - times[first], 0, []
        for each in told:
            while place < len(times) and abs(float(each["device_s"]) - shift - times[place]) >= 2e-3:
                place += 1
            if place == len(times):
                break
            pairs.append((each, source[place]))
            place += 1
        if len(pairs) == len(told):
            return pairs
    return None
