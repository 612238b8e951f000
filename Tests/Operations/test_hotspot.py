"""`roomful hotspot`, with a NetworkManager of the test's own. It has no radio: what a radio would answer is made up."""
import json
import os
import shutil
import signal
import subprocess

import pytest
from conftest import stand_aside
from network_manager import NMCLI, NetworkManager
from waiting import PATIENCE

OURS = "roomful-hotspot"


def can_be_had():
    """Whether its network and its folders can be its own."""
    try:
        return subprocess.run(
            ["unshare", "--mount", "--net", "mount", "-t", "tmpfs", "tmpfs", "/run"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.fixture
def manager(folder):
    if not (shutil.which("NetworkManager") or os.path.exists("/usr/sbin/NetworkManager")) or not os.path.exists(NMCLI):
        stand_aside("network-manager is missing: Scripts/install-dependencies.sh --tests")
    if not can_be_had():
        stand_aside("no mount and network namespace can be made here")
    manager = NetworkManager(folder)
    yield manager
    manager.end()


def test_without_a_wifi_device_it_says_so_and_leaves_nothing(manager, roomful):
    for more in ([], ["--interface", "wlan0"], ["--json"], ["--print"]):
        code, out, err = roomful("hotspot", *more, **manager.environment)
        assert (code, out) == (1, "") and "NetworkManager sees no Wi-Fi device on this machine" in err, (more, err)
    assert manager.names() == []


def test_networkmanager_takes_what_it_prints(manager, roomful):
    secret = """it's "so"; a:b,c\\d $HOME"""
    code, out, err = roomful(
        "hotspot", "Wohnstübe 青", "--interface", "wlan0", "--password", secret, "--print", "--json", **manager.environment)
    assert (code, err) == (0, "")
    commands = json.loads(out)
    adding, editing, beginning = commands["open"].splitlines()
    done = subprocess.run(
        ["sh", "-ec", f"{adding}\n{editing}"], capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | manager.environment | {"LC_ALL": "C.UTF-8"})
    assert done.returncode == 0, done.stderr
    keys = {
        "connection.autoconnect": "no", "connection.interface-name": "wlan0", "802-11-wireless.ssid": "Wohnstübe 青",
        "802-11-wireless.mode": "ap", "802-11-wireless-security.key-mgmt": "wpa-psk", "802-11-wireless-security.proto": "rsn",
        "802-11-wireless-security.psk": secret, "ipv4.method": "shared", "ipv6.method": "disabled"}
    kept = manager.ask("-s", "-e", "no", "-g", ",".join(keys), "connection", "show", "id", OURS).splitlines()
    # nmcli prints them in its own order of settings, as they stand here.
    assert sorted(kept) == sorted(keys.values()), done.stdout + done.stderr
    assert secret not in adding and beginning.endswith(f"connection up id {OURS}")
    subprocess.run(commands["undo"], shell=True, check=True, timeout=60, capture_output=True, env=os.environ | manager.environment)
    assert manager.names() == []


def test_where_networkmanager_does_not_run_or_is_not_there_it_says_what_does_the_same(manager, roomful, folder):
    stopped = manager.running.pop()
    stopped.kill()
    stopped.wait()
    code, out, err = roomful("hotspot", **manager.environment)
    assert (code, out) == (1, "") and "NetworkManager does not run: sudo systemctl start NetworkManager" in err
    code, by_hand, err = roomful("hotspot", "--print", "--password", "k7mq-2x9d-w4tz", "--interface", "wlan7", **manager.environment)
    assert (code, err) == (0, "")
    for line in ("ssid=Roomful", "wpa_passphrase=k7mq-2x9d-w4tz", "interface=wlan7", "ip address add 10.42.0.1/24 dev wlan7"):
        assert f"\n{line}\n" in by_hand
    nowhere = folder / "empty"
    nowhere.mkdir()
    same = ["--password", "k7mq-2x9d-w4tz", "--interface", "wlan7"]
    code, out, err = roomful("hotspot", *same, PATH=str(nowhere))
    assert code == 1 and out.startswith(by_hand.rstrip()) and "NetworkManager is not installed" in err
    assert "█" in out, "the Wi-Fi's QR code"
    subprocess.run(["sh", "-n"], input=by_hand, text=True, check=True, timeout=60)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_is_open_until_it_is_ended_and_leaves_nothing(manager, started, roomful, how):
    radio = manager.radio("lo:loopback:unmanaged:", r"wlan0:wifi:connected:Home\: upstairs", "wlan1:wifi:disconnected:")
    hotspot = started("hotspot", "Living Room", "--json", **radio)
    record = json.loads(hotspot.stdout.readline())
    assert (record["ssid"], record["interface"], record["address"]) == ("Living Room", "wlan1", "127.0.0.1")
    assert record["wifi"] == f"WIFI:T:WPA;S:Living Room;P:{record['password']};;" and "url" not in record
    assert manager.names() == [OURS]
    assert manager.ask("-s", "-g", "802-11-wireless-security.psk", "connection", "show", "id", OURS) == record["password"] + "\n"
    assert OURS in manager.words() and record["password"] not in manager.words()
    code, _, err = roomful("hotspot", **radio)
    assert code == 1 and "another roomful hotspot is open" in err and manager.names() == [OURS]
    hotspot.send_signal(how)
    assert hotspot.wait(PATIENCE) == 0
    assert manager.names() == [] and hotspot.stdout.read() == ""


def test_one_that_was_killed_is_taken_over(manager, started):
    radio = manager.radio("wlan1:wifi:disconnected:")
    killed = started("hotspot", "--json", **radio)
    old = json.loads(killed.stdout.readline())
    killed.kill()
    killed.wait()
    assert manager.names() == [OURS], "NetworkManager keeps it open"
    radio = manager.radio(f"wlan1:wifi:connected:{OURS}")
    hotspot = started("hotspot", **radio)
    heading = next(line for line in hotspot.stdout if line.startswith("1. Wi-Fi"))
    assert old["password"] not in heading
    assert manager.names() == [OURS]
    assert next(hotspot.stdout) == "2. no room of yours is open here yet; in another terminal:  roomful host 'Living Room'\n"
    hotspot.terminate()
    assert hotspot.wait(PATIENCE) == 0 and hotspot.stdout.read().endswith("the hotspot is closed\n")
    assert manager.names() == []


def test_the_wifi_that_is_in_use_is_only_taken_when_it_is_named(manager, started, roomful):
    radio = manager.radio("wlan0:wifi:connected:Home")
    code, out, err = roomful("hotspot", **radio)
    assert (code, out) == (1, "") and 'wlan0 is in use (by "Home")' in err and "roomful hotspot --interface wlan0" in err
    assert roomful("hotspot", "--interface", "wlan3", **radio)[0] == 2
    for odd in ("", "a b", "x\nEND\nreboot", "sixteen-letters-"):
        assert roomful("hotspot", "--print", "--interface", odd, **radio)[:2] == (2, "")
    assert manager.names() == []
    hotspot = started("hotspot", "--interface", "wlan0", "--json", **radio)
    assert json.loads(hotspot.stdout.readline())["interface"] == "wlan0"


def test_it_leads_into_the_room_by_the_address_in_the_hotspot(manager, opened, started, roomful):
    opened("Hall", policy="code")
    hotspot = started("hotspot", "--json", **manager.radio("wlan1:wifi:disconnected:"))
    record = json.loads(hotspot.stdout.readline())
    assert (record["ssid"], record["room"]) == ("Hall", "Hall")
    assert record["url"].startswith("https://127.0.0.1:")
    # The link's code is the ticket's; this one is for who types.
    assert record["url"].split("#")[1] in roomful("qr", "--text")[1] and len(record["code"]) == 9
