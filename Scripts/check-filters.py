#!/usr/bin/env python3
"""Checks that every `swift test … --filter NAME` that a document or the Makefile names selects a test: one that selects
nothing ends well, too.

usage: swift test list --skip-build | check-filters.py
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = ["README.md", "CONTRIBUTING.md", "Makefile", *sorted(ROOT.glob("Documentation/**/*.md"))]


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
    print("\n".join(wrong) or "every filter selects a test")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
