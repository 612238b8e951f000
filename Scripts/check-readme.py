#!/usr/bin/env python3
"""Checks that README.md and the catalogues' articles show the programs of Examples/ as they are, and that linked files exist.

Every block of Swift in an article is one of them: so what a reader copies has been compiled. Needs nothing but Python.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LONGEST = {"MinimalGame": 39, "MinimalController": 59, "TenLineGame": 10, "MinimalStudy": 49, "PureRoom": 69}
IN_README = ["MinimalGame", "MinimalController"]
LONGEST_SENDER = 20


def complaints():
    readme = (ROOT / "README.md").read_text()
    programs = {example: (ROOT / "Examples" / example / "main.swift").read_text() for example in LONGEST}
    shown = set(IN_README)
    for example in IN_README:
        if programs[example] not in readme:
            yield f"README.md does not show Examples/{example}/main.swift as it is"
    for article in sorted((ROOT / "Sources").glob("*/*.docc/*.md")):
        for block in re.findall(r"^```swift\n(.*?)^```", article.read_text(), flags=re.DOTALL | re.MULTILINE):
            example = next((name for name, program in programs.items() if program == block), None)
            shown.add(example)
            if not example:
                first = block.partition("\n")[0]
                yield f"{article.relative_to(ROOT)} shows Swift that is no program of Examples/ as it is: {first}"
    for example in sorted(LONGEST.keys() - shown):
        yield f"no page shows Examples/{example}/main.swift"
    for example, longest in LONGEST.items():
        program = programs[example]
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
