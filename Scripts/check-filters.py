#!/usr/bin/env python3
"""Checks that every `swift test … --filter NAME` that a document or the Makefile names selects a test: one that selects
nothing ends well, too. And that what the tables of FAULTS.md and SECURITY.md cite is there: `Suites/Folder/FileTests › A
title …`, or `Operations/test_file.py › test_name …`, where … says that it goes on.

usage: swift test list --skip-build | check-filters.py
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = ["README.md", "CONTRIBUTING.md", "Makefile", *sorted(ROOT.glob("Documentation/**/*.md"))]
# A test's file below Tests, or a folder of such, and what is cited of it.
CITED = re.compile(r"\b(\w+Tests(?:/\w+)+|(?:Operations|Browser)/\w+\.py)((?: › [^|;]+)?)")


def titles(text):
    """How tests may be cited: by what they say, in Swift over several lines, or by a function's name."""
    return re.findall(r'@(?:Test|Suite)\(\s*"((?:\\.|[^"\\])*)"|^(?:async )?def (test_\w+)', text, re.MULTILINE)


def missing(place):
    """What a document's tables cite and what is not there."""
    for line in filter(lambda line: line.startswith("|"), (ROOT / place).read_text().splitlines()):
        for path, cited in CITED.findall(line):
            file = ROOT / "Tests" / (path if path.endswith(".py") else f"{path}.swift")
            if not file.exists():
                if not file.with_suffix("").is_dir():
                    yield f"{place} cites {path}, which is not there"
                continue
            known = [title or function for title, function in titles(file.read_text())]
            # What follows may be another file's.
            for words in cited.removeprefix(" › ").split(", "):
                words = words.strip().removesuffix("…").strip()
                if words and "/" not in words and not any(words in title for title in known):
                    yield f"{place} cites {path} › {words}, which is not there"


def main():
    tests = sys.stdin.read().splitlines()
    if not tests:
        sys.exit("no test is listed")
    wrong = []
    for place in PLACES:
        text = (ROOT / place).read_text()
        for quoted, word in re.findall(r"swift test [^`\n]*?--filter (?:'([^']+)'|([^\s`'\"$]+))", text):
            if not any(re.search(quoted or word, test) for test in tests):
                wrong.append(f"{place} says --filter {quoted or word}, which selects no test")
    wrong += [each for place in ["Documentation/FAULTS.md", "Documentation/SECURITY.md"] for each in missing(place)]
    print("\n".join(wrong) or "every filter selects a test, and every test that is cited is there")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
