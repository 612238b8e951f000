"""A device under water: what its program says comes out as it went in, by two ways in and three ways out."""
import json
import subprocess
import time

from conftest import PROGRAM
from door import talk
from evenings import rows
from waiting import PATIENCE, until

# As a watch says it, every 0.6 s: condition, depth, and how far that may be wrong.
DIVE = [
    ("notSubmerged", None, None), ("submerged", 0.5, 0.06), ("submerged", 1.5, 0.08), ("submerged", 3, 0.11),
    ("submerged", 5.5, 0.16), ("pastMaxDepth", None, None), ("submerged", 3.25, 0.12), ("sensorDepthError", None, None),
    ("submerged", 0.4, 0.06), ("notSubmerged", None, None),
]
STATES = ["notSubmerged", "submergedShallow", "submergedDeep", "submergedDeep", "approachingMaxDepth", "pastMaxDepth",
          "submergedDeep", "sensorDepthError", "submergedShallow", "notSubmerged"]
PAUSE = 0.6


def reading(condition, depth, error):
    water = {"condition": condition, "surfacePressure": 101.3, "temperature": 18.25, "temperatureUncertainty": 0.5}
    return water if depth is None else water | {"depth": depth, "depthUncertainty": error, "pressure": 101.3 + 9.9 * depth}


def feed(environment, folder):
    """A program that says it line by line."""
    program = subprocess.Popen(
        [PROGRAM, "join", "--as", "Blue", "--stdin", "--code-file", str(folder / "ticket")], stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, text=True, env=environment | {"ROOMFUL_STATE": str(folder / "blue")})
    start, said = time.monotonic(), 0

    def say(water):
        nonlocal said
        program.stdin.write(json.dumps({"t": PAUSE * said, "submersion": water}) + "\n")
        program.stdin.flush()
        said += 1
        time.sleep(max(0, start + PAUSE * said - time.monotonic()))

    # It has its seat when the dive begins: what was read before is nobody's.
    with talk(next((folder / "state").rglob("*.sock"))) as ask:
        while not any(peer["samples"]["delivered"] for peer in ask({"task": "status"})["status"]["peers"]):
            assert time.monotonic() < start + PATIENCE, "nothing that it says arrives"
            say({})
    for step in DIVE:
        say(reading(*step))
    return program


def write_file(path):
    """The same as a file, at its own pace."""
    lines = ["t_s,submersion,depth_m,depthUncertainty_m,pressure_hPa,surfacePressure_kPa,temperature_C,temperatureUncertainty_C"]
    steps = [("unknown", None, None)] * 5 + DIVE
    for place, step in enumerate(steps):
        water = reading(*step)
        fields = [place * PAUSE, step[0], water.get("depth", ""), water.get("depthUncertainty", ""),
                  10 * water["pressure"] if "pressure" in water else "", 101.3, 18.25, 0.5]
        lines.append(",".join(str(field) for field in fields))
    path.write_text("\n".join(lines) + "\n")


def test_a_dive_is_told_recorded_and_exported_as_it_was(folder, environment, opened, roomful):
    room = opened("Pool", "--record", folder / "evening.mcap")
    program = feed(environment, folder)
    # It may still say what it has read.
    until(lambda: "out of the water" in roomful("peers", "P1")[1], lambda: roomful("peers", "P1")[1])
    peer = json.loads(roomful("peers", "P1", "--json")[1])[0]
    assert peer["submersion"]["state"] == "notSubmerged" and peer["submersion"]["surfacePressure"] == 101.3
    program.stdin.close()
    assert program.wait(60) == 0
    write_file(folder / "dive.csv")
    assert roomful("join", "--as", "Red", "--replay", folder / "dive.csv", "--code-file", folder / "ticket")[0] == 0
    assert roomful("stop")[0] == 0 and room.wait(60) == 0
    assert roomful("replay", folder / "evening.mcap", "--verify")[0] == 0
    assert roomful("export", folder / "evening.mcap", "--to", "csv", folder / "out")[0] == 0
    told = [json.loads(row["json"]) for row in rows(folder / "out/events.csv") if row["type"] == "submersion"]
    table = rows(folder / "out/submersion.csv")
    assert len(table) == len(told)
    controllers = list(dict.fromkeys(event["controller"] for event in told))
    assert len(controllers) == 2
    for controller in controllers:
        own = [event for event in told if event["controller"] == controller]
        changes = [event for event in own if event["from"] is not None]
        wanted = [state for place, state in enumerate(STATES) if place == 0 or STATES[place - 1] != state]
        assert [event["state"] for event in changes][:len(wanted)] == wanted, own
        assert changes[-1]["state"] == "unknown", "it fell silent, or left"
        assert [event["from"] for event in changes][1:] == [event["state"] for event in changes][:-1]
        for event in own:
            if event["depth"] is None:
                continue
            (step,) = [reading(*step) for step in DIVE if step[1] == event["depth"]]
            assert event["depthUncertainty"] == step["depthUncertainty"] and event["temperature"] == 18.25
            assert event["temperatureUncertainty"] == 0.5 and abs(event["pressure"] - step["pressure"]) <= 0.0501
        assert any(event["depth"] == 5.5 for event in own)
    for event, row in zip(told, table):
        assert row["state"] == event["state"] and row["was"] == (event["from"] or "")
        assert row["depth"] == ("" if event["depth"] is None else row["depth"])
        assert event["depth"] is None or float(row["depth"]) == event["depth"]


def test_a_depth_is_reckoned_where_only_pressures_are_read(folder, environment, opened, roomful):
    opened("Pool")
    program = subprocess.Popen(
        [PROGRAM, "join", "--as", "Blue", "--stdin", "--code-file", str(folder / "ticket")], stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, text=True, env=environment | {"ROOMFUL_STATE": str(folder / "blue")})
    line = json.dumps({"submersion": {"pressure": 131, "surfacePressure": 101.3, "temperature": 12}})

    def water():
        program.stdin.write(line + "\n")
        program.stdin.flush()
        code, out, _ = roomful("peers", "P1", "--json")
        return json.loads(out)[0].get("submersion") if code == 0 else None

    try:
        seen = until(water)
        # 29.7 kPa of water of 1,014 kg/m³.
        assert seen["state"] == "submergedDeep" and abs(seen["depth"] - 2.99) < 0.02, seen
    finally:
        program.kill()
        program.communicate()


def test_words_that_are_no_condition_and_depths_beyond_all_measure_are_refused_in_words(environment, folder):
    def say(*lines, options=()):
        return subprocess.run(
            [PROGRAM, "join", "Nowhere", "--stdin", "--discovery", "none", *options], input="\n".join(lines) + "\n",
            capture_output=True, text=True, timeout=60, env=environment)
    refused = say('{"submersion":{"condition":"wet"}}')
    assert refused.returncode != 0 and "“wet” is none of unknown, notSubmerged" in refused.stderr, refused.stderr
    far = say('{"submersion":{"depth":1}}', options=["--maximum-depth", "300"])
    assert far.returncode != 0 and "--maximum-depth is 2 to 200 m" in far.stderr, far.stderr
