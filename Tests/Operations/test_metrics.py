"""What a monitor reads: a room's /metrics beside what `roomful peers` says at that moment, and its /healthz."""
import json
import re
import signal
import time
import urllib.request

import pytest
from waiting import PATIENCE, until

ROW = re.compile(r"(\w+)\{(.*)\} (\S+)")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
UNESCAPED = {'\\"': '"', "\\\\": "\\", "\\n": "\n"}


def asked(address, path):
    with urllib.request.urlopen(f"http://{address}/{path}", timeout=PATIENCE) as answer:
        return answer.status, answer.headers["content-type"], answer.read().decode()


def figures(address):
    """Value by family, `kind` or `quantile`, and player; whose they are by player; and each family's type."""
    status, form, text = asked(address, "metrics")
    assert status == 200 and form.startswith("text/plain; version=0.0.4"), form
    values, who, types = {}, {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            family, types[family] = line.split()[2:]
        elif not line.startswith("#"):
            family, labels, value = ROW.fullmatch(line).groups()
            labels = {name: re.sub(r"\\.", lambda sign: UNESCAPED[sign[0]], text) for name, text in LABEL.findall(labels)}
            assert labels["room"] == "Hall" and (family, *labels.items()) not in values, line
            player = labels.get("player")
            if player:
                who[player] = (labels["name"], labels["controller"])
            values[family, labels.get("kind") or labels.get("quantile"), player] = float(value)
    return values, who, types


def books(peer):
    """The counters of `/metrics`, as `roomful peers --json` has them."""
    player, datagrams, samples = str(peer["player"]), peer["datagrams"], peer["samples"]
    kinds = {"unique": "unique", "duplicate": "duplicate", "tooOld": "too_old", "reordered": "reordered",
             "unreadable": "unreadable", "rateLimited": "rate_limited"}
    return {
        **{("roomful_peer_datagrams_total", kind, player): datagrams[name] for name, kind in kinds.items()},
        **{("roomful_peer_samples_total", kind, player): samples[kind]
           for kind in ("delivered", "late", "abandoned", "redundant")},
        ("roomful_peer_samples_before_seat_total", None, player): samples["beforeSeat"],
        ("roomful_peer_bytes_total", None, player): datagrams["bytes"]}


def test_a_monitor_reads_what_roomful_peers_says(folder, opened, joins, roomful):
    host = opened("Hall", "--seats", 3, "--metrics", "127.0.0.1:0")
    address = next(line for line in host.stdout if "metrics at http://" in line).split("http://")[1].split("/")[0]
    name = 'Blu"e\\'
    blue = joins(name)
    peers = lambda: json.loads(roomful("peers", "--json")[1])
    until(lambda: any(peer["samples"]["delivered"] > 50 for peer in peers()))
    assert asked(address, "healthz")[::2] == (200, "ok\n")

    # While it plays each reads what has happened since the other: nothing counts less than a moment ago.
    said, (first, who, types) = peers(), figures(address)
    [peer] = said
    counted = lambda values: {key: value for key, value in values.items() if types.get(key[0]) == "counter" and key[2]}
    assert who == {"1": (name, peer["controller"])}
    delivered = ("roomful_peer_samples_total", "delivered", "1")
    until(lambda: books(*peers())[delivered] > first[delivered] + 50)
    readings = [books(peer), counted(first), books(*peers()), counted(figures(address)[0]), books(*peers())]
    for earlier, later in zip(readings, readings[1:]):
        assert earlier.keys() == later.keys() and all(earlier[key] <= later[key] for key in earlier), (earlier, later)
    assert readings[1][delivered] > 0 and readings[3][delivered] > readings[1][delivered]

    # Once it is silent both say the same.
    blue.send_signal(signal.SIGSTOP)
    until(lambda: peers()[0]["link"] == "silent")
    [peer], (values, _, _) = peers(), figures(address)
    assert counted(values) == books(peer)
    one = lambda family, kind=None: values["roomful_" + family, kind, "1"]
    assert one("peer_datagrams_missing") == peer["datagrams"]["missing"] + peer["datagrams"]["tailMissing"]
    assert one("peer_samples_missing") == peer["samples"]["missing"]
    assert one("peer_delay_seconds_count") == peer["delay"]["n"] > 0
    for quantile, field in (("0.5", "p50Ms"), ("0.95", "p95Ms"), ("0.99", "p99Ms"), ("1", "maxMs")):
        assert one("peer_delay_seconds", quantile) == pytest.approx(peer["delay"][field] / 1_000)
    assert one("peer_jitter_seconds") == pytest.approx(peer["jitterMs"] / 1_000)
    assert one("peer_silent_seconds") >= peer["lastHeardMs"] / 1_000 > 0 and one("peer_up") == 0
    room = lambda family: values["roomful_" + family, None, None]
    assert (room("seats"), room("free_seats"), room("locked"), room("waiting")) == (3, 2, 0, 0)
    assert 365 < (room("certificate_end_seconds") - time.time()) / 86_400 < 397
    assert roomful("lock")[0] == 0 and figures(address)[0]["roomful_locked", None, None] == 1
    assert asked(address, "healthz")[::2] == (200, "ok\n"), "a silent player makes no room ill"
