"""A NetworkManager with a bus, a network and folders of its own: nothing of this machine's is within its sight."""
import os
import subprocess

from waiting import until

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type> <listen>{address}</listen> <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/> <allow own="*"/>
    <allow send_destination="*"/> <allow send_type="method_call"/> <allow receive_sender="*"/>
  </policy>
</busconfig>
"""
CONFIGURATION = "[main]\nplugins=keyfile\ndns=none\nrc-manager=unmanaged\nhostname-mode=none\nauth-polkit=false\n"
BEGIN = """
set -e
for place in /run /etc/NetworkManager /var/lib/NetworkManager; do [ ! -d $place ] || mount -t tmpfs tmpfs $place; done
mkdir -p /run/NetworkManager
mount -t sysfs none /sys
ip link set lo up
exec NetworkManager --no-daemon --config="$1/nm.conf" --config-dir="$1/none" --system-config-dir="$1/none" \
    --intern-config="$1/intern.conf" --state-file="$1/state" --pid-file="$1/pid"
"""
NMCLI = "/usr/bin/nmcli"
# What a Wi-Fi device would answer, of which there is none: all else is asked of NetworkManager.
RADIO = """#!/bin/sh
printf '%s\\n' "$*" >> {folder}/said
case "$*" in
*WIFI-HW,WIFI*) echo enabled:enabled ;;
*DEVICE,TYPE,STATE,CONNECTION*) cat {folder}/devices ;;
*WIFI-PROPERTIES.AP*) echo WIFI-PROPERTIES.AP:yes ;;
*"connection up"*) ;;
*IP4.ADDRESS*) echo "IP4.ADDRESS[1]:127.0.0.1/24" ;;
*GENERAL.STATE*) echo GENERAL.STATE:activated ;;
*) exec {nmcli} "$@" ;;
esac
"""


class NetworkManager:
    def __init__(self, folder):
        self.folder = folder / "nm"
        self.folder.mkdir()
        (self.folder / "none").mkdir()
        address = f"unix:path={self.folder}/bus"
        (self.folder / "bus.conf").write_text(BUS.format(address=address))
        (self.folder / "nm.conf").write_text(CONFIGURATION)
        self.environment = {"DBUS_SYSTEM_BUS_ADDRESS": address}
        self.log = open(self.folder / "log", "w")
        self.running = [self._start("dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile")]
        until((self.folder / "bus").exists, self.said)
        self.running.append(self._start("unshare", "--mount", "--net", "bash", "-c", BEGIN, "nm", self.folder))
        until(lambda: self.ask("-t", "-f", "RUNNING", "general") == "running\n", self.said)

    def _start(self, *words):
        return subprocess.Popen(
            list(map(str, words)), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env=os.environ | self.environment)

    def said(self):
        return (self.folder / "log").read_text()[-2_000:]

    def ask(self, *words):
        """What the machine's own nmcli prints of it."""
        return subprocess.run(
            [NMCLI, *words], capture_output=True, text=True, timeout=60, check=False,
            env=os.environ | self.environment | {"LC_ALL": "C.UTF-8"}).stdout

    def names(self):
        """What it knows of networks."""
        return [name for name in self.ask("-g", "NAME", "connection", "show").splitlines() if name != "lo"]

    def radio(self, *devices):
        """The environment of who has these devices of Wi-Fi, too: lines of nmcli's."""
        (self.folder / "devices").write_text("".join(f"{line}\n" for line in devices))
        program = self.folder / "bin/nmcli"
        program.parent.mkdir(exist_ok=True)
        program.write_text(RADIO.format(folder=self.folder, nmcli=NMCLI))
        program.chmod(0o755)
        return self.environment | {"PATH": f"{program.parent}:{os.environ['PATH']}"}

    def words(self):
        """All that a nmcli was started with, which every user of the machine can read."""
        return (self.folder / "said").read_text()

    def end(self):
        for process in reversed(self.running):
            process.kill()
            process.wait()
        self.running.clear()
        self.log.close()
