"""The page that bench.py writes: what stands on it, what of it is wanted, and how a figure becomes a row."""
import datetime
import os
import pathlib
import platform
import re
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent.parent
BARE = "a bare datagram from the same threads"

# What the page shows: the figure's name; what it is; what ran beside; what was wanted.
# A goal is ("ratio", ">=" or "<=", number) or ("value", "<=", number in the figure's unit).
LINES = [
    ("The receive path, processor time a datagram that waits in the socket", [
        ("open-aes-256-gcm", "opened only, 104 bytes, AES-256-GCM", "swift-crypto", None),
        ("booked-aes-256-gcm-1000", "opened, judged and booked, 1,000 peers, AES", "bare C `recvmmsg` loop",
         ("speed", ">=", 0.70)),
        ("booked-nio-aes-256-gcm-1000", "the same", "NIO's own datagram channel, 64 a read, nothing opened", None),
        ("booked-aes-256-gcm-10000", "the same, 10,000 peers", "bare C `recvmmsg` loop", ("speed", ">=", 0.62)),
        ("booked-chacha20-poly1305-1000", "the same, 1,000 peers, ChaCha20-Poly1305", "bare C `recvmmsg` loop", None),
        ("whole-aes-256-gcm-1000", "merged, gestures told and feedback sent too, 1,000 peers, AES",
         "bare C `recvmmsg` loop", None),
    ]),
    ("The live host, paced as phones pace: processor time of the whole process a sample, sealed, booked, merged", [
        ("live-400x30", "400 controllers at 30 Hz", "ENet, unsealed, nothing merged", ("ratio", "<=", 0.6)),
        ("live-1000x30", "1,000 controllers at 30 Hz", "ENet, unsealed, nothing merged", ("ratio", "<=", 0.6)),
        ("gather-1000x30", "the same, datagrams gathering for up to 0.5 ms", "each read as it comes (`--gather 0ms`)",
         None),
        ("gather-delay-1000x30", "the same: from a sample's making to the room, p99", "as above", None),
        ("phones-host-cpu-150x60", "150 phones at 60 Hz over wss: the host", None, None),
        ("phones-queueing-p99-150x60", "the same: queueing delay, p99 of the worst phone", None, ("value", "<=", 5)),
        ("phones-host-cpu-500x60", "500 phones at 60 Hz over wss, their program on the same cores: the host", None,
         ("value", "<=", 60)),
        ("phones-queueing-p99-500x60", "the same: queueing delay, p99 of the worst phone", None, ("value", "<=", 5)),
        ("phones-exact-500x60", "the same: phones whose books are exact, and that the room followed", None,
         ("value", ">=", 500)),
        ("thousands-count", "native controllers at once, on the same cores as the host, with every book exact and nothing "
         "thrown away", None, ("value", ">=", 10_000)),
        ("thousands-rate", "the same: the most samples a second", None, None),
        ("thousands-host-cpu", "the same: the host", None, None),
        ("thousands-joins", "the same: joins a second, 32 at once", None, None),
    ]),
    ("From the deciding sample to a game's hands: 21 players at 100 Hz, 3 listeners, the controller's work included", [
        ("hands-stream-p50", "Swift's stream, p50", BARE, None),
        ("hands-stream-p99", "Swift's stream, p99", BARE, ("value", "<=", 1)),
        ("hands-websocket-p50", "a WebSocket on this machine, p50", BARE, None),
        ("hands-websocket-p99", "a WebSocket on this machine, p99", BARE, ("value", "<=", 1)),
    ]),
    ("What losses add to a sample's way, p99: 60 Hz, 20 ms one way, each on a network of its own with the same seeded draws", [
        ("loss-1-tcp", "1 % lost", "TCP", ("value", "<=", 50)),
        ("loss-1-enet", "the same", "ENet, reliable", None),
        ("loss-5-tcp", "5 % lost", "TCP", ("value", "<=", 50)),
        ("loss-5-enet", "the same", "ENet, reliable", None),
        ("loss-20-tcp", "20 % lost: three sending intervals are 50 ms", "TCP", ("value", "<=", 50)),
        ("loss-20-enet", "the same", "ENet, reliable", None),
        ("loss-20-missing", "the same: samples that never came", None, ("value", "<=", 0)),
        ("loss-bursts-tcp", "5 % lost, in bursts of 5 on average", "TCP", None),
        ("loss-bursts-enet", "the same", "ENet, reliable", None),
    ]),
    ("Memory", [
        ("coordinator-bytes-a-peer-1000", "the coordinator's state a peer, its last minute full", None,
         ("value", "<=", 8192)),
        ("process-kib-a-controller", "the whole process a native controller, of 1,000, above its idle size", None,
         ("value", "<=", 20)),
        ("waiting-kib", "of that, a connection that only waits: TLS and WebSocket agreed, nobody seated, of 400", None, None),
        ("idle-mib", "an idle host", None, ("value", "<=", 30)),
        ("idle-own-mib", "of that, its own; the rest is code, mapped from files and shared by all rooms", None, None),
    ]),
    ("Motion", [
        ("motion-estimate", "a sample of device motion (attitude, gravity, push)", "textbook Madgwick", None),
        ("motion-sample", "a sample with timeline, device motion and all gestures", "textbook Madgwick",
         ("value", "<=", 900)),
        ("gesture-query", "a query against 100 taught examples", None, ("value", "<=", 200)),
    ]),
    ("Joining", [
        ("join-program-ms", "`roomful join` from the program's start to its seat, room and code known",
         "`roomful --version`", ("value", "<=", 60)),
        ("handshake-ms", "TCP and TLS 1.3 to a room, nothing more", None, None),
        ("join-alone-ms", "a controller that knows the room, from its first packet to its seat", "that handshake alone",
         ("value", "<=", 6.3)),
        ("join-crowd-s", "1,000 controllers at once, until the last has its seat, each lease committed", None,
         ("value", "<=", 1.5)),
    ]),
    ("Finding rooms, two hosts in namespaces", [
        ("find-seen-daemon", "from publishing until seen, by avahi-daemon", "avahi-publish, avahi-browse", None),
        ("find-seen-embedded", "the same, embedded", "avahi-publish, avahi-browse", None),
        ("find-resolved-daemon", "from the program's question to a resolved room, by avahi-daemon", "avahi-browse", None),
        ("find-resolved-embedded", "the same, embedded", "avahi-browse", ("value", "<=", 150)),
        ("find-accepted-daemon", "by name until the first accepted sample, by avahi-daemon", None, ("value", "<=", 100)),
        ("find-accepted-embedded", "the same, embedded", None, ("value", "<=", 250)),
    ]),
]

# What the figures above say of those goals that are missed; without a figure of its own.
WHY = """ENet, beside it, opens no seal, keeps no books, answers nothing and looks for no gestures: its share here is the kernel's.
The room asks the kernel for a stamp with each datagram, as jitter and delays are measured by it.

A controller's memory is first a connection that only waits, as the table has it: NIOSSL sets aside 48 KiB for one and
touches the first page of each buffer, BoringSSL keeps its keys, NIO its handlers. The rest is the controller's own, most
first (`heaptrack`): how its delays lie, its motion on the way and what watches it, its place in the tables of peers and
players, its link, its last minute, its clock. An idle host's is code nearly all: what is touched, and what the kernel maps
around it.
"""


def quartiles(values):
    values = sorted(values)
    if len(values) < 4:
        return values[0], values[len(values) // 2], values[-1]
    lower, middle, upper = statistics.quantiles(values, n=4, method="inclusive")
    return lower, middle, upper


def number(value):
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def judged(goal, ours, ratio):
    if goal is None:
        return "–"
    kind, sense, limit = goal
    # "speed" is the other way round: how much of the bare loop's speed is left.
    seen = ours if kind == "value" else ratio if kind == "ratio" else ratio and 1 / ratio
    if seen is None:
        return "–"
    met = seen >= limit if sense == ">=" else seen <= limit
    word = {"ratio": "ratio ", "speed": "speed ", "value": ""}[kind]
    return f"{word}{'≥' if sense == '>=' else '≤'} {number(limit)}: {'met' if met else '**missed**'}"


def row(figure, what, other, goal):
    low, middle, high = quartiles(figure["ours"])
    rounds = len(figure["ours"])
    wide = rounds > 3 and high - low > 0.15 * middle
    cells = [what, f"{number(middle)} {figure['unit']}"]
    ratio = None
    if figure["beside"]:
        ratios = [ours / beside for ours, beside in zip(figure["ours"], figure["beside"])]
        first, ratio, last = quartiles(ratios)
        beside = quartiles(figure["beside"])[1]
        wide = wide or rounds > 3 and last - first > 0.15 * ratio
        # A single round gives no ratio: what else ran in that moment would be all of it.
        text = f"{ratio:.2f} ({first:.2f} to {last:.2f}), speed {1 / ratio:.2f}" if rounds > 1 else "–"
        ratio = ratio if rounds > 1 else None
        cells += [f"{other}: {number(beside)} {figure['unit']}", text]
    else:
        cells += ["–", "–"]
    cells += [f"{rounds}{' ⚠' if wide else ''}", judged(goal, middle, ratio)]
    return "| " + " | ".join(cells) + " |"


def machine():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory = int(re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text())[1]) // 2**20
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout.splitlines()
    return (f"{os.cpu_count()} cores, {cpu[1] if cpu else platform.machine()}, {memory} GiB; Linux "
            f"{platform.release()}; {swift[0] if swift else 'Swift'}")


def page(figures, missing, load, minutes):
    commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout
    lines = [
        "# Performance", "",
        "Written by `make bench`; nobody types a figure here. Absolute times say the machine and the day: compare what ran",
        "beside, in the same run. Medians of rounds; ratio: ours over what ran beside, median and quartiles of the ratios of",
        "single rounds (below 1 is better); speed: its inverse. ⚠ marks what spread by more than 15 % between its quartiles.",
        "", f"{datetime.date.today():%d %B %Y}, commit {commit.strip()}, {minutes:.0f} minutes. {machine()}.", ""]
    if load > 0.5:
        lines += [f"**The machine was busy: {load:.1f} processes ran or waited beside as this began.** Measure again on a "
                  "quiet one.", ""]
    for title, rows in LINES:
        lines += [f"## {title}", "", "| what | ours | beside it | ratio | rounds | wanted |", "|---|---|---|---|---|---|"]
        for name, what, other, goal in rows:
            if name in figures:
                lines.append(row(figures[name], what, other, goal))
            else:
                lines.append(f"| {what} | not measured | – | – | 0 | – |")
        lines.append("")
    shares = [(name.removeprefix("profile-"), figure["ours"][0]) for name, figure in figures.items()
              if name.startswith("profile-")]
    if shares:
        lines += [
            "## What is missed, and where it goes", "",
            "Of a live host's processor time, 1,000 controllers at 30 Hz (`perf`, all threads):", "", "| what | share |",
            "|---|---|", *(f"| {what} | {share:.1f} % |" for what, share in shares), ""]
        lines += [WHY]
    for part, why in missing.items():
        lines += [f"Not measured this time: {part}: {why}", ""]
    return "\n".join(lines).rstrip() + "\n"
