"""The log has a line for each operator's command, by whichever door it came, and none for what games do all the time; no
name and no word that was said stands in it."""
import json
import os
import subprocess
import urllib.request

import pytest
from conftest import PROGRAM
from rooms import active, is_written, text
from waiting import PATIENCE, settled, until


def test_it_says_by_which_door_and_with_what(hall, joins, roomful):
    host = hall(text(http='"any"'))
    joins("Blue")
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    blue = json.loads(roomful("peers", "--json")[1])[0]["controller"][:8]
    links = json.loads(roomful("open", "--print", "--json")[1])
    address, token = links["pages"][0].split("/operator/#t=")
    game = links["game"].split("#t=")[1]

    def post(bearer, **command):
        request = urllib.request.Request(
            address + "/api/commands", data=json.dumps(command).encode(), headers={"authorization": f"Bearer {bearer}"})
        assert urllib.request.urlopen(request, timeout=PATIENCE).status == 200

    post(token, task="lock")
    post(token, task="status")
    post(token, task="recordStatus")
    post(game, task="send", who="P1", text="by a game")
    post(token, task="seatMove", who="P1", seat=3)
    assert roomful("unlock")[0] == 0
    post(token, task="send", who="Blue", text="by the operator")
    post(token, task="rename", who="Blue", name="Red")
    assert roomful("kick", "red", "--message", "Time is up")[0] == 0
    assert roomful("kick", "Nobody")[0] == 1
    assert roomful("stop")[0] == 0
    lines = [line for line in host.stdout.read().splitlines() if " roomful.operator: " in line]
    said = [line.split(" roomful.operator: ")[1] for line in lines]
    assert [each for each in said if not each.startswith("pages")] == [
        "lock, by the page", "seatMove P1, seat 3, by the page", "unlock, by the socket",
        f"send P3 ({blue}), by the page", f"rename P3 ({blue}), by the page", f"kick P3 ({blue}), by the socket",
        "kick by name, by the socket", "stop, by the socket"], said


@pytest.mark.parametrize("reads", (True, False))
def test_the_journal_is_told_how_much_a_line_matters_and_keeps_the_time_itself(reads, environment, folder, roomful):
    """The stream is the journal's only where it is the one that systemd names: it may have been led elsewhere since."""
    with (folder / "log").open("w") as log:
        stream = os.fstat(log.fileno())
        name = f"{stream.st_dev}:{stream.st_ino + (not reads)}"
        host = subprocess.Popen(
            [PROGRAM, "host", "Hall", "--discovery", "none", "--http", "off", "--code-file", folder / "ticket"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, env=environment | {"JOURNAL_STREAM": name})
    try:
        until(lambda: is_written(folder / "ticket") or host.poll() is not None)
        assert roomful("lock")[0] == 0 and roomful("stop")[0] == 0
        host.wait(PATIENCE)
    finally:
        host.kill()
        host.wait()
    lines = [line for line in (folder / "log").read_text().splitlines() if " lock, " in line]
    assert len(lines) == 1 and lines[0].startswith("<5>roomful.operator: ") == reads, lines
    assert (" notice roomful.operator: " in lines[0]) == (not reads), lines
