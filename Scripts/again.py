#!/usr/bin/env python3
"""Says whether what failed beside everything else is wrong: at most three tests, each to pass three times by themselves.

usage: again.py swift EVENTS COMMAND...     EVENTS: the event stream that the run wrote; COMMAND takes --filter
       again.py pytest CACHE COMMAND...     CACHE: pytest's cache folder of that run; COMMAND runs the same tests

A machine that computes on all its processors and stands still now and then makes a test of sockets, programs or pages fail
that is right. One failure out of four is no such thing. What passes is named as unsteady, so that somebody looks: it has
found faults of the program before. Ends with 1 where something is wrong, or the run did not say what failed.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

MOST, TIMES = 3, 3


def failed_in_swift(events):
    """The ids of the tests that recorded an issue, without the place in the source."""
    failed, names, has_ended = {}, {}, False
    for line in pathlib.Path(events).read_text(errors="replace").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        payload = record["payload"]
        if record["kind"] == "test":
            names[payload["id"]] = payload.get("displayName", payload["id"])
        elif payload["kind"] == "issueRecorded" and not payload.get("issue", {}).get("isKnown"):
            failed[payload.get("testID", "nowhere")] = True
        has_ended = has_ended or payload.get("kind") == "runEnded"
    if not has_ended:
        sys.exit("again.py: the run did not come to its end")
    return {each.rsplit("/", 1)[0]: names.get(each, each) for each in failed}


def run(command):
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    print(ended.stdout, end="", flush=True)
    return ended


def main(kind, record, *command):
    if kind == "swift":
        failed = failed_in_swift(record)
        filters = [word for each in failed for word in ("--filter", f"^{re.escape(each)}/")]

        def passes():
            ended = run([*command, *filters])
            ran = re.findall(r"Test run with (\d+) tests? .*passed", ended.stdout)
            return ended.returncode == 0 and ran == [str(len(failed))]
    else:
        last = pathlib.Path(record, "v/cache/lastfailed")
        failed = {each: each for each in json.loads(last.read_text())} if last.exists() else {}
        kept = last.read_text() if last.exists() else ""

        def passes():
            shutil.rmtree(record)
            last.parent.mkdir(parents=True)
            last.write_text(kept)
            ended = run([*command, "--last-failed", "--last-failed-no-failures=none", "-o", f"cache_dir={record}"])
            ran = re.findall(r"^(\d+) passed", ended.stdout, re.MULTILINE)
            return ended.returncode == 0 and ran == [str(len(failed))]

    if not failed or len(failed) > MOST:
        sys.exit(f"again.py: {len(failed) or 'no'} tests are said to have failed: nothing that another try explains")
    print(f"again, by themselves: {', '.join(failed.values())}", flush=True)
    for time in range(TIMES):
        if not passes():
            sys.exit(f"again.py: failed by themselves too, in run {time + 1} of {TIMES}: {', '.join(failed.values())}")
    for each in failed.values():
        print(f"UNSTEADY: failed once beside everything else, passed {TIMES} times by itself: {each}")


if len(sys.argv) < 4 or sys.argv[1] not in ("swift", "pytest"):
    sys.exit(__doc__)
main(*sys.argv[1:])
