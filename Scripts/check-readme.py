#!/usr/bin/env python3
"""Checks that README.md shows the programs of Examples/ as they are, and that the files to which it links exist.

Needs nothing but Python.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LONGEST = {"MinimalGame": 39, "MinimalController": 59}
LONGEST_SENDER = 20


def complaints():
    readme = (ROOT / "README.md").read_text()
    for example, longest in LONGEST.items():
        program = (ROOT / "Examples" / example / "main.swift").read_text()
        if program not in readme:
            yield f"README.md does not show Examples/{example}/main.swift as it is"
        if len(program.splitlines()) > longest:
            yield f"Examples/{example}/main.swift has more than {longest} lines"
    if len((ROOT / "Examples/legacy-sender.py").read_text().splitlines()) > LONGEST_SENDER:
        yield f"Examples/legacy-sender.py has more than {LONGEST_SENDER} lines"
    for page in ["README.md", "CONTRIBUTING.md", "Documentation/DESIGN.md"]:
        for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", (ROOT / page).read_text()):
            if not (ROOT / page).parent.joinpath(target).exists():
                yield f"{page} links to {target}, which does not exist"


if __name__ == "__main__":
    found = list(complaints())
    print("\n".join(found) or "nothing to complain about")
    sys.exit(1 if found else 0)
