#!/usr/bin/env python3
"""Keeps the walls of the house: who imports what, README's picture of it, what the pure modules use, what no source may do,
how long it may be, and what is public.

    check-house.py            says what is wrong, one line each; exit 1 if anything is
    check-house.py --graph    which of our modules may import which
    check-house.py --write    writes Documentation/API.txt anew, after a change of the public interface that is meant

Package.swift says which module may import which, and why each wall stands: every target imports what it declares, and
declares what it imports. Needs a debug build (its modules tell what is public). Documentation/API.txt lists every public symbol of the library's
modules, one a line, so that a change of it shows in a review. Each has its sentence of documentation, and the programs of
Examples/ need nothing else.
"""
import json
import pathlib
import re
import sys
import tempfile
from dataclasses import dataclass

from swift_source import IMPORT, code
from symbol_graphs import Build, run

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources"
LISTING = ROOT / "Documentation" / "API.txt"

# Pure: values and times in, actions out. They import one another, and these.
PURE = {
    "WireProtocol", "SessionCoordinator", "ControllerSession", "InputMerge", "RoomEngine", "FlightRecorder", "LinkEmulation",
    "SiteRecords", "SiteContests", "RoomOwnership", "SiteSimulation", "RoomSimulation", "QRCode"}
PURE_OF_OTHERS = {"HeapModule"}
# What is declared and not imported: programs that tests only start, and C that Swift sees by another module's headers.
UNSEEN = {
    "PeerDiscoveryTests": {"RoomfulCLI"}, "RoomfulTests": {"PhoneBenchmark", "ReplayCheck"}, "PeerDiscovery": {"CAvahiCore"}}
# Declared together, whichever of them a target imports.
TOGETHER = {"NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket", "NIOSSL"}
# What only some know: the database, TOML, C, and what is public for nobody.
OWNERS = {
    "GRDB": {"LeaseStorage", "RecordingExports"}, "TOMLKit": {"MotionFiles", "RoomfulCLI"}, "CDatagrams": {"Datagrams", "RoomDoctor"}, "CPages": {"WebFront"},
    "CNATS": {"SiteBroker"},
    "RoomServer": {"Roomful"}, "ControllerClient": {"Roomful"}, "LeaseStorage": {"RoomServer"},
}
LONGEST = 300
# Longer by less than a fifth, as what they hold is one thing.
LONG = {"ControlPort/Conversations.swift"}
IMPURE = re.compile(
    r"\b(async\b|await\b|Task\s*[{(]|Mutex|Atomic<|DispatchTime|DispatchQueue|ContinuousClock|SuspendingClock|Date\(\)"
    r"|Logger|print\(|SystemRandomNumberGenerator|\.random\(in)")
FORBIDDEN = {
    "a force unwrap": re.compile(r"[A-Za-z0-9_)\]]!(?=[\s.,)\]\[:(};?]|$)(?!=)"),
    "try!": re.compile(r"\btry!"),
    "as!": re.compile(r"\bas!"),
    # What only our own bug, or no memory at all, can cause is a precondition that names the broken promise.
    "fatalError": re.compile(r"\bfatalError\("),
    # Foundation tries it by force: where nobody reads standard error, the program would end. Failure.write does not.
    "a write that traps": re.compile(r"standardError\.write\(Data"),
    # Optimised by Swift 6.3, a tuple that a group's task gave came back as other bytes, and the program trapped.
    "a tuple out of a task group": re.compile(r"TaskGroup\(\s*of: \("),
}
PUBLIC = [
    "WireProtocol", "SessionCoordinator", "ControllerSession", "InputMerge", "RoomEngine", "PeerDiscovery", "PrivateFiles",
    "Identity", "MotionFiles", "RoomRecords", "RoomServer", "ControllerClient", "RoomDoctor", "SiteRecords", "Roomful"]


def code_lines(path: pathlib.Path):
    """Lines with their numbers, without comments and the text of strings."""
    return enumerate(code(path.read_text()), 1)


@dataclass
class Target:
    """One of Package.swift's, and what it declares: modules of ours, and of others."""

    name: str
    folder: pathlib.Path
    ours: set[str]
    others: set[str]

    @property
    def files(self) -> list[pathlib.Path]:
        return sorted(self.folder.rglob("*.swift"))


def targets() -> list[Target]:
    said = run("swift", "package", "dump-package")
    if said.returncode:
        sys.exit(f"Package.swift cannot be read: {said.stderr[-400:]}")
    found = []
    for target in json.loads(said.stdout)["targets"]:
        place = target.get("path") or f"{'Tests' if target['type'] == 'test' else 'Sources'}/{target['name']}"
        declared = target["dependencies"]
        found.append(Target(
            target["name"], ROOT / place, {each["byName"][0] for each in declared if "byName" in each},
            {each["product"][0] for each in declared if "product" in each}))
    return found


def walls(house: list[Target]) -> list[str]:
    problems = []
    names = {target.name for target in house} | {other for target in house for other in target.others}
    for target in house:
        imported = set()
        declared = target.ours | target.others
        for path in target.files:
            for number, line in code_lines(path):
                if not (found := IMPORT.match(line)):
                    continue
                name, place = found.group(1), f"{path.relative_to(ROOT)}:{number}"
                imported.add(name)
                if target.name in PURE and name not in PURE | PURE_OF_OTHERS:
                    problems.append(f"{place}: a pure module imports {name}")
                elif name in names and name not in declared:
                    problems.append(f"{place}: a wall stands between {target.name} and {name}: Package.swift does not let it in")
                if SOURCES in path.parents and name in OWNERS and target.name not in OWNERS[name]:
                    problems.append(f"{place}: {name} is for {' and '.join(sorted(OWNERS[name]))} alone")
        if target.files:
            unseen = declared - imported - UNSEEN.get(target.name, set()) - TOGETHER
            problems += [f"Package.swift: {target.name} declares {name}, and does not import it" for name in sorted(unseen)]
        for path in target.files if target.name in PURE else []:
            for number, line in code_lines(path):
                if found := IMPURE.search(line):
                    problems.append(f"{path.relative_to(ROOT)}:{number}: a pure module uses {found.group(0).strip()}")
    for path in sorted(SOURCES.rglob("*.swift")):
        most = LONGEST * 6 // 5 if str(path.relative_to(SOURCES)) in LONG else LONGEST
        if (lines := path.read_text().count("\n")) > most:
            problems.append(f"{path.relative_to(ROOT)}: {lines} lines; {most} are the most")
        for number, line in code_lines(path):
            for what, pattern in FORBIDDEN.items():
                if pattern.search(line):
                    problems.append(f"{path.relative_to(ROOT)}:{number}: {what}")
    return problems


def picture(house: list[Target]) -> list[str]:
    """README's layers, from the top: each module once, where it lies, no folder that is gone, and nobody needs a layer above
    its own."""
    block = re.search(r"^## The house$.*?^```$(.*?)^```$", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    drawn: dict[str, int] = {}
    problems = []
    modules = {target.name: target for target in house if SOURCES in target.folder.parents}
    folders = {each.name for each in ROOT.iterdir() if each.is_dir()}
    layer = 0
    for line in block.group(1).splitlines() if block else []:
        if not (row := re.match(r"  (\w+)(/?) +(.*)", line)):
            layer += 1
            continue
        name, is_folder, words = row.groups()
        if name in drawn or name not in (folders if is_folder else modules):
            problems.append(f"README.md: the house has {name} twice, or no longer")
        elif not is_folder and (place := modules[name].folder).name not in {name, words.split(":")[0].rpartition("/")[2]}:
            problems.append(f"README.md: {name} lies in {place.relative_to(ROOT)}")
        drawn[name] = layer
    problems += [f"README.md: the house is without {name}" for name in sorted(modules.keys() - drawn.keys())]
    for target in modules.values():
        above = {name for name in target.ours & drawn.keys() if drawn[name] < drawn.get(target.name, 0)}
        problems += [f"Package.swift: {target.name} needs {name}, which README draws above it" for name in sorted(above)]
    return problems


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
        for target in sorted(targets(), key=lambda target: target.name):
            if SOURCES in target.folder.parents and target.files:
                print(f"{target.name}: {' '.join(sorted(target.ours))}")
        return 0
    house = targets()
    problems = walls(house) + picture(house)
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
