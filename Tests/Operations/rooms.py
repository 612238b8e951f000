"""Rooms of one machine, for tests: the file that opens them, how it is read anew, who plays there, and what they replay."""
import json
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TILT, DROPPED = ROOT / "Recordings/demo/tilt.csv", ROOT / "Recordings/demo/drop.csv"
HALL = {"name": '"Hall"', "policy": '"open"', "discovery": '"none"', "http": '"off"', "code-file": '"ticket"'}


def text(**changes):
    """A room's file: the usual keys with some of them otherwise; `None` leaves one out."""
    keys = HALL | {key.replace("_", "-"): value for key, value in changes.items()}
    return "".join(f"{key} = {value}\n" for key, value in keys.items() if value is not None)


def put(path, content):
    """As careful editors do: the new file takes the old one's place at once."""
    beside = path.with_suffix(".new")
    beside.write_text(content)
    beside.rename(path)


def written(folder, content=None):
    """The file of a room, or of what is to stand in it."""
    put(folder / "rooms.toml", content or text())
    return folder / "rooms.toml"


def is_written(path):
    """Whether there is something in it: who writes a ticket makes the file first."""
    return path.exists() and path.stat().st_size > 0


def desktop(folder):
    """The environment of who has a desktop: a page that is opened there comes to lie in the folder, as `opened.html`."""
    opener = folder / "bin/xdg-open"
    opener.parent.mkdir()
    opener.write_text(f'#!/bin/sh\ncp "$1" {folder}/opened.html\n')
    opener.chmod(0o755)
    return {"DISPLAY": ":9", "PATH": f"{opener.parent}:{os.environ['PATH']}"}


def keys(report, room="Hall"):
    return {key["key"]: key for each in report["rooms"] if each["name"] == room for key in each["keys"]}


def reloaded(roomful, *more):
    code, out, err = roomful("reload", "--json", *more)
    assert code == 0, err
    return json.loads(out)


def active(roomful):
    """Who plays, and in which seat."""
    code, out, _ = roomful("peers", "--json")
    return {peer["name"]: peer["seat"] for peer in json.loads(out) if peer["state"] == "active"} if code == 0 else {}
