#!/usr/bin/env python3
"""Keeps the walls of the house: what the pure modules may import and use, what no source may do, and what is public.

    check-house.py            says what is wrong, one line each; exit 1 if anything is
    check-house.py --graph    which of our modules imports which
    check-house.py --write    writes Documentation/API.txt anew, after a change of the public interface that is meant

Needs a debug build (its modules tell what is public). Documentation/API.txt lists every public symbol of the library's
modules, one a line, so that a change of it shows in a review. Each has its sentence of documentation, and the programs of
Examples/ need nothing else.
"""
import json
import pathlib
import re
import sys
import tempfile

from symbol_graphs import Build

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources"
LISTING = ROOT / "Documentation" / "API.txt"

# Pure: values and times in, actions out. What each folder may import, besides the standard library.
PURE = {
    "Protocol": set(),
    "SessionCoordinator": {"WireProtocol"},
    "ControllerSession": {"WireProtocol"},
    "InputMerge": {"WireProtocol"},
    "RoomEngine": {"WireProtocol", "SessionCoordinator", "InputMerge"},
    "FlightRecorder": {"WireProtocol", "SessionCoordinator", "InputMerge", "RoomEngine"},
    "LinkEmulation": {"HeapModule"},
    "SiteRecords": {"WireProtocol"},
    "SiteContests": {"WireProtocol", "SessionCoordinator", "InputMerge"},
    "RoomOwnership": {"WireProtocol"},
    "SiteSimulation": {"WireProtocol", "RoomOwnership", "LinkEmulation", "HeapModule"},
    "RoomSimulation": {
        "WireProtocol", "SessionCoordinator", "InputMerge", "ControllerSession", "RoomEngine", "FlightRecorder",
        "LinkEmulation"},
}
# Which module of ours may import which: the walls. Package.swift and DESIGN.md say why each stands.
WALLS = PURE | {
    "PeerDiscovery": {"CAvahi", "CAvahiCore"},
    "QRCode": {"WireProtocol"},
    "MotionScore": {"WireProtocol", "InputMerge"},
    "Datagrams": {"CDatagrams", "WireProtocol"},
    "PrivateFiles": {"WireProtocol"},
    "LeaseStorage": {"PrivateFiles", "RoomEngine", "SessionCoordinator", "WireProtocol"},
    "Identity": {"PrivateFiles", "WireProtocol"},
    "Recordings": {"InputMerge", "PrivateFiles", "RoomEngine", "WireProtocol"},
    "Connections": {"Identity", "WireProtocol"},
    "ControlPort": {"Connections", "Datagrams", "Identity", "RoomEngine", "SessionCoordinator", "WireProtocol"},
    "RoomRecords": {
        "Datagrams", "Identity", "Connections", "InputMerge", "RoomEngine", "SessionCoordinator", "SiteRecords",
        "WireProtocol"},
    "EveningFiles": {
        "FlightRecorder", "Datagrams", "Identity", "RoomRecords", "RoomEngine", "SessionCoordinator", "WireProtocol"},
    "RecordingExports": {
        "EveningFiles", "FlightRecorder", "Datagrams", "PrivateFiles", "RoomRecords", "InputMerge", "RoomEngine",
        "SessionCoordinator", "WireProtocol"},
    "RoomServer": {
        "EveningFiles", "FlightRecorder", "Datagrams", "PrivateFiles", "LeaseStorage", "Identity", "Connections",
        "ControlPort", "RoomRecords", "InputMerge", "PeerDiscovery", "QRCode", "RoomEngine", "SessionCoordinator",
        "SiteRecords", "WireProtocol"},
    "ControllerClient": {
        "Datagrams", "PrivateFiles", "Identity", "Connections", "ControllerSession", "PeerDiscovery", "InputMerge",
        "WireProtocol"},
    "WebFront": {
        "Datagrams", "PrivateFiles", "Identity", "Connections", "ControlPort", "RoomRecords", "CPages",
        "RoomEngine", "SessionCoordinator", "WireProtocol"},
    "OperatorFront": {"PrivateFiles", "Identity", "Connections", "RoomRecords", "RoomEngine", "WireProtocol"},
    "MetricsFront": {"Connections", "RoomRecords", "SiteRecords", "RoomEngine", "WireProtocol"},
    "SiteBroker": {"SiteRecords", "PrivateFiles", "WireProtocol", "CNATS"},
    "SiteFront": {
        "SiteRecords", "SiteBroker", "SiteContests", "Identity", "RoomRecords", "RoomEngine", "InputMerge", "WireProtocol"},
    "SiteSuccession": {
        "RoomOwnership", "SiteRecords", "SiteBroker", "RoomRecords", "RoomEngine", "SessionCoordinator", "Datagrams",
        "PrivateFiles", "WireProtocol"},
    "RoomDoctor": {
        "Datagrams", "PrivateFiles", "Identity", "Connections", "ControlPort", "RoomRecords", "WebFront",
        "OperatorFront", "SiteRecords", "CDatagrams", "PeerDiscovery", "RoomEngine", "WireProtocol"},
    "Roomful": {
        "PrivateFiles", "Identity", "Recordings", "ControlPort", "RoomRecords", "RoomServer", "ControllerClient",
        "WebFront", "OperatorFront", "MetricsFront", "SiteFront", "SiteRecords", "SiteSuccession", "InputMerge",
        "PeerDiscovery", "RoomEngine", "SessionCoordinator",
        "WireProtocol"},
}
# What only some know: the database, TOML, C, and what is public for nobody.
OWNERS = {
    "GRDB": {"LeaseStorage", "RecordingExports"}, "TOMLKit": {"Recordings", "RoomfulCLI"}, "CDatagrams": {"Datagrams", "RoomDoctor"}, "CPages": {"WebFront"},
    "CNATS": {"SiteBroker"},
    "RoomServer": {"Roomful"}, "ControllerClient": {"Roomful"}, "LeaseStorage": {"RoomServer"},
}
MODULE_OF = {"Protocol": "WireProtocol", "Pages": "CPages"}
IMPORT = re.compile(r"\s*(?:\S+\s+)*?import (?:(?:struct|class|enum|protocol|func|var|let|typealias) )?(\w+)")
IMPURE = re.compile(
    r"\b(async\b|await\b|Task\s*[{(]|Mutex|Atomic<|DispatchTime|DispatchQueue|ContinuousClock|SuspendingClock|Date\(\)"
    r"|Logger|print\(|SystemRandomNumberGenerator|\.random\(in)")
FORBIDDEN = {
    "a force unwrap": re.compile(r"[A-Za-z0-9_)\]]!(?=[\s.,)\]\[:(};?]|$)(?!=)"),
    "try!": re.compile(r"\btry!"),
    "as!": re.compile(r"\bas!"),
    # What only our own bug, or no memory at all, can cause is a precondition that names the broken promise.
    "fatalError": re.compile(r"\bfatalError\("),
}
PUBLIC = [
    "WireProtocol", "SessionCoordinator", "ControllerSession", "InputMerge", "RoomEngine", "PeerDiscovery", "PrivateFiles",
    "Identity", "Recordings", "RoomRecords", "RoomServer", "ControllerClient", "RoomDoctor", "SiteRecords", "Roomful"]


def code_lines(path: pathlib.Path):
    """Lines with their numbers, without comments and the text of strings."""
    is_comment = is_text = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.count('"""') % 2 == 1:
            is_text = not is_text
            continue
        if is_text:
            continue
        line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
        if "/*" in line:
            is_comment = True
        if is_comment:
            is_comment = "*/" not in line
            continue
        yield number, re.sub(r"//.*", "", line)


def walls() -> list[str]:
    problems = []
    for folder, allowed in PURE.items():
        for path in sorted((SOURCES / folder).rglob("*.swift")):
            for number, line in code_lines(path):
                place = f"{path.relative_to(ROOT)}:{number}"
                found = IMPORT.match(line)
                if found and found.group(1) not in allowed:
                    problems.append(f"{place}: a pure module imports {found.group(1)}")
                if found := IMPURE.search(line):
                    problems.append(f"{place}: a pure module uses {found.group(0).strip()}")
    ours = {MODULE_OF.get(folder.name, folder.name) for folder in SOURCES.iterdir()}
    for path in sorted(SOURCES.rglob("*.swift")):
        folder = path.relative_to(SOURCES).parts[0]
        for number, line in code_lines(path):
            place = f"{path.relative_to(ROOT)}:{number}"
            if found := IMPORT.match(line):
                name = found.group(1)
                if folder in WALLS and folder not in PURE and name in ours and name not in WALLS[folder]:
                    problems.append(f"{place}: a wall stands between {folder} and {name}")
                if name in OWNERS and folder not in OWNERS[name]:
                    problems.append(f"{place}: {name} is for {' and '.join(sorted(OWNERS[name]))} alone")
            for what, pattern in FORBIDDEN.items():
                if pattern.search(line):
                    problems.append(f"{place}: {what}")
    return problems + [f"a circle of imports: {' > '.join(circle)}" for circle in circles()]


def graph() -> dict[str, set[str]]:
    """Which of our modules imports which, as the files have it."""
    ours = {MODULE_OF.get(folder.name, folder.name) for folder in SOURCES.iterdir()}
    imports: dict[str, set[str]] = {}
    for path in sorted(SOURCES.rglob("*.swift")):
        folder = path.relative_to(SOURCES).parts[0]
        module = imports.setdefault(MODULE_OF.get(folder, folder), set())
        module |= {f.group(1) for _, line in code_lines(path) if (f := IMPORT.match(line)) and f.group(1) in ours}
    return imports


def circles() -> list[list[str]]:
    imports = graph()
    done: set[str] = set()
    found: list[list[str]] = []

    def visit(module: str, way: list[str]) -> None:
        if module in way:
            found.append(way[way.index(module):] + [module])
        elif module not in done:
            for other in sorted(imports.get(module, ())):
                visit(other, way + [module])
            done.add(module)

    for module in sorted(imports):
        visit(module, [])
    return found


def interface(build: Build) -> tuple[str, list[str]]:
    """The listing of what is public, and where documentation is missing."""
    lines = ["# The public interface, by Scripts/check-house.py --write. ! marks what has no documentation yet."]
    undocumented = []
    with tempfile.TemporaryDirectory() as folder:
        for module in PUBLIC:
            graphs = build.extract(module, pathlib.Path(folder))
            symbols = [s for f in graphs for s in json.loads(f.read_text())["symbols"] if "location" in s]
            rows = set()
            for symbol in symbols:
                words = "".join(f["spelling"] for f in symbol["declarationFragments"])
                words = re.sub(r"\s+", " ", words)
                scope = ".".join(symbol["pathComponents"][:-1])
                row = f"{scope + ': ' if scope else ''}{words}"
                rows.add(f"{' ' if 'docComment' in symbol else '!'} {row}")
                if "docComment" not in symbol:
                    place = symbol["location"]["uri"].rpartition("/Sources/")[2]
                    line = symbol["location"]["position"]["line"] + 1
                    undocumented.append(f"Sources/{place}:{line}: public, and undocumented: {row}")
            bare = sum(row.startswith("!") for row in rows)
            lines += ["", f"## {module}: {len(rows)} public symbols, {bare} without documentation"]
            lines += sorted(rows, key=lambda row: row[2:])
    return "\n".join(lines) + "\n", sorted(set(undocumented))


def examples(build: Build) -> list[str]:
    """What keeps an example from being somebody else's program, which has what is public alone."""
    complaints = [build.complaints_of_strangers(p) for p in sorted((ROOT / "Examples").glob("*/main.swift"))]
    return [line for text in complaints for line in text.splitlines() if "error:" in line]


def main() -> int:
    if "--graph" in sys.argv[1:]:
        for module, others in sorted(graph().items()):
            print(f"{module}: {' '.join(sorted(others))}")
        return 0
    problems = walls()
    build = Build()
    now, undocumented = interface(build)
    problems += undocumented + examples(build)
    if "--write" in sys.argv[1:]:
        LISTING.write_text(now)
    elif not LISTING.exists() or LISTING.read_text() != now:
        import difflib
        before = LISTING.read_text().splitlines() if LISTING.exists() else []
        changes = [l for l in difflib.unified_diff(before, now.splitlines(), n=0, lineterm="") if l[0] in "+-"][2:]
        problems += [f"the public interface changed: {change}" for change in changes[:20]]
        problems.append("if that is meant: Scripts/check-house.py --write, and say so in the commit")
    for problem in problems:
        print(problem)
    print("the walls stand" if not problems else f"{len(problems)} lines of trouble")
    return 1 if problems else 0


sys.exit(main())
