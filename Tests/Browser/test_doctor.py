"""`roomful doctor --phone`, with a real browser on another host of a network in namespaces: what it reaches by itself."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from chromium import PAGES
from hosted_room import MAY_STAND_ASIDE, PATIENCE, PROGRAM

LAN = str(Path(__file__).resolve().parents[2] / "Scripts/lan.sh")
NAME = f"d{os.getpid() % 1000000}"

pytestmark = pytest.mark.skipif(MAY_STAND_ASIDE and os.geteuid() != 0, reason="network namespaces need root")


class Network:
    """Two hosts on one switch: 10.77.0.1 with the doctor, 10.77.0.2 with the phone."""

    def __init__(self, folder):
        self.environment = {**os.environ, "ROOMFUL_LAN_STATE": str(folder / "lan"), "ROOMFUL_STATE": str(folder / "state")}
        self.folder = folder

    def lan(self, *arguments):
        subprocess.run(
            [LAN, *arguments], env=self.environment, check=True, capture_output=True, text=True, timeout=PATIENCE)

    def command(self, host, *command):
        return [LAN, "in", NAME, str(host), *command]

    def drop(self, rule):
        """Has the doctor's host take in nothing that fits."""
        self.lan("in", NAME, "1", "nft", "add table inet t; add chain inet t in { type filter hook input priority 0; };"
                 f" add rule inet t in {rule} drop")

    def doctor(self, port, seconds):
        process = subprocess.Popen(
            self.command(1, PROGRAM, "doctor", "--phone", "--json", "--for", f"{seconds}s", "--port", str(port)),
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        deadline = time.monotonic() + PATIENCE
        listening = self.command(1, "ss", "-Huln")
        while f":{port} " not in subprocess.run(listening, env=self.environment, capture_output=True, text=True).stdout:
            assert time.monotonic() < deadline, "the doctor did not open its port"
            time.sleep(0.05)
        return process

    def phone(self, kind):
        """A browser in the other host's namespace."""
        wrapper = self.folder / "chromium"
        wrapper.write_text(f'#!/bin/sh\nexec ip netns exec {NAME}-2 {PAGES} "$@"\n')
        wrapper.chmod(0o755)
        return kind.launch(executable_path=str(wrapper), args=["--no-sandbox"])


@pytest.fixture
def network(tmp_path):
    network = Network(tmp_path)
    network.lan("down", NAME)
    network.lan("up", NAME, "2", "--no-avahi")
    yield network
    network.lan("down", NAME)


@pytest.fixture
def phone(network, browser):
    own = network.phone(browser.browser_type)
    page = own.new_page(viewport={"width": 390, "height": 844})
    page.set_default_timeout(PATIENCE * 1_000)
    yield page
    own.close()


def report(process):
    return json.loads(process.communicate(timeout=2 * PATIENCE)[0]), process.returncode


def test_a_browser_on_another_host_reaches_tcp_and_udp_and_the_page_says_so(network, phone):
    complaints = []
    phone.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    phone.on("pageerror", lambda error: complaints.append(str(error)))
    doctor = network.doctor(7792, 60)
    phone.goto("http://10.77.0.1:7792/")
    assert phone.locator("#tcp").inner_text() == "Yes: this page came through."
    phone.locator("#udp.good").wait_for()
    said, code = report(doctor)
    assert code == 0 and said["ok"] and said["tcp"] == said["udp"] == ["10.77.0.2"], said
    assert said["waitedMs"] < 60_000, "it does not go on once it knows"
    phone.get_by_text("The test is over").wait_for()
    assert phone.locator("#udp").inner_text() == "Yes: the direct way is open, too."
    # What the page asks of a server that has ended, or while other tests plug cables, is the browser's to complain of,
    # nothing else.
    assert [line for line in complaints if "ERR_CONNECTION" not in line and "ERR_NETWORK_CHANGED" not in line] == []


def test_by_ipv6_too(network, phone):
    doctor = network.doctor(7793, 60)
    phone.goto("http://[fd77::1]:7793/")
    phone.locator("#udp.good").wait_for()
    said, code = report(doctor)
    assert code == 0 and said["tcp"] == said["udp"] == ["fd77::2"], said


def test_where_udp_is_dropped_page_and_doctor_tell_the_two_apart(network, phone):
    network.drop("meta l4proto udp")
    doctor = network.doctor(7794, 15)
    phone.goto("http://10.77.0.1:7794/")
    said, code = report(doctor)
    assert code == 1 and said["tcp"] == ["10.77.0.2"] and said["udp"] == [], said
    phone.locator("#udp.bad").wait_for()
    assert "nothing came through the direct way" in phone.locator("#udp").inner_text()


def test_on_an_older_iphone_too_the_page_says_that_it_is_over_once_the_machine_is_silent(network, phone):
    phone.add_init_script("delete AbortSignal.timeout")
    network.drop("meta l4proto udp")
    doctor = network.doctor(7796, 120)
    phone.goto("http://10.77.0.1:7796/")
    phone.locator("#left:not(:empty)").wait_for()
    network.drop("meta l4proto tcp")
    phone.get_by_text("The test is over").wait_for()
    assert doctor.poll() is None, "nobody said so"
    doctor.kill()
    doctor.wait()


def test_the_page_can_be_used_by_all(network, phone):
    from axe_playwright_python.sync_playwright import Axe

    doctor = network.doctor(7795, 60)
    phone.goto("http://10.77.0.1:7795/")
    phone.locator("#udp.good").wait_for()
    # The server goes away soon; what is shown stays.
    violations = Axe().run(phone).response["violations"]
    assert violations == [], violations
    report(doctor)
