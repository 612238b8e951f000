"""A real nats-server of a test's own, and an independent client of it (PyPI nats-py)."""
import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import nats
from nats.errors import TimeoutError as NoAnswer
from nats.js.api import ConsumerConfig, DeliverPolicy
from waiting import PATIENCE

SERVER = shutil.which("nats-server") or "/usr/sbin/nats-server"


def free_port():
    """One that the kernel gives to nobody who takes any (32768 and up): it stays free while its broker is down."""
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            port = random.randrange(15_000, 32_000)
            probe.bind(("127.0.0.1", port))
            return port


class Broker:
    """nats-server on 127.0.0.1, ended by its pid."""

    def __init__(self, folder, configuration=None):
        self.port = free_port()
        self.folder = Path(folder)
        self.configuration = configuration
        self.process = None

    @property
    def url(self):
        return f"nats://127.0.0.1:{self.port}"

    def start(self, *more):
        given = ["-c", self.configuration] if self.configuration else ["-js", "-sd", self.folder / "store"]
        with (self.folder / "broker.log").open("ab") as log:
            self.process = subprocess.Popen(
                [SERVER, "-a", "127.0.0.1", "-p", str(self.port), *map(str, given), *more], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as line:
                if line.recv(4) == b"INFO":
                    return self
            assert self.process.poll() is None, (self.folder / "broker.log").read_text()
            time.sleep(0.05)
        raise AssertionError("nats-server does not listen")

    def end(self, how=signal.SIGKILL):
        if self.process and self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGCONT)
            os.kill(self.process.pid, how)
        if self.process:
            self.process.wait()

    def signal(self, which):
        os.kill(self.process.pid, which)

    @property
    def store(self):
        return Path(self.configuration).parent / "jetstream" if self.configuration else self.folder / "store"

    def forget(self):
        """Its disk is lost."""
        shutil.rmtree(self.store, ignore_errors=True)

    def keep_older(self):
        """A copy is made of its disk; it is ended in order for that."""
        self.end(signal.SIGTERM)
        shutil.copytree(self.store, self.folder / "older")
        self.start()

    def put_older(self):
        """It starts with that copy: as a disk that lost its last minutes with the power, or one that was put back."""
        self.forget()
        shutil.copytree(self.folder / "older", self.store)
        self.start()


class Wire:
    """A way to the broker on which what it answers can be lost or late, and which can be cut."""

    def __init__(self, broker):
        self.broker, self.is_mute, self.delay, self.lines = broker, False, 0, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"nats://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                far = socket.create_connection(("127.0.0.1", self.broker.port))
                self.lines += [near, far]
                threading.Thread(target=self.carry, args=(near, far, False), daemon=True).start()
                threading.Thread(target=self.carry, args=(far, near, True), daemon=True).start()

    def carry(self, source, target, is_answer):
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if is_answer:
                    time.sleep(self.delay)
                if not (is_answer and self.is_mute):
                    target.sendall(data)

    def cut(self):
        for line in self.lines:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()
        self.lines = []


def credentials(folder, role):
    """What a client of this role in the folder's site connects with."""
    user, password = (folder / f"site/{role}.credentials").read_text().strip().split(":", 1)
    return {"user": user, "password": password, "inbox_prefix": f"_INBOX_{role}".encode()}


class Witness:
    """What nats-py sees and may, as one of a site's users."""

    def __init__(self, broker, role=None, site="main", **more):
        self.broker, self.site, self.more, self.errors = broker, site, more, []
        if role:
            self.more = credentials(broker.folder, role) | more

    @property
    def stream(self):
        return f"RF_{self.site}_EVENTS"

    def run(self, work):
        """Connects, does `work`, and ends."""

        async def whole():
            async def note(error):
                self.errors.append(str(error))

            client = await nats.connect(self.broker.url, error_cb=note, max_reconnect_attempts=0, connect_timeout=PATIENCE, **self.more)
            try:
                return await work(client)
            finally:
                await client.close()

        return asyncio.run(whole())

    def read(self, first=1, until=None, patience=PATIENCE):
        """The stream's records from a number on, as (number, record), up to what it holds now or `until` says."""

        async def work(client):
            js = client.jetstream(timeout=PATIENCE)
            last = (await js.stream_info(self.stream)).state.last_seq
            pull = await js.pull_subscribe(
                "", stream=self.stream, config=ConsumerConfig(deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=first))
            records, limit = [], time.monotonic() + patience
            while time.monotonic() < limit:
                done = until(records) if until else (records[-1][0] if records else first - 1) >= last
                if done:
                    break
                try:
                    messages = await pull.fetch(100, timeout=0.5)
                except asyncio.TimeoutError:
                    continue
                for message in messages:
                    await message.ack()
                    records.append((message.metadata.sequence.stream, json.loads(message.data)))
            return records

        return self.run(work)
