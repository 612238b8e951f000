"""`roomful join` is ended by its user, who is not coming back: its seat is free at once."""
import json
import os
import pty
import signal
import subprocess

import pytest
from conftest import PROGRAM
from rooms import TILT, active
from waiting import PATIENCE, settled


@pytest.fixture
def hall(opened):
    """A room that keeps the seat of who falls silent for an hour."""
    return opened("Hall", "--idle", "10s", "--grace", "1h")


def test_the_ticket_leads_there_where_no_room_is_found_by_its_name(hall, started, roomful, folder):
    ways = ["--code-file", folder / "ticket", "--replay", TILT, "--loop", "--discovery", "none"]
    code, _, errors = roomful("join", "Attic", "--as", "Red", *ways, ROOMFUL_STATE=str(folder / "Red"))
    assert code != 0, "the ticket is another room's"
    started("join", "Hall", "--as", "Blue", *ways, ROOMFUL_STATE=str(folder / "Blue"))
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}, errors


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_says_goodbye_and_what_it_sent(hall, joins, roomful, how):
    player = joins("Blue", "--json")
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    player.send_signal(how)
    assert player.wait(PATIENCE) == 0
    summary = json.loads(player.stdout.read().splitlines()[-1])
    assert settled(lambda: json.loads(roomful("peers", "--json")[1]), []) == [], "the seat is free"
    assert roomful("stop")[0] == 0
    told = hall.stdout.read()
    assert "P1 Blue left" in told and "lost" not in told, told
    assert f"sent {summary['datagramsSent']} datagrams and made {summary['samples']} samples, and the host accounts for as many" in told, (
        summary, told)


def test_a_terminal_that_is_closed_is_left_in_order(hall, roomful, folder, environment):
    child, terminal = pty.fork()
    if child == 0:
        os.execve(
            PROGRAM,
            [PROGRAM, "join", "--code-file", str(folder / "ticket"), "--as", "Blue", "--replay", str(TILT), "--loop"],
            environment | {"ROOMFUL_STATE": str(folder / "Blue")})
    try:
        assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
        os.close(terminal)
        assert settled(lambda: json.loads(roomful("peers", "--json")[1]), []) == [], "the seat is free"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert roomful("stop")[0] == 0
    told = hall.stdout.read()
    assert "P1 Blue left" in told and "lost" not in told, told


def test_where_nobody_reads_any_more_it_leaves_in_order(hall, roomful, folder, environment):
    """`roomful join --json | head -1`."""
    player = subprocess.Popen(
        [PROGRAM, "join", "--code-file", folder / "ticket", "--as", "Blue", "--replay", TILT, "--loop", "--json"],
        stdout=subprocess.PIPE, env=environment | {"ROOMFUL_STATE": str(folder / "Blue")})
    try:
        assert json.loads(player.stdout.readline())["type"] == "seated"
        player.stdout.close()
        assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
        assert roomful("identify", "P1")[0] == 0
        assert player.wait(PATIENCE) == 0
    finally:
        player.kill()
        player.wait()
    assert settled(lambda: json.loads(roomful("peers", "--json")[1]), []) == [], "the seat is free"
    assert roomful("stop")[0] == 0
    told = hall.stdout.read()
    assert "P1 Blue left" in told and "lost" not in told, told


def test_neither_an_open_pipe_nor_a_silent_host_keeps_it(hall, roomful, folder, environment):
    player = subprocess.Popen(
        [PROGRAM, "join", "--code-file", folder / "ticket", "--as", "Blue", "--stdin", "--json"], stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, env=environment | {"ROOMFUL_STATE": str(folder / "Blue")})
    try:
        player.stdin.write(b'{"acceleration": [0, 0, 9.81], "rotationRate": [0, 0, 0]}\n')
        player.stdin.flush()
        assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
        hall.send_signal(signal.SIGSTOP)
        player.send_signal(signal.SIGINT)
        assert player.wait(PATIENCE) == 0
    finally:
        hall.send_signal(signal.SIGCONT)
        player.kill()
        player.wait()
        player.stdin.close()
