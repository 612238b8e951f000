"""An exhibit: one device, and visitors who do not know of each other. In simulated time: `VisitorTests`."""
import json
import time
import urllib.request

from test_reload import hall, keys, put, reloaded, text  # noqa: F401
from test_supervision import PATIENCE, active, until


def recording(path):
    """A phone that is shaken for two seconds and then lies on a table for two minutes."""
    lines = ["t_s,gx,gy,gz,ax,ay,az"]
    for count in range(12_000):
        push = 15 * (-1) ** (count // 10) if count < 200 else 0
        lines.append(f"{count / 100},0,0,0,{push},0,9.80665")
    path.write_text("\n".join(lines) + "\n")
    return path


def peer(roomful):
    return json.loads(roomful("peers", "P1", "--json")[1])[0]


def test_what_a_visitor_leaves_is_gone_for_the_next_one(hall, started, roomful, folder):
    hall(text(http='"any"', idle_reset='"10s"', grace='"24h"'))
    address, token = json.loads(roomful("open", "--print", "--json")[1])["pages"][0].split("/operator/#t=")
    started(
        "join", "--code-file", folder / "ticket", "--as", "Blue", "--replay", recording(folder / "still.csv"),
        ROOMFUL_STATE=str(folder / "Blue"))
    assert until(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    events = started("events", "--json")
    rename = urllib.request.Request(
        address + "/api/commands", data=json.dumps({"task": "rename", "who": "P1", "name": "Anna"}).encode(),
        headers={"authorization": f"Bearer {token}"})
    assert urllib.request.urlopen(rename, timeout=PATIENCE).status == 200
    assert roomful("sensitivity", "P1", "1.5")[0] == 0
    assert active(roomful) == {"Anna": 1} and peer(roomful)["detail"]["sensitivity"] == 1.5
    assert until(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
    assert peer(roomful)["detail"]["sensitivity"] == 1
    time.sleep(12)
    assert roomful("stop")[0] == 0
    told = [json.loads(line) for line in events.stdout.read().splitlines() if line.startswith("{")]
    changes = [(event["state"], event["name"]) for event in told if event["type"] == "player"]
    # Once, and not again while it lies there.
    assert [each for each in changes if each[0] != "renamed"] == [("left", "Anna"), ("joined", "Blue")]


def test_the_time_can_be_changed_while_people_play_and_has_a_range(hall, roomful, folder):
    hall(text())
    put(folder / "rooms.toml", text(idle_reset='"3min"'))
    found = keys(reloaded(roomful))["idle-reset"]
    assert found["isTaken"] and found["to"] == "3min"
    for wrong in ('"9s"', '"25h"', '"soon"'):
        put(folder / "rooms.toml", text(idle_reset=wrong))
        code, _, err = roomful("reload")
        assert code == 2 and "rooms.toml:6: " in err and "idle-reset" in err, err
