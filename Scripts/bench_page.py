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
# A goal is ("ratio", ">=" or "<=", number), ("value", "<=", number in the figure's unit), ("most", "<=", number) of which no
# round may have more, or ("least", ">=", number) of which none may have fewer.
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
    ("The live host, each controller at its own even moments: processor time of the whole process a sample, sealed, booked, "
     "merged", [
        ("live-400x30", "400 controllers at 30 Hz", "ENet, at the same moments, unsealed, nothing merged",
         ("ratio", "<=", 0.6)),
        ("live-wakes-400x30", "the same: wake-ups of the host", "ENet's host", None),
        ("live-sender-400x30", "the same: the program that sends", "ENet's", None),
        ("live-drops-400x30", "the same: thrown away by the kernel, most of all pairs", None, ("most", "<=", 0)),
        ("live-1000x30", "1,000 controllers at 30 Hz", "ENet, at the same moments, unsealed, nothing merged",
         ("ratio", "<=", 0.6)),
        ("live-wakes-1000x30", "the same: wake-ups of the host", "ENet's host", None),
        ("live-sender-1000x30", "the same: the program that sends", "ENet's", None),
        ("live-drops-1000x30", "the same: thrown away by the kernel, most of all pairs", None, ("most", "<=", 0)),
        ("gather-1000x30", "the same, datagrams gathering for up to 0.5 ms", "each read as it comes (`--gather 0ms`)",
         None),
        ("gather-wakes-1000x30", "the same: wake-ups of the host", "as above", None),
        ("gather-delay-1000x30", "the same: from a datagram's arrival in the kernel until the room reads it, mean",
         "as above", None),
        ("phones-host-cpu-150x60", "150 phones at 60 Hz over wss: the host", None, None),
        ("phones-queueing-p99-150x60", "the same: queueing delay, p99 of the worst phone", None, ("value", "<=", 5)),
        ("phones-host-cpu-500x60", "500 phones at 60 Hz over wss, their program on the same cores: the host", None,
         ("value", "<=", 60)),
        ("phones-datagrams-500x60", "the same: datagrams a sample; fewer than one where phones, late, put several into one, "
         "which is less work for the host", None, ("value", ">=", 0.98)),
        ("phones-queueing-p99-500x60", "the same: queueing delay, p99 of the worst phone", None, ("value", "<=", 5)),
        ("phones-exact-500x60", "the same: phones whose books are exact, and that the room followed, fewest of all rounds", None,
         ("least", ">=", 500)),
        ("thousands-count", "native controllers at once, on the same cores as the host, with every book exact and nothing "
         "thrown away", None, ("value", ">=", 10_000)),
        ("thousands-rate", "the same: the most samples a second", None, None),
        ("thousands-too-fast", "the same: the next that was tried, at which a book differed, something was thrown away or "
         "samples were made late", None, None),
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
        ("engine-bytes-a-silent-peer-1000", "the engine's state a peer of 1,000 that is seated and has sent nothing", None,
         ("value", "<=", 2048)),
        ("engine-bytes-a-peer-1000", "the same, its last minute full", None, ("value", "<=", 8192)),
        ("coordinator-bytes-a-peer-1000", "of that, the coordinator's alone", None, None),
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
        ("find-seen-daemon", "from the publishing program's start until seen, by avahi-daemon", "avahi-publish, avahi-browse",
         None),
        ("find-seen-embedded", "the same, embedded", "avahi-publish, avahi-browse", None),
        ("find-resolved-daemon", "from the program's start to a resolved room, by avahi-daemon", "avahi-browse", None),
        ("find-resolved-embedded", "the same, embedded", "avahi-browse", ("value", "<=", 150)),
        ("find-asked-daemon", "of that, from its question, by avahi-daemon", None, None),
        ("find-asked-embedded", "the same, embedded", None, None),
        ("find-accepted-daemon", "from asking for a name until the first accepted sample, by avahi-daemon", None,
         ("value", "<=", 100)),
        ("find-accepted-embedded", "the same, embedded", None, ("value", "<=", 250)),
    ]),
]

# What may be judged only where another figure has its own goal: else what was asked for was not what ran.
GIVEN = {"phones-host-cpu-500x60": ("phones-datagrams-500x60", 0.98, "phones were late")}

# What the figures above say of those goals that are missed; without a figure of its own.
WHY = """ENet, beside it, opens no seal, keeps no books, answers nothing and looks for no gestures: its share here is the kernel's.
The room asks the kernel for a stamp with each datagram, as jitter and delays are measured by it.

A controller's memory is first a connection that only waits: of what one asks for it takes the pages that it touches, by the
table above. The rest is the controller's own: its part of the engine, and what hangs on its connection.

Not profiled here: joining, finding, and what reaches a game's hands. What those rows miss is not explained by this page.
"""


def quartiles(values):
    """The lower quartile, the median, the upper quartile; of fewer than four the least and the greatest stand for quartiles."""
    if len(values) < 4:
        return min(values), statistics.median(values), max(values)
    lower, middle, upper = statistics.quantiles(values, n=4, method="inclusive")
    return lower, middle, upper


def number(value):
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def judged(goal, ours, ratio):
    if goal is None:
        return "–"
    kind, sense, limit = goal
    # "speed" is the other way round: how much of the bare loop's speed is left.
    seen = ours if kind in ("value", "most", "least") else ratio if kind == "ratio" else ratio and 1 / ratio
    if seen is None:
        return "–"
    met = seen >= limit if sense == ">=" else seen <= limit
    word = {"ratio": "ratio ", "speed": "speed "}.get(kind, "")
    return f"{word}{'≥' if sense == '>=' else '≤'} {number(limit)}: {'met' if met else '**missed**'}"


def spoilt(name, figures):
    """Why a figure says nothing of its goal; "" where it does."""
    other, least, why = GIVEN.get(name, (None, 0, ""))
    return why if other in figures and quartiles(figures[other]["ours"])[1] < least else ""


def row(figure, what, other, goal, spoilt=""):
    low, middle, high = quartiles(figure["ours"])
    rounds = len(figure["ours"])
    wide = high - low > 0.15 * abs(middle)
    if goal and goal[0] in ("most", "least"):
        middle = high = (max if goal[0] == "most" else min)(figure["ours"])
    cells = [what, f"{number(middle)} {figure['unit']}"]
    ratio = None
    if figure["beside"]:
        ratios = [ours / beside if beside else float("nan") for ours, beside in zip(figure["ours"], figure["beside"])]
        first, ratio, last = quartiles(ratios)
        beside = quartiles(figure["beside"])[1]
        wide = wide or last - first > 0.15 * ratio
        # A single round gives no ratio: what else ran in that moment would be all of it.
        text = f"{ratio:.2f} ({first:.2f} to {last:.2f}), speed {1 / ratio:.2f}" if rounds > 1 and ratio > 0 else "–"
        ratio = ratio if rounds > 1 and ratio > 0 else None
        cells += [f"{other}: {number(beside)} {figure['unit']}", text]
    else:
        cells += ["–", "–"]
    cells += ["one run" if rounds == 1 else f"{rounds}{' ⚠' if wide else ''}", f"not judged: {spoilt}" if spoilt else judged(goal, middle, ratio)]
    return "| " + " | ".join(cells) + " |"


def machine():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory = int(re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text())[1]) // 2**20
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout.splitlines()
    return (f"{os.cpu_count()} cores, {cpu[1] if cpu else platform.machine()}, {memory} GiB; Linux "
            f"{platform.release()}; {swift[0] if swift else 'Swift'}")


def busy(others):
    """What else ran, of looks as (part, cores): a sentence, loud where it was much."""
    if not others:
        return "What else ran on this machine was not looked at."
    usual = statistics.median(cores for _, cores in others)
    part, most = max(others, key=lambda look: look[1])
    text = (f"Beside all this other programs used {usual:.2f} of a core in the median of {len(others)} looks, and "
            f"{most:.2f} at worst ({part}).")
    return f"**The machine was busy. {text}** Measure again on a quiet one." if usual > 0.1 or most > 0.5 else text


def profiled(figures, prefix, title, column="share", form="{:.1f} %"):
    shares = [(name.removeprefix(prefix), figure["ours"][0]) for name, figure in figures.items() if name.startswith(prefix)]
    if not shares:
        return []
    return [
        title, "", f"| what | {column} |", "|---|---|", *(f"| {what} | {form.format(share)} |" for what, share in shares), ""]


def page(figures, missing, notes, others, minutes):
    """
    figures: what was measured, by name. missing: parts that were not, and why. notes: what was left out. others: what else
    ran, as (part, cores).
    """
    commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout
    lines = [
        "# Performance", "",
        "Written by `make bench`; nobody types a figure here. Absolute times say the machine and the day: compare what ran",
        "beside, in the same run. Medians of rounds; ratio: ours over what ran beside, median and quartiles of the ratios of",
        "single rounds (below 1 is better); speed: its inverse. ⚠ marks what spread by more than 15 % between its quartiles, of",
        "fewer than four rounds between the least and the greatest.",
        "", f"{datetime.date.today():%d %B %Y}, commit {commit.strip()}, {minutes:.0f} minutes. {machine()}.", "",
        busy(others), ""]
    for title, rows in LINES:
        lines += [f"## {title}", "", "| what | ours | beside it | ratio | rounds | wanted |", "|---|---|---|---|---|---|"]
        for name, what, other, goal in rows:
            if name in figures:
                lines.append(row(figures[name], what, other, goal, spoilt(name, figures)))
            else:
                lines.append(f"| {what} | not measured | – | – | 0 | – |")
        lines.append("")
    live = profiled(
        figures, "profile-live-", "Of a live host's processor time, 1,000 controllers at 30 Hz (`perf`, all threads):")
    drained = profiled(
        figures, "profile-drained-",
        "Of the processor time for datagrams that wait in the socket, told and answered too, 1,000 peers, but for seals "
        "(`perf`):")
    phones = profiled(
        figures, "profile-phones-", "Of the processor time of a host of 500 phones at 60 Hz over wss (`perf`, all threads):")
    heap = profiled(
        figures, "heap-peer-",
        "Of the engine's state a peer, of 100 whose last minute is full (valgrind's `dhat`, every block of the heap as it was "
        "asked for; of arrays that grow by doubling, what they hold in reserve too):", "bytes", "{:,.0f}")
    waiting = profiled(
        figures, "heap-waiting-",
        "Of a connection that only waits, of 100 (the same; what a host has without any is taken off; of a buffer's pages it "
        "touches those that are used):", "bytes", "{:,.0f}")
    if seen := live + drained + phones + heap + waiting:
        lines += ["## What is missed, and where it goes", "", *seen, WHY]
    lines += [line for note in notes for line in (f"{note[0].upper()}{note[1:]}.", "")]
    for part, why in missing.items():
        lines += [f"Not measured this time: {part}: {why}", ""]
    return "\n".join(lines).rstrip() + "\n"
