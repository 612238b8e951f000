"""Where a host's time and memory go, for Scripts/bench.py: shares of what `perf` and valgrind's `dhat` have seen."""
import contextlib
import json
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

from bench_programs import PROGRAMS, Absent, Program, Room, waiting

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
# What a host of phones does.
PHONES = [
    ("the kernel: bytes read", "ksys_read"),
    ("the kernel: feedback written", "ksys_write"),
    ("TLS opened and sealed", "CNIOBoringSSL_SSL_read", "CNIOBoringSSL_SSL_write"),
    ("gestures, attitude, contests", "10InputMerge"),
    ("ledgers, budgets, clocks", "18SessionCoordinator"),
]
# What a connection that waits has asked for, by the innermost of these names on the stack.
WAITING = [
    ("NIOSSL: its own buffers, for a record of TLS each", "NIOSSLHandlerC12handlerAdded", "ByteBufferBIO"),
    ("NIOSSL: the rest", "NIOSSLServerHandler"),
    ("BoringSSL: keys, session, handshake's ends", "bssl::", "CNIOBoringSSL_SSL_"),
    ("NIO: the channel, its pipeline, WebSocket, timers", "7NIOPosix", "7NIOCore", "12NIOWebSocket", "8NIOHTTP1"),
    ("Roomful's own", "11ControlPort", "8WebFront", "10RoomServer"),
]
THREAD = ("the room's thread otherwise: it sleeps, wakes, asks for the time", "roomful-room ")
ELSEWHERE = "other threads: connections, events, the disk"
CONNECTIONS = "NIO's threads otherwise: they wait, wake, and hand bytes from handler to handler"


def figure(name, unit, ours, beside=()):
    return {"name": name, "unit": unit, "ours": list(ours), "beside": list(beside)}


def shares(prefix, data, stages, rest, among=""):
    """Of what perf took the shares, by the first stage of which a word stands on the stack; `among` stands on all of them."""
    said = subprocess.run(["perf", "script", "-i", data, "-F", "comm,ip,sym"], capture_output=True, text=True).stdout
    counts, total = dict.fromkeys([what for what, *_ in stages] + [rest], 0), 0
    for stack in said.split("\n\n"):
        if stack.strip() and among in stack:
            total += 1
            counts[next((what for what, *words in stages if any(word in stack for word in words)), rest)] += 1
    if total < 500:
        raise Absent(f"perf took {total} samples only")
    return [figure(f"{prefix}-{what}", "%", [count / total * 100]) for what, count in counts.items()]


def taken(folder, name, *words):
    """What perf takes of a program, which is waited for, into a file."""
    if not shutil.which("perf"):
        raise Absent("perf is not here: sudo apt install linux-perf")
    subprocess.run(
        ["perf", "record", "-e", "cpu-clock", "-F", "1999", "-g", "-o", folder / f"{name}.data", *map(str, words)],
        capture_output=True)
    return folder / f"{name}.data"


def profile(folder, controllers=1000, rate=30):
    """Where a live host's processor time goes."""
    room, players = Room(folder, controllers), None
    try:
        players = Program(
            PROGRAMS / "ThousandsBenchmark", room.ticket, controllers, rate, 10, **room.environment)
        players.says("have their seats", within=90)
        time.sleep(2)
        live = taken(folder, "live", "-p", room.program.process.pid, "--", "sleep", 7)
    finally:
        if players:
            players.end()
        room.end()
    return shares("profile-live", live, [*STAGES, THREAD], ELSEWHERE)


def profile_drained(folder):
    """Where that of what waits in a socket goes."""
    drained = taken(folder, "drained", PROGRAMS / "DatagramBenchmark", 1000)
    # Below libsodium perf finds no callers: whose seals they are it cannot say.
    stages = [stage for stage in STAGES if stage[0] != "seals opened"]
    return shares(
        "profile-drained", drained, stages, "the loop that does it, and its answers put together", among="drainIntoEngine")


def profile_phones(folder, phones=500):
    """Where that of a host of phones goes: its room is a process that the benchmark begins."""
    players = Program(PROGRAMS / "PhoneBenchmark", "--phones", phones, "--for", 14)
    try:
        # They have their seats by then.
        time.sleep(7)
        own = players.process.pid
        host = pathlib.Path(f"/proc/{own}/task/{own}/children").read_text().split()
        if not host:
            raise Absent(f"PhoneBenchmark began no room: {players.said[-3:]}")
        played = taken(folder, "phones", "-p", host[0], "--", "sleep", 6)
        players.says("phones exact", within=60)
    finally:
        players.end()
    return shares("profile-phones", played, [*PHONES, THREAD], CONNECTIONS)


def alive(folder, name, words, during=None):
    """What a program has in its heap as it ends, by dhat: every block, by where it was asked for."""
    if not shutil.which("valgrind"):
        raise Absent("valgrind is not here: sudo apt install valgrind")
    kept = folder / f"{name}.json"
    # A pipe that nobody reads meanwhile would fill with valgrind's warnings.
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        # Its own malloc, which counts, is looked into as well.
        program = subprocess.Popen(
            ["valgrind", "--tool=dhat", "--num-callers=24", "--soname-synonyms=somalloc=NONE", f"--dhat-out-file={kept}",
             *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True)
        try:
            if during:
                during(program)
            program.communicate(timeout=400)
        finally:
            program.kill()
        # Whom `during` ends by a signal may end with any code.
        if not kept.exists() or (program.returncode and not during):
            said.seek(0)
            raise Absent(f"valgrind ended with {program.returncode}: {' '.join(said.read().split())[-200:]}")
    return json.loads(kept.read_text())


def heap(folder, peers=100):
    """What an engine keeps of a peer whose last minute is full, in bytes asked for."""
    return held(alive(folder, "heap", [PROGRAMS / "CoordinatorBenchmark", "hold", peers]), peers)


def heap_waiting(folder, connections=100):
    """What a host keeps of a connection that only waits, in bytes asked for, what it has without any taken off."""
    # valgrind does not understand all that debuggers are told of what is linked with BoringSSL.
    program = folder / "PhoneBenchmark"
    if not shutil.which("objcopy"):
        raise Absent("objcopy is not here: sudo apt install binutils")
    subprocess.run(["objcopy", "--strip-debug", PROGRAMS / "PhoneBenchmark", program], check=True)

    def with_connections(count):
        def wait(host):
            port = re.search(r":(\d+)/", host.stdout.readline())
            if not port:
                raise Absent("PhoneBenchmark began no room under valgrind")
            with contextlib.ExitStack() as open_ones:
                for _ in range(count):
                    open_ones.enter_context(waiting(int(port[1]), patience=60))
                time.sleep(2)
                # As it is told nothing, it lets nothing go.
                host.send_signal(signal.SIGTERM)
                host.wait(60)
        return innermost(alive(folder, f"waiting-{count}", [program, "host", 4], during=wait))

    some, none = with_connections(connections), with_connections(0)
    return [figure(f"heap-waiting-{what}", "bytes", [(some[what] - none[what]) / connections]) for what in some]


def innermost(said):
    """Of what dhat says is alive, bytes by what asked for it."""
    bytes_of = dict.fromkeys([what for what, *_ in WAITING] + ["the rest"], 0)
    for point in said["pps"]:
        # A buffer is whose that asked for it.
        names = (name for name in map(said["ftbl"].__getitem__, point["fs"]) if "7NIOCore10ByteBufferV" not in name)
        what = next((what for name in names for what, *words in WAITING if any(word in name for word in words)), "the rest")
        bytes_of[what] += point["eb"]
    return bytes_of


def held(said, peers):
    """Of what dhat says is held at a program's end, the engine's, by what it is for; a peer's part."""
    bytes_of = dict.fromkeys([what for what, *_ in KEPT] + ["the rest"], 0)
    for point in said["pps"]:
        stack = " ".join(said["ftbl"][frame] for frame in point["fs"])
        if "10RoomEngine" in stack or "18SessionCoordinator" in stack:
            bytes_of[next((what for what, *words in KEPT if any(word in stack for word in words)), "the rest")] += point["eb"]
    if not any(bytes_of.values()):
        raise Absent("dhat names nothing of the engine's")
    return [figure(f"heap-peer-{what}", "bytes", [count / peers]) for what, count in bytes_of.items()]
