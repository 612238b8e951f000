#!/usr/bin/env python3
"""Checks events, one JSON object a line on standard input, against Documentation/events.schema.json.

    roomful events --json | .build-venv/bin/python Scripts/check-events-schema.py

Checks beside the schema that numbers have no gaps (so give it all types). Prints how many events of each type there were; exits with 1 when a
line is wrong, or when there was none. Needs the package jsonschema.
"""
import collections
import json
import pathlib
import sys

import jsonschema

SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "Documentation" / "events.schema.json"


def complaints(validator, event, last):
    """What is wrong with an event that follows the one numbered `last` (None: not known yet)."""
    kinds = {alternative["properties"]["type"]["const"]: alternative for alternative in validator.schema["oneOf"]}
    kind = event.get("type") if isinstance(event, dict) else None
    if kind not in kinds:
        yield f"{kind!r} is no type of event"
        return
    # Against its own alternative: "fits none of nine" would not say what is wrong.
    for error in validator.evolve(schema={"$defs": validator.schema["$defs"], **kinds[kind]}).iter_errors(event):
        yield f"{error.json_path}: {error.message}"
    if "n" in event and last is not None and event["n"] != last + 1:
        yield f"number {event['n']} follows {last}"


def main():
    schema = json.loads(SCHEMA.read_text())
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    for example in schema["examples"]:
        validator.validate(example)

    counts, wrong, last = collections.Counter(), 0, None
    for place, line in enumerate(sys.stdin, 1):
        try:
            event = json.loads(line)
        except ValueError as error:
            event, found = {}, [f"no JSON: {error}"]
        else:
            found = list(complaints(validator, event, last))
        for complaint in found:
            wrong += 1
            print(f"line {place}: {complaint}", file=sys.stderr)
        if not found:
            counts[event["type"]] += 1
            last = event["after"] if event["type"] == "hello" else event.get("n", last)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "no events")
    return 1 if wrong or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
