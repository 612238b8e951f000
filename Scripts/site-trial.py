#!/usr/bin/env python3
"""Rooms that outlive their machines, tried in namespaces: three hosts, three brokers, three rooms of twenty controllers.

    sudo .build-venv/bin/python Scripts/site-trial.py [PROGRAM] [--rounds 20] [--kinds kill,stop,…] [--seed 1] [--planted]
        [--all-brokers] [--name trial]

Eight machines (Scripts/lan.sh): 1 to 3 are hosts, 4 to 6 brokers in one cluster, 7 has the controllers, 8 the checker. Every
host and broker has two cables: hosts reach brokers by the second switch, brokers each other and controllers their hosts by the
first. Each room has its owner on one machine and a standby on the next; each machine is told of one broker, or of all, its own
first (--all-brokers). A log has one replica, wherever the brokers put it. A round is one fault of one kind:

    kill              the owner of a room is killed, and started again once another owns the room
    stop              it is stopped for 10 s
    host-broker       its machine's cable to the brokers is out for 4 to 12 s
    host-controllers  its machine's cable to the controllers is: nobody takes over, as its log is there
    broker-broker     one broker's cable to the other two is

and ends when each room has an owner, a ready standby, and all its controllers in their seats. Prints, as distributions, the
time from the fault until the standby's claim stood in the log, until the new owner's first word in the stream (both by the
brokers' own stamps), and until each controller had its seat again. A checker that shares no code with hosts reads all logs
and the stream: one owner at a time, no event number twice, no seat lost. --planted writes a second owner into one log and the
stream at the end: then the checker must find it. Ends with 0 where it found what it should.
"""
import argparse
import functools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Operations"))
import waiting  # noqa: E402
from door import ask  # noqa: E402
from ownership import CLAIM  # noqa: E402
from site_books import PATIENCE, Books  # noqa: E402
from site_broker import SERVER  # noqa: E402

LAN = ROOT / "Scripts/lan.sh"
NAME, MACHINES, CONTROLLERS, CHECKER = "trial", 8, 7, 8
HOSTS, BROKERS = (1, 2, 3), (4, 5, 6)
ROOMS, PLAYERS = ("Hall", "Attic", "Cellar"), 20
KINDS = ("kill", "stop", "host-broker", "host-controllers", "broker-broker")
until = functools.partial(waiting.until, within=PATIENCE)


def lan(*arguments):
    subprocess.run([LAN, *map(str, arguments)], check=True)


def cable(machine, switch, state):
    """Pulls one cable at its switch, or plugs it in: `port` leads to the first, `second` to the second."""
    subprocess.run(["ip", "-n", f"{NAME}-switch", "link", "set", f"{switch}{machine}", state], check=True)


class Machines:
    """Programs on machines, each with its log, ended by their pids."""

    def __init__(self, folder):
        self.folder, self.running = folder, []

    def start(self, machine, name, *command):
        with (self.folder / f"{name}.log").open("ab") as log, (self.folder / f"{name}.out").open("ab") as out:
            process = subprocess.Popen(
                ["ip", "netns", "exec", f"{NAME}-{machine}", *map(str, command)], stdin=subprocess.DEVNULL, stdout=out, stderr=log,
                env=os.environ | {"ROOMFUL_STATE": str(self.folder / name)})
        self.running.append(process)
        return process

    def end(self):
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
        for process in self.running:
            process.wait()


class Host:
    """One of the two programs that could own a room."""

    def __init__(self, trial, room, machine):
        self.trial, self.room, self.machine = trial, room, machine
        self.name = f"{room}-{machine}"
        self.process = None

    def start(self, *flags):
        trial, own = self.trial, BROKERS[HOSTS.index(self.machine)]
        told = [own] + [each for each in BROKERS if each != own] if trial.tells_all else [own]
        self.process = trial.machines.start(
            self.machine, self.name, trial.program, "host", self.room, "--seats", PLAYERS, "--policy", "open", "--discovery", "none",
            "--http", "off", "--json", "--port", 7_101 + ROOMS.index(self.room), "--grace", "5min", "--code-file",
            trial.folder / f"{self.name}.ticket", "--site", ",".join(f"nats://10.78.0.{each}:4222" for each in told), "--site-name", "arcade",
            "--site-credentials", trial.folder / "site/host.credentials", "--site-key", trial.folder / "site/site.key", *flags)

    def status(self):
        """What the program says of the room, if it has it; nothing of one that is stopped or has no room."""
        for door in (self.trial.folder / self.name).rglob("*.sock"):
            try:
                return ask(door, {"task": "status"}, within=1)[0].get("status")
            except (OSError, ValueError):
                continue
        return None

    @property
    def numbers(self):
        """Of the events that it told whoever was on its own machine."""
        text = (self.trial.folder / f"{self.name}.out").read_text(errors="replace")
        events = [json.loads(line) for line in text.splitlines() if line.startswith("{") and line.endswith("}")]
        return {event["n"] for event in events if "n" in event and event["type"] != "hello"}


class Trial:
    """The house as it plays, and one fault after the other."""

    def __init__(self, program, folder, seed, tells_all):
        self.program, self.folder, self.generator, self.tells_all = program, folder, random.Random(seed), tells_all
        self.machines = Machines(folder)
        self.hosts = {
            room: [Host(self, room, HOSTS[place]), Host(self, room, HOSTS[(place + 1) % 3])] for place, room in enumerate(ROOMS)}
        self.controllers = []
        self.books = Books(folder, [f"nats://10.78.0.{broker}:4222" for broker in BROKERS], self.hosts)
        self.times = defaultdict(lambda: defaultdict(list))
        self.rounds = defaultdict(int)

    # MARK: Setting up

    def open(self):
        subprocess.run(
            [self.program, "site", "init", self.folder / "site", "--name", "arcade"], check=True, stdout=subprocess.DEVNULL)
        for broker in BROKERS:
            self.machines.start(broker, f"broker-{broker}", SERVER, "-c", self.configuration(broker))
        for room in ROOMS:
            owner, standby = self.hosts[room]
            owner.start()
            status = until(owner.status, lambda owner=owner: self.said(owner.name))
            self.books.ids[room] = status["room"]
            standby.start("--standby")
            ticket = until(lambda owner=owner: self.ticket(owner), "a ticket")
            addresses = "".join(f"address 10.77.0.{host.machine}:{status['port']}\n" for host in self.hosts[room])
            (self.folder / f"{room}.ticket").write_text(re.sub(r"(address .*\n)+", addresses, ticket))
            for player in range(PLAYERS):
                self.controllers.append(self.machines.start(
                    CONTROLLERS, f"{room}-pad-{player}", self.program, "join", "--code-file", self.folder / f"{room}.ticket",
                    "--as", f"Pad {player}", "--discovery", "none", "--replay", ROOT / "Recordings/demo/tilt.csv", "--loop",
                    "--rate", 5))
        self.recover()

    def ticket(self, host):
        path = self.folder / f"{host.name}.ticket"
        return path.read_text() if path.exists() else ""

    def configuration(self, broker):
        """What `site init` wrote, for one of three in a cluster."""
        text = (self.folder / "site/nats-server.conf").read_text()
        for key, value in (
                ("server_name", f"broker-{broker}"), ("listen", f"10.78.0.{broker}:4222"), ("store_dir", self.folder / f"store-{broker}")):
            text = re.sub(rf"(?m)^(\s*){key}: .*$", rf'\1{key}: "{value}"', text, count=1)
        routes = ", ".join(f'"nats-route://10.77.0.{other}:6222"' for other in BROKERS)
        text += f'cluster {{ name: arcade, listen: "10.77.0.{broker}:6222", no_advertise: true, routes: [{routes}] }}\n'
        path = self.folder / f"broker-{broker}.conf"
        path.write_text(text)
        path.chmod(0o600)
        return path

    def said(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")[-2_000:]

    # MARK: How it stands

    def owner(self, room):
        """Who has the room, with the room's status; nothing while nobody says so."""
        for host in self.hosts[room]:
            status = host.status() if host.process.poll() is None else None
            if status and "owns the room" in ((status.get("site") or {}).get("ownership") or ""):
                return host, status
        return None

    def is_whole(self, room):
        found = self.owner(room)
        if not found or "a standby is ready" not in found[1]["site"]["ownership"] or found[1]["site"]["waiting"] > 0:
            return False
        return sum((peer["state"], peer["link"]) == ("active", "good") for peer in found[1]["peers"]) == PLAYERS

    def recover(self):
        for room in ROOMS:
            until(lambda room=room: self.is_whole(room), lambda room=room: self.standing(room))
        dead = [process.args for process in self.controllers if process.poll() is not None]
        assert not dead, f"controllers ended: {dead}"

    def standing(self, room):
        found = self.owner(room)
        peers = [(peer["name"], peer["state"], peer["link"]) for peer in found[1]["peers"]] if found else []
        words = found[1]["site"] if found else "nobody owns it"
        return f"{room}: {words} {peers}\n" + "\n".join(self.said(host.name) for host in self.hosts[room])

    # MARK: Faults

    def round(self, kind):
        owners = {room: until(lambda room=room: self.owner(room), "an owner")[0] for room in ROOMS}
        room = self.generator.choice(ROOMS)
        victim, span = owners[room], self.generator.uniform(4, 12)
        machine = self.generator.choice(BROKERS) if kind == "broker-broker" else victim.machine
        time.sleep(self.generator.random())
        began = time.time()
        if kind == "kill":
            victim.process.kill()
            victim.process.wait()
            until(lambda: self.owner(room), lambda: self.standing(room))
            victim.start("--standby")
        elif kind == "stop":
            victim.process.send_signal(signal.SIGSTOP)
            time.sleep(10)
            victim.process.send_signal(signal.SIGCONT)
        else:
            switch = "second" if kind == "host-broker" else "port"
            cable(machine, switch, "down")
            time.sleep(span)
            if kind == "host-controllers":
                assert not any(self.is_whole(each) for each in ROOMS if owners[each] is victim), "the cable is out, and nobody noticed"
            cable(machine, switch, "up")
        healed = time.time()
        self.recover()
        whole = time.time()
        before = {room: self.books.logs[identity][-1][1].epoch for room, identity in self.books.ids.items()}
        self.books.read()
        hit = [each for each in ROOMS if each == room or kind in ("host-broker", "host-controllers") and owners[each].machine == machine]
        self.note(kind, began, healed, whole, before, hit)

    def note(self, kind, began, healed, whole, before, hit):
        """What the round took, by the brokers' own stamps."""
        times, words = self.times[kind], []
        self.rounds[kind] += 1
        for room in ROOMS:
            identity = self.books.ids[room]
            claims = [at for at, record in self.books.logs[identity] if record.kind == CLAIM and record.epoch > before[room]]
            if not claims:
                continue
            told = [(at, record) for _, record, at in self.books.events if record["room"] == identity and record["epoch"] > before[room]]
            back = {}
            for at, record in told:
                event = record.get("event", {})
                if event.get("type") == "player" and event["state"] in ("joined", "back"):
                    back.setdefault(event["player"], at - began)
            times["claim"].append(claims[0] - began)
            times["word"].append(min(at for at, record in told if "event" in record) - began)
            times["seat"] += back.values()
            words.append(f"{room} {1_000 * times['claim'][-1]:.0f}, {1_000 * times['word'][-1]:.0f}, {1_000 * max(back.values(), default=0):.0f} ms")
            if len(claims) > 1:
                words.append(f"{room} was claimed {len(claims)} times")
            if room not in hit:
                times["others"].append(room)
        if kind in ("kill", "stop", "host-broker"):
            times["expected"] += hit
        times["whole"].append(whole - healed)
        print(
            f"{self.rounds[kind]:3} {kind}: " + ("; ".join(words) or "nobody took over") + f"; whole {whole - healed:.1f} s after it was over",
            file=sys.stderr, flush=True)


def row(label, values):
    values = sorted(values)
    if not values:
        return f"  {label:37} never"
    at = lambda share: 1_000 * values[min(len(values) - 1, int(share * len(values)))]  # noqa: E731
    return f"  {label:37} p50 {at(0.5):7.0f}   p90 {at(0.9):7.0f}   most {at(1):7.0f} ms   ({len(values)})"


def report(trial):
    for kind in KINDS:
        times = trial.times[kind]
        if not trial.rounds[kind]:
            continue
        print(f"{kind}, {trial.rounds[kind]} rounds")
        if times["expected"]:
            print(f"  {len(times['claim'])} takeovers of {len(times['expected'])} rooms whose owner was hit")
        if times["claim"]:
            print(row("claim in the log", times["claim"]))
            print(row("first word of the new owner", times["word"]))
            print(row("a controller has its seat again", times["seat"]))
        elif not times["expected"]:
            print("  nobody took over")
        print(row("all is whole, once the fault is over", times["whole"]))


def inside(given):
    folder = Path(tempfile.mkdtemp(prefix="rf-", dir="/tmp"))
    trial = Trial(given.program, folder, given.seed, given.all_brokers)
    plan = [kind for _ in range(given.rounds) for kind in given.kinds]
    trial.generator.shuffle(plan)
    began, isOver = time.monotonic(), False
    try:
        trial.open()
        trial.books.read()
        print(f"all is set up after {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        for kind in plan:
            trial.round(kind)
            if given.minutes and time.monotonic() - began > 60 * given.minutes:
                break
        isOver = True
    finally:
        if not isOver:
            print(f"the trial broke off; what everybody said is kept in {folder}", file=sys.stderr)
        elif given.planted:
            trial.books.plant(trial.books.ids[ROOMS[0]])
            trial.books.read()
        trial.machines.end()
        report(trial)
        checked = check(trial, given, isOver)
    return checked


def check(trial, given, isOver):
    """What the checker finds in all that was read, also where the trial broke off."""
    faults, books = trial.books.faults(), trial.books
    print(
        f"{sum(trial.rounds.values())} rounds, seed {given.seed}; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; the checker read "
        f"{sum(map(len, books.logs.values()))} records of {len(books.logs)} logs and {len(books.events)} of the stream, and found {len(faults)} faults")
    for fault in faults[:20]:
        print("  " + fault)
    if isOver and (given.planted or not faults):
        shutil.rmtree(trial.folder, ignore_errors=True)
    return 0 if bool(faults) == given.planted else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=str(ROOT / ".build/debug/roomful"))
    parser.add_argument("--rounds", type=int, default=20, help="of each kind")
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=list(KINDS))
    parser.add_argument("--minutes", type=float, help="no more rounds after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all-brokers", action="store_true", help="each machine is told of all brokers, its own first")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--name", default=NAME, help="of its namespaces, up to 8 letters and digits: several trials can run beside each other")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if unknown := set(given.kinds) - set(KINDS):
        parser.error(f"no such kind: {', '.join(unknown)}; there are {', '.join(KINDS)}")
    globals()["NAME"] = given.name
    if given.inside:
        return inside(given)
    lan("up", NAME, MACHINES, "--no-avahi")
    try:
        for machine in (*HOSTS, *BROKERS, CHECKER):
            lan("cable", NAME, machine, "second")
        return subprocess.run([LAN, "in", NAME, str(CHECKER), sys.executable, __file__, *sys.argv[1:], "--inside"], check=False).returncode
    finally:
        lan("down", NAME)


if __name__ == "__main__":
    sys.exit(main())
