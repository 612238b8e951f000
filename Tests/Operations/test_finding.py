"""What is said to whoever looks for a room, and what it takes to trust one at the first meeting."""
import json

from rooms import TILT, active
from waiting import settled


def test_the_whole_pin_is_to_be_had_at_the_host_and_the_short_one_says_where(opened, started, roomful, folder):
    opened("Hall")
    said = json.loads(roomful("qr", "--json")[1])
    place = "127.0.0.1:" + said["url"].partition("#")[0].rstrip("/").rpartition(":")[2]
    join = ["join", "--at", place, "--as", "Blue", "--replay", TILT, "--loop", "--fingerprint"]
    code, _, err = roomful(*join, said["pin"][:16])
    assert code == 2 and "roomful qr --json" in err, err
    started(*join, said["pin"], ROOMFUL_STATE=str(folder / "Blue"))
    assert settled(lambda: active(roomful), {"Blue": 1}) == {"Blue": 1}
