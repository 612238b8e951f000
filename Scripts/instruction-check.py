#!/usr/bin/env python3
"""Counts the instructions of the hot path: a sample on its way from a controller's datagram through the room's books and
merge, its feedback included. Fails where a commit makes it more than 5 % dearer. And those of a step, and of a jump, alone
and among 500 others who sit there: where it costs more for each of them, something looks at everyone for the sake of one.

usage: instruction-check.py [--write] [--checked] [PROGRAM]

The count is what valgrind counts, which is the same twice on any machine with the same toolchain; no time enters it.
Two runs of AllocationCheck, which differ by 5,000 steps, are compared, so that neither start nor end is in it.
--write takes what was counted as the new figure, in Benchmarks/instructions.json: say in the commit why.
--checked says that the program is optimised with its assertions, as CI builds it (Scripts/lean-build.sh): it has a figure
of its own.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
FIGURE = HERE / "Benchmarks/instructions.json"
MARGIN = 0.05
STEPS = 5_000
CROWD = 500
CROWD_STEPS = 2_000
# Instructions of one jump, of 200 steps, for each of the others. A loop over all in each step takes a thousand.
CROWD_MARGIN = 100
STEPS_A_JUMP = 200
# Instructions of one step of 10 ms for each of the others: every 250 ms the room looks after them. A loop over all in each
# step takes some hundred.
STEP_MARGIN = 50


def instructions(program, steps, *more):
    words = [program, str(steps), *map(str, more)]
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *words], capture_output=True,
        text=True, env={**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"})
    counted = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not counted:
        sys.exit(f"valgrind ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return int(counted[1])


def main():
    words = [word for word in sys.argv[1:] if word not in ("--write", "--checked")]
    build = "checked" if "--checked" in sys.argv else "release"
    program = words[0] if words else str(HERE / ".build/release/AllocationCheck")
    if not pathlib.Path(program).is_file():
        sys.exit(f"{program} is not there: swift build -c release --product AllocationCheck")
    with tempfile.TemporaryDirectory(prefix="roomful-instructions-") as folder:
        # Debian's valgrind cannot read what Swift writes for debuggers.
        bare = str(pathlib.Path(folder) / "check")
        subprocess.run(["strip", "--strip-debug", "-o", bare, program], check=True)
        seen = (instructions(bare, 2_000 + STEPS) - instructions(bare, 2_000)) / STEPS
        crowds = {
            (steps, *more): instructions(bare, steps, *more)
            for more in ((0,), (CROWD,), (0, "jump"), (CROWD, "jump")) for steps in (CROWD_STEPS, 2 * CROWD_STEPS)}

        # What it costs to seat them, and that they fall silent, is in both.
        def a_step(*more):
            return (crowds[2 * CROWD_STEPS, *more] - crowds[CROWD_STEPS, *more]) / CROWD_STEPS

        still, crowded = a_step(0), a_step(CROWD)
        alone, among = ((a_step(others, "jump") - a_step(others)) * STEPS_A_JUMP for others in (0, CROWD))
    if "--write" in sys.argv:
        figures = json.loads(FIGURE.read_text())
        figures["instructionsASample"][build] = round(seen)
        FIGURE.write_text(json.dumps(figures) + "\n")
        print(f"{seen:,.0f} instructions a sample, written to {FIGURE.relative_to(HERE)}")
        return 0
    wanted = json.loads(FIGURE.read_text())["instructionsASample"][build]
    change = seen / wanted - 1
    print(f"{seen:,.0f} instructions a sample, {change:+.1%} of the {wanted:,} agreed (at most {MARGIN:+.0%})")
    if change < -MARGIN:
        print("cheaper than agreed: keep that by Scripts/instruction-check.py --write")
    dearer = (among - alone) / CROWD
    print(f"{alone:,.0f} instructions a jump, and {dearer:,.1f} for each of {CROWD} others (at most {CROWD_MARGIN})")
    each = (crowded - still) / CROWD
    print(f"{still:,.0f} instructions a step of 10 ms, and {each:,.1f} for each of {CROWD} others (at most {STEP_MARGIN})")
    return 1 if change > MARGIN or dearer > CROWD_MARGIN or each > STEP_MARGIN else 0


if __name__ == "__main__":
    sys.exit(main())
