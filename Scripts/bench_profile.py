"""Where a host's time and memory go, for Scripts/bench.py: shares of what `perf` and valgrind's `dhat` have seen."""
import json
import shutil
import subprocess
import time

from bench_programs import PROGRAMS, Absent, Program, Room

# What a host does, by what stands on the stack; the first that fits.
STAGES = [
    ("the kernel: datagrams read", "recvmmsg"),
    ("the kernel: feedback sent", "sendmmsg"),
    ("feedback written and sealed", "12nextFeedback", "aes256gcm_encrypt"),
    ("seals opened", "crypto_aead_aes256gcm_decrypt", "crypto_aead_aes256gcm_beforenm", "crypto_aead_chacha20poly1305"),
    ("gestures: recognizers", "RecognizerV6update", "RecognizerRowV", "Sliding", "TimeDrawers"),
    ("gestures: order, attitude, contests", "10InputMerge"),
    ("delays noted", "9noteDelay"),
    ("ledgers, budgets, clocks", "18SessionCoordinator"),
]
# What an engine keeps of a peer, by names on the stacks that asked for the memory: the first that fits.
KEPT = [
    ("recognizers, and what each remembers", "RecognizerRowV", "SwingTail", "HoldStill", "RecognizerV6update"),
    ("a stream: its order, device motion, attitude", "0B0V7connect", "StreamTrackV"),
    ("the player, its gestures and fusion", "6PlayerV", "6FusionV", "InputMerge0B0V6assign"),
    ("delays, as histograms, and the latest stamps", "DelayCountsV", "MergeSinkV6assign"),
    ("the clock, by its probes", "ClockEstimatorV", "DriftEstimateV"),
    ("the last minute, in counts a second", "MinuteHistoryV"),
    ("the link: keys, replay window, ledger, budget", "4PeerV4open_9continues"),
    ("the seat", "SessionCoordinator0B0V5place", "AgendaV"),
    ("the ledger of a stream's samples", "PeerMotionV6stream"),
]
THREAD = ("the room's thread otherwise: it sleeps, wakes, asks for the time", "roomful-room ")
ELSEWHERE = "other threads: connections, events, the disk"


def figure(name, unit, ours, beside=()):
    return {"name": name, "unit": unit, "ours": list(ours), "beside": list(beside)}


def shares(prefix, taken, stages, rest, among=""):
    """Of what perf took the shares, by the first stage of which a word stands on the stack; `among` stands on all of them."""
    said = subprocess.run(["perf", "script", "-i", taken, "-F", "comm,ip,sym"], capture_output=True, text=True).stdout
    counts, total = dict.fromkeys([what for what, *_ in stages] + [rest], 0), 0
    for stack in said.split("\n\n"):
        if stack.strip() and among in stack:
            total += 1
            counts[next((what for what, *words in stages if any(word in stack for word in words)), rest)] += 1
    if total < 500:
        raise Absent(f"perf took {total} samples only")
    return [figure(f"{prefix}-{what}", "%", [count / total * 100]) for what, count in counts.items()]


def profile(folder, controllers=1000, rate=30):
    """Where a live host's processor time goes, and where that of what waits in a socket: either says so when it is called."""
    if not shutil.which("perf"):
        raise Absent("perf is not here: sudo apt install linux-perf")
    record = ["perf", "record", "-e", "cpu-clock", "-F", "1999", "-g", "-o"]
    room, players = Room(folder, controllers), None
    try:
        players = Program(
            PROGRAMS / "ThousandsBenchmark", room.ticket, controllers, rate, 10, **room.environment)
        players.says("have their seats", within=90)
        time.sleep(2)
        subprocess.run(
            [*record, folder / "live.data", "-p", str(room.program.process.pid), "--", "sleep", "7"], capture_output=True)
    finally:
        if players:
            players.end()
        room.end()
    subprocess.run([*record, folder / "drained.data", PROGRAMS / "DatagramBenchmark", "1000"], capture_output=True)
    # Below libsodium perf finds no callers: whose seals they are it cannot say.
    drained = [stage for stage in STAGES if stage[0] != "seals opened"]
    return (
        lambda: shares("profile-live", folder / "live.data", [*STAGES, THREAD], ELSEWHERE),
        lambda: shares(
            "profile-drained", folder / "drained.data", drained, "the loop that does it, and its answers put together",
            among="drainIntoEngine"))


def heap(folder, peers=100):
    """What an engine keeps of a peer whose last minute is full, in bytes asked for: every block, by where it was asked for."""
    if not shutil.which("valgrind"):
        raise Absent("valgrind is not here: sudo apt install valgrind")
    taken = folder / "heap.json"
    # Its own malloc, which counts, is looked into as well.
    done = subprocess.run(
        ["valgrind", "--tool=dhat", "--soname-synonyms=somalloc=NONE", f"--dhat-out-file={taken}",
         PROGRAMS / "CoordinatorBenchmark", "hold", str(peers)], capture_output=True, text=True, timeout=400)
    if done.returncode != 0 or not taken.exists():
        raise Absent(f"valgrind ended with {done.returncode}: {' '.join(done.stderr.split())[-200:]}")
    return held(json.loads(taken.read_text()), peers)


def held(said, peers):
    """Of what dhat says is held at a program's end, the engine's, by what it is for; a peer's part."""
    bytes_of = dict.fromkeys([what for what, *_ in KEPT] + ["the rest"], 0)
    for point in said["pps"]:
        stack = " ".join(said["ftbl"][frame] for frame in point["fs"])
        if "10RoomEngine" in stack or "18SessionCoordinator" in stack:
            bytes_of[next((what for what, *words in KEPT if any(word in stack for word in words)), "the rest")] += point["eb"]
    if not any(bytes_of.values()):
        raise Absent("dhat names nothing of the engine's")
    return [figure(f"heap-{what}", "bytes", [count / peers]) for what, count in bytes_of.items()]
