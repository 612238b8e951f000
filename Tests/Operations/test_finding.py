"""What is said to whoever looks for a room, and what it takes to trust one at the first meeting."""
import json
import secrets
import time

from rooms import TILT, active
from waiting import settled, until


def test_the_whole_pin_is_to_be_had_at_the_host_and_the_short_one_says_where(opened, started, roomful, folder):
    opened("Hall")
    said = json.loads(roomful("qr", "--json")[1])
    place = "127.0.0.1:" + said["url"].partition("#")[0].rstrip("/").rpartition(":")[2]
    join = ["join", "--at", place, "--as", "Blue", "--replay", TILT, "--loop", "--fingerprint"]
    code, _, err = roomful(*join, said["pin"][:16])
    assert code == 2 and "roomful qr --json" in err, err
    started(*join, said["pin"], ROOMFUL_STATE=str(folder / "Blue"))
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}

def test_whoever_finds_no_room_of_a_game_hears_of_those_of_others(started, roomful):
    """On loopback, where others may be told of too."""
    game, name = f"g{secrets.token_hex(4)}", f"Hall {secrets.token_hex(4)}"
    look = ["browse", "--discovery", "embedded", "--interface", "lo", "--game"]
    started(
        "host", name, "--policy", "open", "--discovery", "embedded", "--interface", "lo", "--http", "off", "--game", game)
    until(lambda: name in roomful(*look, game, "--for", "1s")[1])
    code, out, _ = roomful(*look, "nobody-plays-this", "--for", "2s")
    assert code == 0
    assert 'no room of "nobody-plays-this" was found in 2s, but of other games: ' in out and f"{name} ({game})" in out, out
    code, out, _ = roomful(*look, "nobody-plays-this", "--for", "2s", "--json")
    assert code == 0 and json.loads(out) == []


def test_who_has_a_ticket_does_not_wait_for_the_name_beside_it(opened, started, roomful, folder):
    """A search takes 5 s; a slow machine gets three tries."""
    opened("Hall")
    for mode in ("none", "daemon"):
        took = []
        while len(took) < 3 and min(took, default=60) > 4:
            name = f"{mode}{len(took)}"
            began = time.monotonic()
            player = started(
                "join", "Hall", "--code-file", folder / "ticket", "--as", name, "--replay", TILT, "--loop", "--discovery", mode,
                ROOMFUL_STATE=str(folder / name), DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nonexistent")
            until(lambda: name in active(roomful))
            took.append(time.monotonic() - began)
            player.terminate()
            player.wait()
        assert min(took) <= 4, f"{mode}: {took}"
