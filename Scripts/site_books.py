"""The checker of site-trial.py: reads all that logs and stream hold, and shares no code with hosts."""
import asyncio
import base64
import json
import sys
import time
from collections import defaultdict
from datetime import datetime
from pathlib import Path

import nats
from nats.js.api import ConsumerConfig, DeliverPolicy

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Tests/Operations"))
from ownership import BEAT, CLAIM, Record, faults_of_events, faults_of_log, faults_of_seats  # noqa: E402
from site_broker import credentials  # noqa: E402

PATIENCE = 180


def moment(text):
    """Seconds since 1970 of a time with up to nine places, as brokers stamp it."""
    whole, _, fraction = text.removesuffix("Z").partition(".")
    return datetime.fromisoformat(whole + "+00:00").timestamp() + float("0." + (fraction or "0"))


class Books:
    """All that logs and stream hold, read piece by piece: a log keeps its newest 2,048 records alone."""

    def __init__(self, folder, brokers, hosts):
        """Of the site in this folder, at the brokers' addresses; `hosts` are those of each room, by its name."""
        self.folder, self.brokers, self.hosts = folder, brokers, hosts
        self.ids, self.logs, self.events, self.replicas = {}, defaultdict(list), [], set()

    def read(self):
        """A broker that was just cut off may leave one request without an answer: it is asked again from where this got to."""
        limit = time.monotonic() + PATIENCE
        while True:
            try:
                return asyncio.run(self.read_all())
            except (nats.errors.Error, OSError) as error:
                if time.monotonic() > limit:
                    raise
                print(f"    the checker has no answer of a broker ({error}); once more", file=sys.stderr, flush=True)
                time.sleep(1)

    async def connect(self, role):
        return await nats.connect(servers=self.brokers, connect_timeout=30, **credentials(self.folder, role))

    @staticmethod
    async def ask(client, call, body):
        answer = json.loads((await client.request(f"$JS.API.STREAM.{call}", json.dumps(body).encode(), timeout=30)).data)
        if problem := answer.get("error"):
            raise nats.errors.Error(f"{call}: {problem.get('description')}")
        return answer

    async def read_all(self):
        client = await self.connect("host")
        for room in self.ids.values():
            stream, log = f"RF_arcade_LOG_{room}", self.logs[room]
            about = await self.ask(client, f"INFO.{stream}", {})
            self.replicas.add(about["config"]["num_replicas"])
            first = max(log[-1][1].place + 1 if log else 1, about["state"]["first_seq"])
            for place in range(first, about["state"]["last_seq"] + 1):
                message = (await self.ask(client, f"MSG.GET.{stream}", {"seq": place}))["message"]
                log.append((moment(message["time"]), Record.read(place, base64.b64decode(message["data"]))))
        await client.close()
        client = await self.connect("reader")
        stream, first = "RF_arcade_EVENTS", self.events[-1][0] + 1 if self.events else 1
        last = (await self.ask(client, f"INFO.{stream}", {}))["state"]["last_seq"]
        if last >= first:
            pull = await client.jetstream(timeout=30).pull_subscribe(
                "", stream=stream, config=ConsumerConfig(deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=first))
            while first <= last:
                for message in await pull.fetch(500, timeout=30):
                    await message.ack()
                    facts = message.metadata
                    first = facts.sequence.stream + 1
                    self.events.append((facts.sequence.stream, json.loads(message.data), facts.timestamp.timestamp()))
        await client.close()

    def plant(self, room):
        """Another host writes into a log and the stream, as one would that did not care whose the room is."""

        async def write():
            client = await self.connect("host")
            js = client.jetstream(timeout=30)
            record = next(record for _, record in reversed(self.logs[room]) if record.kind == CLAIM)
            beat = bytearray(record.bytes[:44])
            beat[1], beat[12:20] = BEAT, (77).to_bytes(8, "big")
            await js.publish(f"rf.arcade.{room}.log", bytes(beat))
            told = next(told for _, told, _ in reversed(self.events) if told["room"] == room and "event" in told)
            await js.publish(f"rf.arcade.{room}.events", json.dumps(told | {"host": "another"}).encode())
            await client.close()

        asyncio.run(write())

    def faults(self):
        """What the checker finds; one line each."""
        found = []
        for room in self.ids.values():
            found += [f"log of {room[:8]}: {fault}" for fault in faults_of_log([record for _, record in self.logs[room]])]
        stream = [(place, told) for place, told, _ in self.events]
        found += faults_of_events(stream) + faults_of_seats(stream)
        for room, hosts in self.hosts.items():
            one, other = (host.numbers for host in hosts)
            if twice := one & other:
                found.append(f"{room}: both hosts told the numbers {sorted(twice)[:5]} on their own machines")
        if self.replicas != {1}:
            found.append(f"logs have {sorted(self.replicas)} replicas")
        return found
