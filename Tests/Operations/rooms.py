"""Rooms of one machine, for tests: the file that opens them, how it is read anew, who plays there, and what they replay."""
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TILT, JUMPING = ROOT / "Recordings/demo/tilt.csv", ROOT / "Recordings/demo/jump.csv"
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


def written(folder, text='name = "Hall"\npolicy = "open"\ndiscovery = "none"\nhttp = "off"\ncode-file = "ticket"\n'):
    (folder / "rooms.toml").write_text(text)
    return folder / "rooms.toml"


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
