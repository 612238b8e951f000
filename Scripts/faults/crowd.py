#!/usr/bin/env python3
"""Strangers at a room's door, on loopback of a network namespace of its own: what do they cost those who belong there?

usage: crowd.py PROGRAM [--seconds N] [--packets N] [--connections N] [--handshakes N]

Opens a room with PROGRAM (roomful), lets a controller play in it, and then for N seconds sends garbage datagrams, holds
connections into which one byte a second dribbles, and begins handshakes of TLS and hangs up once the host has done its part,
each at most at the rate that is asked for, from another address: all of 127.0.0.0/8 are one to a room, so the namespace's
loopback has one more (as root, or where users may make namespaces). Meanwhile a second controller joins, again and
again. Prints one JSON object: what was really sent, how long the joinings took, and what the seated controller lost. Bounded in
count and time: 60 s and 200,000 packets a second at most.
"""
import argparse
import contextlib
import json
import multiprocessing
import os
import re
import select
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time

# Strangers come from another address than those who belong there.
ELSEWHERE = "10.66.6.6"
INSIDE = "ROOMFUL_CROWD_INSIDE"


def flood(port, rate, until, count):
    stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    stranger.connect(("127.0.0.1", port))
    garbage = [b"\x11" + os.urandom(size) for size in (4, 20, 60, 200, 600)]
    sent, began = 0, time.monotonic()
    while (now := time.monotonic()) < until:
        due = min(int((now - began) * rate), sent + 2_000)
        for number in range(sent, due):
            try:
                stranger.send(garbage[number % 5])
            except OSError:
                pass
        sent = max(sent, due)
        time.sleep(0.001)
    count.value = sent


def dribble(port, most, until, count):
    held = []
    while time.monotonic() < until:
        for _ in range(min(100, most - len(held))):
            try:
                one = socket.create_connection(("127.0.0.1", port), 1, source_address=(ELSEWHERE, 0))
                one.setblocking(False)
                held.append(one)
                count.value += 1
            except OSError:
                break
        for one in list(held):
            try:
                one.send(b"\x16")
                if not one.recv(1):
                    raise ConnectionError
            except BlockingIOError:
                pass
            except OSError:
                one.close()
                held.remove(one)
        time.sleep(1 if len(held) >= most else 0.05)


def greeting():
    """What begins a handshake of TLS: the same bytes serve any number of times, and cost their sender nothing."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    outgoing = ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), outgoing).do_handshake()
    return outgoing.read()


def shake(port, rate, until, count):
    """Begins handshakes, waits until the host has done its part of each (its key exchange and signature), hangs up."""
    hello, waiting, begun = greeting(), select.epoll(), 0
    held, began = {}, time.monotonic()
    while (now := time.monotonic()) < until:
        for _ in range(min(int((now - began) * rate) - begun, 256 - len(held), 64)):
            one = socket.socket()
            one.setblocking(False)
            one.bind((ELSEWHERE, 0))
            one.connect_ex(("127.0.0.1", port))
            held[one.fileno()] = (one, now)
            waiting.register(one, select.EPOLLOUT)
            begun += 1
        for number, what in waiting.poll(0.002):
            one, since = held[number]
            try:
                if what & select.EPOLLOUT:
                    one.send(hello)
                    waiting.modify(one, select.EPOLLIN)
                    continue
                # A record of type 22: the host's own part of the handshake.
                count.value += one.recv(1) == b"\x16"
            except OSError:
                pass
            waiting.unregister(one)
            del held[number]
            one.close()
        # Who is answered nothing makes room.
        for number, (one, since) in [(n, o) for n, o in held.items() if now - o[1] > 2]:
            waiting.unregister(one)
            del held[number]
            one.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--packets", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=1_000)
    parser.add_argument("--handshakes", type=int, default=2_000)
    wish = parser.parse_args()
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"]),
                              sys.executable, *sys.argv])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["ip", "address", "add", f"{ELSEWHERE}/32", "dev", "lo"], check=True)
    folder = tempfile.mkdtemp(prefix="roomful-crowd-")
    environment = {**os.environ, "ROOMFUL_STATE": folder}
    environment.pop("XDG_RUNTIME_DIR", None)
    started = []

    def run(*arguments, state=None, **options):
        process = subprocess.Popen(
            [wish.program, *arguments], env={**environment, "ROOMFUL_STATE": state or folder}, text=True,
            stdin=subprocess.DEVNULL, **{"stderr": subprocess.DEVNULL, **options})
        started.append(process)
        return process

    def status():
        return json.loads(subprocess.run(
            [wish.program, "peers", "--json"], env=environment, capture_output=True, text=True, timeout=30).stdout)

    try:
        recording = folder + "/rest.csv"
        with open(recording, "w") as file:
            file.write("t_s,ax,ay,az,gx,gy,gz\n")
            file.writelines(f"{step / 100:.2f},0,0,{9.80665 + 0.01 * (step % 3):.4f},0,0,0\n" for step in range(20_000))
        ticket = folder + "/ticket"
        host = run("host", "Crowd", "--seats", "64", "--policy", "open", "--discovery", "none", "--http", "off",
                   "--code-file", ticket, stdout=subprocess.DEVNULL)
        while not os.path.exists(ticket):
            assert host.poll() is None, "the room does not open"
            time.sleep(0.05)
        text = open(ticket).read()
        port = int(re.search(r"^address 127\.0\.0\.1:(\d+)$", text, re.M).group(1))
        # Those who belong there do not come from the strangers' address.
        ticket = folder + "/near"
        with open(os.open(ticket, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.writelines(line + "\n" for line in text.splitlines()
                            if not line.startswith("address ") or line == f"address 127.0.0.1:{port}")

        def join(name, replay):
            return run("join", "--code-file", ticket, "--as", name, "--replay", replay,
                       state=folder + "/" + name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

        player = join("Player", recording)
        player.stdout.readline()
        time.sleep(2)
        seconds = min(wish.seconds, 60)
        until = time.monotonic() + seconds
        counts = [multiprocessing.Value("q", 0) for _ in range(3)]
        crowd = [
            multiprocessing.Process(target=flood, args=(port, min(wish.packets, 200_000), until, counts[0])),
            multiprocessing.Process(target=dribble, args=(port, min(wish.connections, 4_000), until, counts[1])),
            multiprocessing.Process(target=shake, args=(port, min(wish.handshakes, 5_000), until, counts[2])),
        ]
        for one in crowd:
            one.start()
        time.sleep(1)
        joinings = []
        while time.monotonic() < until - 2:
            began = time.monotonic()
            good = join(f"Good{len(joinings)}", recording)
            line = good.stdout.readline()
            joinings.append(round(1_000 * (time.monotonic() - began)))
            assert "seat" in line, f"a good controller heard: {line}"
            good.terminate()
            good.wait(10)
        for one in crowd:
            one.join(20)
        time.sleep(2)
        peer = next(peer for peer in status() if peer["name"] == "Player")
        print(json.dumps({
            "seconds": seconds, "packets": counts[0].value, "connections": counts[1].value,
            "handshakes": counts[2].value, "joiningMs": joinings,
            "player": {"state": peer["state"], **{key: peer["samples"][key] for key in ("delivered", "late", "missing")}},
        }))
    finally:
        for process in started:
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
