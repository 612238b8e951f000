#!/usr/bin/env python3
"""Keeps the walls of the house: what the pure modules may import and use, what no source may do, and what is public.

    check-house.py            says what is wrong, one line each; exit 1 if anything is
    check-house.py --write    writes Documentation/API.txt anew, after a change of the public interface that is meant

Needs a debug build (its modules tell what is public). Documentation/API.txt lists every public symbol of the library's
modules, one a line; those without a sentence of documentation are marked with "!". A change of it shows in a review.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources"
LISTING = ROOT / "Documentation" / "API.txt"

# Pure: values and times in, actions out. What each folder may import, besides the standard library.
PURE = {
    "Protocol": set(),
    "SessionCoordinator": {"WireProtocol"},
    "ControllerSession": {"WireProtocol"},
    "InputMerge": {"WireProtocol"},
    # Histogram is arithmetic alone.
    "RoomEngine": {"WireProtocol", "SessionCoordinator", "InputMerge", "Histogram"},
    "LinkEmulation": {"HeapModule"},
    "RoomSimulation": {
        "WireProtocol", "SessionCoordinator", "InputMerge", "ControllerSession", "RoomEngine", "LinkEmulation"},
}
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
PUBLIC = ["WireProtocol", "SessionCoordinator", "ControllerSession", "InputMerge", "RoomEngine", "PeerDiscovery", "Roomful"]


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
                found = re.match(r"\s*(?:\S+\s+)*?import (?:(?:struct|class|enum|protocol|func|var|let|typealias) )?(\w+)", line)
                if found and found.group(1) not in allowed:
                    problems.append(f"{place}: a pure module imports {found.group(1)}")
                if found := IMPURE.search(line):
                    problems.append(f"{place}: a pure module uses {found.group(0).strip()}")
    for path in sorted(SOURCES.rglob("*.swift")):
        for number, line in code_lines(path):
            for what, pattern in FORBIDDEN.items():
                if pattern.search(line):
                    problems.append(f"{path.relative_to(ROOT)}:{number}: {what}")
    return problems


def listing() -> str:
    bin_path = subprocess.run(
        ["swift", "build", "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    target = json.loads(subprocess.run(
        ["swift", "-print-target-info"], check=True, capture_output=True, text=True).stdout)["target"]["triple"]
    flags = []
    for folder in ["CAvahi", "CAvahiCore/include", "CDatagrams/include", "Pages/include"]:
        flags += ["-I", str(SOURCES / folder)]
    for map_file in sorted(pathlib.Path(bin_path).glob("*.build/module.modulemap")):
        flags += ["-Xcc", f"-fmodule-map-file={map_file}"]
    checkouts = pathlib.Path(bin_path).parent.parent / "checkouts"
    for map_file in sorted(checkouts.glob("*/Sources/*/module.modulemap")):
        flags += ["-I", str(map_file.parent)]
    for folder in sorted(checkouts.glob("*/Sources/*/include")):
        flags += ["-I", str(folder)]
    lines = ["# The public interface, by Scripts/check-house.py --write. ! marks what has no documentation yet."]
    with tempfile.TemporaryDirectory() as folder:
        for module in PUBLIC:
            run = subprocess.run(
                ["swift", "symbolgraph-extract", "-module-name", module, "-target", target, "-I",
                 f"{bin_path}/Modules", *flags, "-output-dir", folder, "-minimum-access-level", "public",
                 "-skip-synthesized-members"],
                capture_output=True, text=True)
            file = pathlib.Path(folder) / f"{module}.symbols.json"
            if run.returncode or not file.exists():
                sys.exit(f"check-house.py: the interface of {module} cannot be read: {run.stderr[-400:]}")
            # What is added to another module's types stands in files of its own.
            files = [file, *sorted(pathlib.Path(folder).glob(f"{module}@*.symbols.json"))]
            symbols = [s for f in files for s in json.loads(f.read_text())["symbols"] if "location" in s]
            rows = set()
            for symbol in symbols:
                words = "".join(f["spelling"] for f in symbol["declarationFragments"])
                words = re.sub(r"\s+", " ", words)
                scope = ".".join(symbol["pathComponents"][:-1])
                rows.add(f"{' ' if 'docComment' in symbol else '!'} {scope + ': ' if scope else ''}{words}")
            undocumented = sum(row.startswith("!") for row in rows)
            lines += ["", f"## {module}: {len(rows)} public symbols, {undocumented} without documentation"]
            lines += sorted(rows, key=lambda row: row[2:])
    return "\n".join(lines) + "\n"


def main() -> int:
    problems = walls()
    now = listing()
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
