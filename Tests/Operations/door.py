"""The operator's door of a room, as a program speaks it: a Unix socket, and a line of JSON each way."""
import contextlib
import json
import socket

from waiting import PATIENCE


@contextlib.contextmanager
def talk(door, within=PATIENCE):
    """One connection. What it gives sends a request, and returns its answer."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(within)
        line.connect(str(door))
        with line.makefile("rw") as file:

            def say(request):
                file.write(json.dumps(request) + "\n")
                file.flush()
                return json.loads(file.readline())

            yield say


def ask(door, *requests, within=PATIENCE):
    """Commands, one after the other, and their answers."""
    with talk(door, within) as say:
        return [say(request) for request in requests]


def listen(door, request, within=PATIENCE):
    """The events of a room, the greeting first."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(within)
        line.connect(str(door))
        line.sendall(json.dumps(request).encode() + b"\n")
        with line.makefile() as file:
            for text in file:
                yield json.loads(text)["event"]
