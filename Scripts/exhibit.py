#!/usr/bin/env python3
"""The program as an exhibit for an hour, or a night: visitors come, play and leave, and nothing may grow.

usage: exhibit.py [--program FILE] [--minutes 60] [--every 3] [--budget 20] [--json]

A host with a recorder under a budget, a log, opening hours and idle-reset; every few seconds a visitor joins over sockets with
an identity of its own, replays what somebody did with a phone, and says goodbye; every fifth is killed instead. A release
build's `roomful` unless another is named. Each minute: memory (proc(5), VmRSS), open descriptors, bytes of the seats' database,
of recordings and of the log. Ends with 1 where one of them grows, or the room's count of visitors is not ours. For months in
minutes, in simulated time: MonthsCheck.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = ("minute", "visitors", "left", "memory MB", "descriptors", "database kB", "recordings MB", "log kB")


class Exhibit:
    def __init__(self, program, folder, budget):
        self.program, self.folder = program, folder
        self.environment = {key: value for key, value in os.environ.items() if key != "XDG_RUNTIME_DIR"}
        (folder / "room.toml").write_text(
            'name = "Exhibit"\nseats = 8\npolicy = "open"\ndiscovery = "none"\nhttp = "off"\ngrace = "10s"\nidle-reset = "1min"\n'
            f'hours = ["daily 00:00-23:59"]\nrecord = "{folder}/evenings/"\nrecord-budget = "{budget}MB"\n'
            f'code-file = "{folder}/ticket"\n')
        self.log = folder / "log"
        self.host = subprocess.Popen(
            [program, "host", "--config", str(folder / "room.toml"), "--json"], stdin=subprocess.DEVNULL,
            stdout=(folder / "events").open("w"), stderr=self.log.open("w"), env=self.as_("host"))
        self.there, self.visitors, self.killed, self.refused = [], 0, 0, 0
        end = time.monotonic() + 30
        while not ((folder / "ticket").exists() and (folder / "ticket").read_text()):
            if self.host.poll() is not None or time.monotonic() > end:
                sys.exit(f"exhibit.py: the host did not open: {self.log.read_text()}")
            time.sleep(0.1)

    def as_(self, who):
        return self.environment | {"ROOMFUL_STATE": str(self.folder / who)}

    def admit(self):
        self.visitors += 1
        name = f"v{self.visitors}"
        recording = ROOT / "Recordings/demo" / ("drop.csv", "tilt.csv", "toss.csv")[self.visitors % 3]
        with self.said(name).open("w") as said:
            process = subprocess.Popen(
                [self.program, "join", "--code-file", str(self.folder / "ticket"), "--as", name, "--replay", str(recording),
                 "--json"], stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.DEVNULL, env=self.as_(name))
        self.there.append((name, process, time.monotonic()))

    def said(self, name):
        return self.folder / f"{name}.said"

    def look_after(self):
        """Kills whom something happens, and clears away what those who are gone have left on our disk."""
        now, stay = time.monotonic(), []
        for name, process, since in self.there:
            # Who has no seat yet is not in the room's count, either.
            if (process.poll() is None and int(name[1:]) % 5 == 0 and now - since > 3
                    and '"type":"seated"' in self.said(name).read_text()):
                process.kill()
                process.wait()
                self.killed += 1
            elif process.poll():
                self.refused += 1
            if process.poll() is None:
                stay.append((name, process, since))
            else:
                shutil.rmtree(self.folder / name, ignore_errors=True)
                self.said(name).unlink()
        self.there = stay

    def figures(self, minute):
        status = pathlib.Path(f"/proc/{self.host.pid}/status").read_text()
        bytes_below = lambda path: sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
        events = map(json.loads, (self.folder / "events").read_text().rsplit("\n", 1)[0].splitlines())
        left = sum(event["type"] == "player" and event["state"] == "left" for event in events)
        return dict(zip(COLUMNS, (
            minute, self.visitors, left, round(int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1e3, 1),
            len(os.listdir(f"/proc/{self.host.pid}/fd")), round(bytes_below(self.folder / "host") / 1e3),
            round(bytes_below(self.folder / "evenings") / 1e6, 1), round(self.log.stat().st_size / 1e3, 1))))

    def end(self):
        for _, process, _ in self.there:
            process.kill()
            process.wait()
        self.host.terminate()
        return self.host.wait(timeout=20)


def grown(first, last, budget):
    """What may not have grown, between a quarter of the time and its end."""
    limits = {"memory MB": first["memory MB"] * 1.15 + 4, "descriptors": first["descriptors"] + 16,
              "database kB": first["database kB"] + 4_500, "recordings MB": budget * 1.3,
              "log kB": first["log kB"] + 100}
    return [f"{what}: {first[what]} and then {last[what]}" for what, limit in limits.items() if last[what] > limit]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / ".build/release/roomful"))
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--every", type=float, default=3)
    parser.add_argument("--budget", type=int, default=20, help="MB of recordings")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="roomful-exhibit-", dir="/tmp"))
    exhibit, first, last = Exhibit(given.program, folder, given.budget), None, None
    print(*COLUMNS, sep="  ") if not given.json else None
    try:
        begun = time.monotonic()
        next_visitor = begun
        for minute in range(1, given.minutes + 1):
            while time.monotonic() < begun + minute * 60:
                if time.monotonic() >= next_visitor:
                    exhibit.admit()
                    next_visitor += given.every
                exhibit.look_after()
                if exhibit.host.poll() is not None:
                    sys.exit(f"exhibit.py: the host has ended with {exhibit.host.returncode}")
                time.sleep(0.2)
            last = exhibit.figures(minute)
            if minute == max(1, given.minutes // 4):
                first = last
            if given.json:
                print(json.dumps(last), flush=True)
            elif minute % max(1, given.minutes // 12) == 0:
                print("  ".join(f"{last[what]:>{len(what)}}" for what in COLUMNS), flush=True)
        # Who was killed is let go after the grace.
        until = time.monotonic() + 60
        while exhibit.there and time.monotonic() < until:
            exhibit.look_after()
            time.sleep(0.2)
        time.sleep(25)
        last = exhibit.figures(given.minutes)
        code = exhibit.end()
        broken = grown(first, last, given.budget) + ([] if code == 0 else [f"the host ended with {code}"])
        seated = exhibit.visitors - exhibit.refused
        if last["left"] != seated:
            broken.append(f"the room let {last['left']} go, of {seated}")
        print(f"{exhibit.visitors} visitors, of whom {exhibit.killed} were killed and {exhibit.refused} found no seat:", "; ".join(broken) or "nothing grows")
        sys.exit(1 if broken else 0)
    finally:
        if exhibit.host.poll() is None:
            exhibit.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
