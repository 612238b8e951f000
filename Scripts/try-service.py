#!/usr/bin/env python3
"""Installs the Debian package on a Debian 12 that systemd boots, lets it host a room there, and lets it crash, hang, reboot.

usage: try-service.py [--root DIR] [--keep] [--bind DIR] [--crashes 10] PACKAGE.deb

--root     a Debian that is there already, made by this script's --keep; else one is made by debootstrap, and removed
--keep     leave the Debian where it is, and say where
--bind     show it this folder of ours, as for a program whose libraries are in /opt/swift

Needs root, debootstrap, systemd-nspawn (Debian: systemd-container) and a way to Debian's mirror. The machine has a network of
its own with nothing but a loopback interface, and is ended in the end. What it prints is what systemd, the room and the
controllers said; ends with 1 where one of them said otherwise than the others, or than the manual.
"""
import argparse
import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BESIDE = "systemd,systemd-sysv,dbus,avahi-daemon,libavahi-client3,libsqlite3-0,libsodium23,libnss-systemd,procps"
CLEAN = ["/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "TERM=dumb", "LC_ALL=C.UTF-8",
         "DEBIAN_FRONTEND=noninteractive"]
UNIT = "roomful@living-room"
RECORDING = "/usr/share/roomful/Recordings/demo/drop.csv"
NAMES = ["Blue", "Green", "Red"]
PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 0x4206, 0x4207, 0x4000_0000


def say(*words):
    print(*words, flush=True)


def check(holds, *words):
    if not holds:
        sys.exit("try-service.py: " + " ".join(map(str, words)))


def run(*words, timeout=600):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=timeout, check=False)


def until(question, patience, what):
    """The answer as soon as it is true, and after how many seconds."""
    begun = time.monotonic()
    while not (answer := question()):
        check(time.monotonic() - begun < patience, f"after {patience} s still not: {what}")
        time.sleep(0.05)
    return answer, time.monotonic() - begun


class Machine:
    """A Debian in a folder, booted by systemd."""

    def __init__(self, root, bound):
        self.root, self.bound, self.process = root, bound, None

    def chroot(self, *words):
        done = run("chroot", str(self.root), *CLEAN, *words)
        check(done.returncode == 0, words, done.stdout[-2_000:], done.stderr[-2_000:])
        return done.stdout

    def boot(self):
        self.process = subprocess.Popen(
            ["systemd-nspawn", "-D", str(self.root), "--boot", "--register=no", "--keep-unit", "--private-network",
             "--console=pipe", f"--machine=roomful-{os.getpid()}", *(f"--bind-ro={folder}" for folder in self.bound)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.first, _ = until(lambda: (run("pgrep", "--parent", str(self.process.pid)).stdout.split() or [""])[0], 30,
                              "a first process")
        until(lambda: self.ask("systemctl", "is-system-running").stdout.strip() in ("running", "degraded"), 180, "systemd has booted")

    def reboot(self):
        self.ask("systemctl", "reboot")
        # What nspawn ends with where its machine wants to be started anew.
        check(self.process.wait(timeout=60) == 133, "the machine did not end to be started anew")
        self.boot()

    def words(self, *words):
        return ["nsenter", "-t", self.first, "-a", *CLEAN, *words]

    def ask(self, *words):
        return run(*self.words(*words))

    def tell(self, *words):
        done = self.ask(*words)
        check(done.returncode == 0, words, done.stdout[-2_000:], done.stderr[-2_000:])
        return done.stdout

    def show(self, what, unit=UNIT):
        return self.ask("systemctl", "show", "--value", "-p", what, unit).stdout.strip()

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()  # nspawn asks systemd to power off.
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Room:
    """What is asked of the room as its operator would, and those who play in it."""

    def __init__(self, machine):
        self.machine, self.controllers = machine, {}

    def peers(self):
        done = self.machine.ask("roomful", "peers", "--json")
        return {each["name"]: each for each in json.loads(done.stdout)} if done.returncode == 0 else {}

    def take_ticket(self):
        text = json.loads(self.machine.tell("roomful", "qr", "--json"))["ticket"]
        (self.machine.root / "root/ticket").write_text(text)

    def join(self, name):
        log = (self.machine.root / f"root/{name}.log").open("a")
        self.controllers[name] = subprocess.Popen(
            self.machine.words(f"ROOMFUL_STATE=/root/{name}", "roomful", "join", "Living Room", "--code-file", "/root/ticket",
                               "--as", name, "--replay", RECORDING, "--loop", "--json"),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def said(self, name):
        return (self.machine.root / f"root/{name}.log").read_text(errors="replace")

    def leave(self):
        for process in self.controllers.values():
            process.kill()
            process.wait()
        self.controllers = {}

    def places(self):
        """Who sits where, once everybody plays: that is, their samples are counted while we look."""
        before = {name: peer["samples"]["delivered"] for name, peer in self.peers().items()}
        time.sleep(0.2)
        now = {name: peer for name, peer in self.peers().items() if peer["state"] == "active"
               and name in before and peer["samples"]["delivered"] > before[name]}
        return {name: (peer["seat"], peer["player"], peer["controller"]) for name, peer in now.items()} if len(now) == len(NAMES) else None


def thread_of(pid, name):
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().strip() == name:
            return int(task.name)
    sys.exit(f"try-service.py: no thread of {pid} is called {name}")


def stop_thread(thread):
    """Stops one thread and none beside it, as SIGSTOP cannot: as a debugger does."""
    libc = ctypes.CDLL(None, use_errno=True)
    for request in (PTRACE_SEIZE, PTRACE_INTERRUPT):
        check(libc.ptrace(request, thread, None, None) == 0, "ptrace:", os.strerror(ctypes.get_errno()))


def bury(thread):
    """A thread that a debugger looks at is not gone before the debugger has heard of its end."""
    try:
        os.waitpid(thread, os.WNOHANG | WALL)
    except ChildProcessError:
        pass


def outside(machine, pid):
    """The pid by which we know a process of the machine."""
    for each in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            text = each.read_text()
        except OSError:
            continue
        spaces = re.search(r"^NSpid:\s+(.*)$", text, re.M).group(1).split()
        if spaces[-1] == pid and len(spaces) > 1 and os.stat(f"/proc/{each.parent.name}/ns/pid").st_ino == os.stat(
                f"/proc/{machine.first}/ns/pid").st_ino:
            return int(each.parent.name)
    sys.exit(f"try-service.py: no process {pid} in the machine")


def main(package, root, bound, crashes):
    machine = Machine(root, bound)
    machine.chroot("apt-get", "purge", "-qy", "roomful") if (root / "usr/bin/roomful").exists() else None
    shutil.copy(package, root / "root/roomful.deb")
    machine.chroot("apt-get", "install", "-qy", "--no-install-recommends", "/root/roomful.deb")
    room = Room(machine)
    try:
        machine.boot()
        play(machine, room, crashes)
    except SystemExit:
        say(machine.ask("journalctl", "--no-pager", "-b", "-o", "cat", "-n", "60", "-u", "roomful@*").stdout)
        raise
    finally:
        room.leave()
        machine.end()


def play(machine, room, crashes):
    say("== roomful service install")
    told = machine.tell("roomful", "service", "install", "Living Room", "--policy", "open", "--seats", "12", "--port", "7777")
    say(told.strip())
    # `service install` came back because systemd saw READY=1: whoever asks now finds the room open.
    check(machine.show("ActiveState") == "active", "the service is", machine.show("ActiveState"))
    room.take_ticket()
    once = machine.ask("ROOMFUL_STATE=/root/first", "roomful", "join", "Living Room", "--code-file", "/root/ticket", "--at",
                       "127.0.0.1:7777", "--as", "First", "--replay", RECORDING, "--recording", "fall_7")
    check(once.returncode == 0, once.stdout, once.stderr)
    say(f"ready means joinable: {once.stdout.splitlines()[0]}")
    # Only who is known to D-Bus reaches Avahi; who is not answers multicast DNS in a process of its own.
    check(machine.ask("pgrep", "--full", "roomful responder").returncode == 1, "the room does not announce itself by avahi-daemon")
    say("announced by avahi-daemon")
    say(machine.tell("systemd-analyze", "security", "--no-pager", UNIT).splitlines()[-1].strip(" →"))

    machine.tell("mkdir", "-p", "/run/roomful/another")
    seen = sorted(os.listdir(f"/proc/{outside(machine, machine.show('MainPID'))}/root/run/roomful"))
    machine.tell("rmdir", "/run/roomful/another")
    check(seen == ["living-room"], "it sees other rooms' sockets:", seen)

    say("== another room of the same port is never called ready")
    (machine.root / "etc/roomful/hall.toml").write_text('name = "Hall"\npolicy = "open"\nport = 7777\n')
    machine.tell("systemctl", "start", "--no-block", "roomful@hall")
    states = set()
    begun = time.monotonic()
    while time.monotonic() - begun < 5:
        states.add(machine.show("ActiveState", "roomful@hall"))
    why = machine.tell("journalctl", "--no-pager", "-b", "-o", "cat", "-u", "roomful@hall")
    machine.tell("systemctl", "stop", "roomful@hall")
    (machine.root / "etc/roomful/hall.toml").unlink()
    check("active" not in states, states)
    say("systemd called it", " and ".join(sorted(states)) + "; it said:", next(line for line in why.splitlines() if "7777" in line))

    say(f"== {len(NAMES)} controllers by the room's name; kill -9, {crashes} times in a row")
    for name in NAMES:
        room.join(name)
    places, _ = until(room.places, 30, "everybody plays")
    say("seats:", ", ".join(f"{name} {seat}" for name, (seat, _, _) in sorted(places.items())))
    taken = []
    for crash in range(crashes):
        pid = machine.show("MainPID")
        machine.tell("systemctl", "kill", "--signal=KILL", "--kill-whom=main", UNIT)
        until(lambda: machine.show("MainPID") not in (pid, "0"), 30, "systemd has started it again")
        now, seconds = until(room.places, 60, f"everybody plays after crash {crash + 1}")
        check(now == places, "others sit where they sat:", places, now)
        taken.append(seconds)
    restarts = machine.show("NRestarts")
    check(restarts == str(crashes), f"systemd counts {restarts} restarts")
    say(f"{len(NAMES)} of {len(NAMES)} seats back {crashes} times of {crashes}; NRestarts={restarts}; playing again after "
        f"{min(taken):.1f} to {max(taken):.1f} s")

    for what in ("the room's thread", "the whole process"):
        pid = machine.show("MainPID")
        ours = outside(machine, pid)
        thread = thread_of(ours, "roomful-room")
        if what == "the whole process":
            os.kill(ours, signal.SIGSTOP)
        else:
            stop_thread(thread)

        def is_replaced(pid=pid, thread=thread):
            bury(thread)
            return machine.show("MainPID") not in (pid, "0")

        _, seconds = until(is_replaced, 90, f"{what} hangs, and is noticed")
        now, more = until(room.places, 60, "everybody plays after the hang")
        check(now == places, "others sit where they sat:", places, now)
        say(f"== {what} hangs: a new process after {seconds:.1f} s, everybody plays {more:.1f} s later")
    journal = machine.tell("journalctl", "--no-pager", "-b", "-o", "cat", "-u", UNIT)
    check(journal.count("Watchdog timeout") == 2, "systemd noticed", journal.count("Watchdog timeout"), "of 2 hangs")

    say("== systemctl stop, with everybody there")
    begun = time.monotonic()
    machine.tell("systemctl", "stop", UNIT)
    seconds = time.monotonic() - begun
    result = machine.show("Result")
    check(result == "success" and seconds < 2, f"{result} after {seconds:.1f} s")
    for name in NAMES:
        until(lambda name=name: '"type":"ended"' in room.said(name), 10, f"{name} hears it")
    say(f"{result} after {seconds:.2f} s; all {len(NAMES)} controllers were told")
    room.leave()

    say("== roomful stop")
    machine.tell("systemctl", "start", UNIT)
    machine.tell("roomful", "stop")
    until(lambda: machine.show("ActiveState") == "inactive", 10, "the service has ended")
    time.sleep(3)
    check(machine.show("ActiveState") == "inactive", "stopped, and systemd opened it again")
    say("stays closed")
    # Closed for good: nobody's seat was kept.
    machine.tell("systemctl", "start", UNIT)
    for name in NAMES:
        room.join(name)
    places, _ = until(room.places, 60, "everybody plays in a room that begins anew")
    room.leave()

    say("== the machine reboots")
    machine.reboot()
    check(machine.show("ActiveState") == "active", "after boot the service is", machine.show("ActiveState"))
    for name in NAMES:
        room.join(name)
    now, _ = until(room.places, 60, "everybody plays after the reboot")
    check(now == places, "others sit where they sat:", places, now)
    say(f"open by itself; {len(NAMES)} of {len(NAMES)} seats as before")
    room.leave()

    say("== the package is removed, and installed again")
    for was_open in (True, False):
        if not was_open:
            machine.tell("systemctl", "stop", UNIT)
        machine.tell("apt-get", "remove", "-qy", "roomful")
        check(machine.show("ActiveState") != "active", "without its program the service is active")
        machine.tell("apt-get", "install", "-qy", "--no-install-recommends", "/root/roomful.deb")
        if was_open:
            until(lambda: machine.show("ActiveState") == "active", 30, "the room is open again")
            for name in NAMES:
                room.join(name)
            now, _ = until(room.places, 60, "everybody plays after that")
            check(now == places, "others sit where they sat:", places, now)
            room.leave()
        else:
            time.sleep(3)
            check(machine.show("ActiveState") != "active", "a room that its operator had closed was opened")
    say(f"open again with {len(NAMES)} of {len(NAMES)} seats; closed where its operator had closed it before")

    say("== undone, as it was told")
    machine.tell("sh", "-c", re.search(r"undo:\s+(.*)", told).group(1))
    machine.tell("apt-get", "purge", "-qy", "roomful")
    left = machine.tell("sh", "-c", "find / -xdev -iname '*roomful*' -not -path '/proc/*' -not -path '/root/*' -not -path '/tmp/*' "
                        "-not -path '/var/log/*' -not -path '/run/*'").split()
    # What rooms have kept, and the way there that systemd made.
    check(set(left) <= {"/var/lib/private/roomful", "/var/lib/roomful"}, "left:", left)
    say("left, with the user whose it is:", ", ".join(left) or "nothing")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--bind", action="append", default=[])
    parser.add_argument("--crashes", type=int, default=10)
    parser.add_argument("package", type=pathlib.Path)
    given = parser.parse_args()
    for tool, where in (("debootstrap", "debootstrap"), ("systemd-nspawn", "systemd-container")):
        check(shutil.which(tool), f"{tool} is missing; on Debian: apt-get install {where}")
    check(os.getuid() == 0, "needs root, for debootstrap and systemd-nspawn")
    place = given.root or pathlib.Path(tempfile.mkdtemp(prefix="roomful-service-", dir="/tmp"))
    try:
        if not given.root:
            say("== a Debian 12, made by debootstrap")
            place.chmod(0o755)  # It is a machine's /, which is not root's alone.
            made = run("debootstrap", "--variant=minbase", f"--include={BESIDE}", "bookworm", str(place), timeout=1_800)
            check(made.returncode == 0, made.stdout[-2_000:], made.stderr[-2_000:])
        main(given.package, place, given.bind, given.crashes)
    finally:
        if given.keep:
            say("kept:", place)
        elif not given.root:
            subprocess.run(["rm", "-rf", "--one-file-system", str(place)], check=False)
