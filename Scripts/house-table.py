#!/usr/bin/env python3
"""How large each module is: files, lines, its longest file and function, what it declares public, which others it imports.

    house-table.py              as the files are now
    house-table.py COMMIT       the same at a commit, and what became of it
    house-table.py --long N     the functions of more than N lines and the files of more than 300, longest first

Needs nothing but Python, and git for a commit. Lines are all lines of Swift; `public` counts declarations with that word.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

from swift_source import IMPORT, code

ROOT = pathlib.Path(__file__).resolve().parent.parent
FUNCTION = re.compile(r"\b(?:func\s+([^\s(<]+)|(init)[?<(]|(deinit)\b|(subscript)\b)")
FOLDERS = {"Protocol": "WireProtocol", "Pages": "CPages"}


def functions(lines: list[str]):
    """Each function with a body: its name, its first line from 1, and how many lines it has."""
    for number, line in enumerate(lines):
        found = FUNCTION.search(line)
        if not found or re.match(r"\s*(case|return|let|var|self)\b", line):
            continue
        round_depth = depth = 0
        begun = False
        rest = line[found.start():]
        for last in range(number, min(number + 400, len(lines))):
            text = rest if last == number else lines[last]
            if last > number and not begun and round_depth == 0 and FUNCTION.search(text):
                break
            for character in text:
                round_depth += (character == "(") - (character == ")")
                if round_depth <= 0:
                    begun |= character == "{"
                    depth += (character == "{") - (character == "}")
            if depth < 0 or (begun and depth == 0):
                break
        if begun and depth == 0:
            yield next(word for word in found.groups() if word), number + 1, last - number + 1


class Module:
    def __init__(self, name: str) -> None:
        self.name = name
        self.files = self.lines = self.public = 0
        self.imports: set[str] = set()
        self.longest_file = self.longest_function = (0, "")

    def read(self, path: pathlib.Path, ours: set[str]) -> None:
        lines = code(path.read_text())
        self.files += 1
        self.lines += len(lines)
        self.public += sum(bool(re.match(r"\s*(@\S+ )*public (?!import)", line)) for line in lines)
        self.imports |= {f.group(1) for line in lines if (f := IMPORT.match(line)) and f.group(1) in ours}
        self.longest_file = max(self.longest_file, (len(lines), path.name))
        for name, _, length in functions(lines):
            self.longest_function = max(self.longest_function, (length, name))


def modules(sources: pathlib.Path) -> dict[str, Module]:
    folders = [folder for folder in sorted(sources.iterdir()) if next(folder.rglob("*.swift"), None)]
    ours = {FOLDERS.get(folder.name, folder.name) for folder in sources.iterdir() if folder.is_dir()}
    result = {}
    for folder in folders:
        module = result[FOLDERS.get(folder.name, folder.name)] = Module(FOLDERS.get(folder.name, folder.name))
        for path in sorted(folder.rglob("*.swift")):
            module.read(path, ours)
    return result


def at(commit: str) -> dict[str, Module]:
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", commit, "Sources"], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        return modules(pathlib.Path(folder) / "Sources")


def table(found: dict[str, Module]) -> None:
    print("| module | files | lines | longest file | longest function | public | imports |")
    print("|---|---:|---:|---|---|---:|---|")
    for module in found.values():
        (file_lines, file), (function_lines, function) = module.longest_file, module.longest_function
        print(
            f"| {module.name} | {module.files} | {module.lines:,} | {file_lines} {file} | {function_lines} {function} "
            f"| {module.public} | {', '.join(sorted(module.imports))} |")
    everything = found.values()
    print(
        f"| **all {len(found)}** | {sum(m.files for m in everything)} | {sum(m.lines for m in everything):,} "
        f"| {max(m.longest_file for m in everything)[0]} | {max(m.longest_function for m in everything)[0]} "
        f"| {sum(m.public for m in everything)} | |")


def long_ones(limit: int) -> None:
    rows = []
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        lines = code(path.read_text())
        place = path.relative_to(ROOT)
        rows += [(length, f"{place}:{line}: {name}") for name, line, length in functions(lines) if length > limit]
        rows += [(len(lines), f"{place}: the file")] if len(lines) > 300 else []
    for length, words in sorted(rows, reverse=True):
        print(f"{length} lines: {words}")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["--long"]:
        long_ones(int(arguments[1]))
    else:
        if arguments:
            print(f"At {arguments[0]}:\n")
            table(at(arguments[0]))
            print("\nNow:\n")
        table(modules(ROOT / "Sources"))
