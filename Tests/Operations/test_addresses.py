"""A machine that gets its address after its room was opened, as after a boot, and later another one."""
import json
import os
import subprocess

import pytest
from conftest import MAY_STAND_ASIDE, PROGRAM
from service_manager import Manager
from waiting import settled

ALONE = ["unshare", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "--net", "sh", "-c"]


def can_be_alone():
    try:
        return subprocess.run([*ALONE, "ip link set lo up"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.skipif(MAY_STAND_ASIDE and not can_be_alone(), reason="no network namespace of one's own here")
def test_the_code_the_ticket_and_the_certificate_follow_the_machine(environment, roomful, folder):
    manager = Manager(folder / "notify")
    gone = f"until [ -e {folder}/gone ]; do sleep 0.2; done; ip addr flush dev lo scope global; "
    follow = "".join(
        f"until [ -e {folder}/{step} ]; do sleep 0.2; done; ip addr flush dev lo scope global; ip addr add {address}/24 dev lo; "
        for step, address in enumerate(("192.0.2.50", "192.0.2.77"))) + gone
    host = subprocess.Popen(
        [*ALONE, f'ip link set lo up; ({follow}) & exec "$@"', "sh", PROGRAM, "host", "Net", "--policy", "code",
         "--discovery", "none", "--http", "off", "--code-file", folder / "ticket", "--json"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env=environment | {"NOTIFY_SOCKET": manager.path})

    def link():
        return json.loads(roomful("qr", "--json")[1])["url"].rpartition(":")[0]

    def ticket():
        lines = (folder / "ticket").read_text().splitlines()
        return [line.split()[1].rpartition(":")[0] for line in lines if line.startswith("address ")]

    try:
        assert manager.hears("READY=1"), host.poll()
        assert link() == "https://127.0.0.1" and ticket() == ["127.0.0.1"]
        assert "no phone can reach it: this machine is in no network" in roomful("qr", "--text")[2]
        server = next((folder / "state").rglob("server.pem"))
        keys = set()
        for step, address in enumerate(("192.0.2.50", "192.0.2.77")):
            (folder / str(step)).touch()
            assert settled(link, f"https://{address}") == f"https://{address}"
            assert roomful("qr", "--text")[2] == ""
            assert settled(ticket, [address, "127.0.0.1"]) == [address, "127.0.0.1"]
            shown = subprocess.run(
                ["openssl", "x509", "-in", server, "-noout", "-ext", "subjectAltName", "-pubkey"],
                capture_output=True, text=True, check=True).stdout
            assert f"IP Address:{address}" in shown, shown
            keys.add(shown[shown.index("-----BEGIN PUBLIC KEY"):].rpartition("-----END")[0])
        assert len(keys) == 1, "what a phone accepted is as little another as can be"
        assert json.loads(roomful("peers", "--status", "--json")[1])["network"]["isLost"] is False
        (folder / "gone").touch()

        def said(*words):
            return "has been in no network for" in roomful(*words)[2]

        assert settled(lambda: said("qr", "--text"), True), "the link is the old one, and says that nobody gets in by it"
        assert said("open", "--print")
        assert link() == "https://192.0.2.77"
        assert roomful("stop")[0] == 0 and host.wait(30) == 0
        told = [json.loads(line) for line in host.stdout.read().splitlines() if line.startswith("{")]
        assert [event["state"] for event in told if event["type"] == "room"] == ["closing"], (
            "a game on a big screen begins anew for a change")
    finally:
        host.kill()
        host.wait()
        host.stdout.close()


# In a LAN without a router, with a bridge of containers beside it, whose address comes first by its text.
ROUTERLESS = " && ".join((
    "mount -t sysfs none /sys", "ip link set lo up", "ip link add lan0 type veth peer name lan1", "ip link set lan1 up",
    "ip link set lan0 up", "ip link add br0 type bridge", "ip link add box0 type veth peer name box1",
    "ip link set box0 master br0", "ip link set box0 up", "ip link set box1 up", "ip link set br0 up",
    "ip addr add 10.0.0.1/24 dev br0",
    "ip addr add 10.9.8.5/24 dev lan0"))
IN_A_LAN = [*ALONE[:-3], "--mount", *ALONE[-3:]]


def can_be_in_a_lan():
    try:
        return subprocess.run([*IN_A_LAN, ROUTERLESS], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not can_be_in_a_lan(), reason="no network namespace with a bridge here")
def test_in_a_lan_without_a_router_the_code_leads_to_it_and_follows(environment, roomful, folder):
    manager = Manager(folder / "notify")
    other = "ip addr flush dev lan0 scope global; ip addr add 10.9.8.77/24 dev lan0"
    host = subprocess.Popen(
        [*IN_A_LAN, f'{ROUTERLESS} || exit; (until [ -e {folder}/moves ]; do sleep 0.2; done; {other}) & exec "$@"', "sh",
         PROGRAM, "host", "Net", "--policy", "open", "--discovery", "none", "--http", "off", "--json"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=environment | {"NOTIFY_SOCKET": manager.path})

    def link():
        return json.loads(roomful("qr", "--json")[1])["url"].rpartition(":")[0]

    try:
        assert manager.hears("READY=1"), host.poll()
        assert link() == "https://10.9.8.5", "to the LAN, not to the bridge"
        (folder / "moves").touch()
        assert settled(link, "https://10.9.8.77") == "https://10.9.8.77"
        assert roomful("stop")[0] == 0 and host.wait(30) == 0
    finally:
        host.kill()
        host.wait()
