#!/usr/bin/env python3
"""How long a room is without a host: one is killed, stopped or hands over, and the standby goes on. On loopback.

    .build-venv/bin/python Scripts/takeover-benchmark.py [PROGRAM] [ROUNDS] [kill|stop|handover] [SEED]

Starts a nats-server of its own on 127.0.0.1, and for each round two hosts and a controller, and ends them. Prints, as a
distribution over the rounds, the time from the kill until the standby's claim stands in the room's log, until the room's
first word from its new host, and until the controller has its seat again; of a handover these from the moment at which the
room stops at its first host, and when that is after the command was given. A controller that knows one address cannot find a
room that had to take another port beside a host that is only stopped, so there the last is not asked for.
"""
import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nats

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Operations"))
from ownership import CLAIM, Record, faults_of_events, faults_of_log, read_log  # noqa: E402
from site_broker import Broker, Witness, credentials  # noqa: E402

PATIENCE = 60


class Round:
    """Two hosts of one room, and a controller."""

    def __init__(self, program, broker, folder, number):
        self.program, self.broker, self.number, self.running = program, broker, number, []
        self.folder = folder / f"round{number}"
        self.folder.mkdir()
        self.name = f"Room {number}"
        self.site = ["--site-name", "arcade", "--site-credentials"]

    def start(self, name, *arguments):
        log = (self.folder / f"{name}.log").open("ab")
        process = subprocess.Popen(
            [self.program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=os.environ | {"ROOMFUL_STATE": str(self.folder / name)})
        self.running.append(process)
        return process

    def host(self, name, *flags):
        return self.start(
            name, "host", self.name, "--policy", "open", "--discovery", "none", "--http", "off", "--code-file",
            self.folder / f"{name}.ticket", "--site", self.broker.url, *self.site, self.broker.folder / "site/host.credentials",
            "--site-key", self.broker.folder / "site/site.key", *flags)

    async def says(self, name, words):
        limit = time.monotonic() + PATIENCE
        while words not in (self.folder / f"{name}.log").read_text():
            assert time.monotonic() < limit, f"{self.folder / name}.log never said: {words}"
            await asyncio.sleep(0.02)

    def hand_over(self):
        self.start(
            "operator", "handover", "--room", self.name, "--broker", self.broker.url, *self.site,
            self.broker.folder / "site/operator.credentials")

    def end(self):
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()


async def measured(one, heard, way, delay):
    """Seconds until claim, first word and return, which is None where it is not asked for; and from the deed until that began."""
    first = one.host("first")
    await one.says("first", "opens here (epoch 1")
    one.host("second", "--standby")
    await one.says("first", "a standby is ready")
    one.start("blue", "join", "--code-file", one.folder / "first.ticket", "--as", "Blue", "--replay", ROOT / "Recordings/demo/drop.csv", "--loop")
    await one.says("first", "Blue joined")
    await asyncio.sleep(0.5 + delay)
    heard.clear()
    began = time.monotonic()
    if way == "handover":
        one.hand_over()
    else:
        first.send_signal(signal.SIGKILL if way == "kill" else signal.SIGSTOP)
    wanted = ["claim", "word"] + ([] if way == "stop" else ["return"]) + (["closing"] if way == "handover" else [])
    while not all(each in heard for each in wanted):
        assert time.monotonic() < began + PATIENCE, f"round {one.number}: only {sorted(heard)}"
        await asyncio.sleep(0.005)
    start = heard.get("closing", began)
    return [heard[each] - start if each in heard else None for each in ("claim", "word", "return")] + [start - began]


def line(label, values):
    values = sorted(values)
    at = lambda share: values[min(len(values) - 1, int(share * len(values)))]  # noqa: E731
    return f"{label:34} p50 {1_000 * at(0.5):6.0f}   p90 {1_000 * at(0.9):6.0f}   p99 {1_000 * at(0.99):6.0f}   most {1_000 * values[-1]:6.0f} ms"


async def run(program, broker, folder, rounds, way, seed):
    generator, heard, times = random.Random(seed), {}, []

    async def note_log(message):
        record = Record.read(0, message.data)
        if record.kind == CLAIM and record.epoch == 2:
            heard.setdefault("claim", time.monotonic())

    async def note_event(message):
        record = json.loads(message.data)
        if record.get("epoch") == 1 and record.get("event", {}).get("state") == "closing":
            heard.setdefault("closing", time.monotonic())
        if record.get("epoch") == 2 and "event" in record:
            heard.setdefault("word", time.monotonic())
            if record["event"]["type"] == "player" and record["event"]["state"] in ("joined", "back"):
                heard.setdefault("return", time.monotonic())

    host = await nats.connect(broker.url, **credentials(broker.folder, "host"))
    reader = await nats.connect(broker.url, **credentials(broker.folder, "reader"))
    await host.subscribe("rf.arcade.*.log", cb=note_log)
    await reader.subscribe("rf.arcade.*.events", cb=note_event)
    for number in range(rounds):
        one = Round(program, broker, folder, number)
        try:
            times.append(await measured(one, heard, way, generator.random()))
        finally:
            one.end()
        print(f"round {number}: " + ", ".join("-" if each is None else f"{1_000 * each:.0f} ms" for each in times[-1]), file=sys.stderr)
    await host.close()
    await reader.close()
    return times


def main(program, rounds, way, seed):
    folder = Path(tempfile.mkdtemp(prefix="rf-", dir="/tmp"))
    subprocess.run([program, "site", "init", folder / "site", "--name", "arcade"], check=True, stdout=subprocess.DEVNULL)
    broker = Broker(folder, folder / "site/nats-server.conf").start()
    try:
        times = asyncio.run(run(program, broker, folder, rounds, way, seed))
        events = Witness(broker, "reader", "arcade").read()
        faults = faults_of_events(events)
        for room in sorted({record["room"] for _, record in events}):
            faults += faults_of_log(Witness(broker, "host", "arcade").run(lambda client, room=room: read_log(client, "arcade", room)))
    finally:
        broker.end()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{rounds} rounds, {way}, seed {seed}; processors {os.cpu_count()}, load {os.getloadavg()[0]:.1f}")
    labels = ["claim in the log", "first word of the new host", "controller has its seat again"]
    if way == "handover":
        labels.append("the room stops, from the command")
    for place, label in enumerate(labels):
        values = [each[place] for each in times if each[place] is not None]
        if values:
            print(line(label, values))
    print(f"the checker read {len(events)} events and {rounds} logs, and found {len(faults)} faults")
    for fault in faults:
        print("  " + fault)
    return 1 if faults else 0


if __name__ == "__main__":
    given = sys.argv[1:] + [None] * 4
    sys.exit(main(given[0] or str(ROOT / ".build/debug/roomful"), int(given[1] or 20), given[2] or "kill", int(given[3] or 1)))
