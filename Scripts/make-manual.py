#!/usr/bin/env python3
"""Makes the manual's pages from what the program says of itself.

usage: make-manual.py PROGRAM FOLDER

Writes FOLDER/roomful.1 and one page for each command (roomful-host.1, roomful-seat-move.1, ...). The date of the pages is
that of SOURCE_DATE_EPOCH, so that the same program makes the same bytes.
"""
import json
import os
import subprocess
import sys
import time
from pathlib import Path


def escaped(text: str) -> str:
    """Text as roff takes it: nothing in it is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())


def option_name(name: dict) -> str:
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def label(argument: dict) -> str:
    if argument["kind"] == "positional":
        return f"\\fI{escaped(argument['valueName'])}\\fR"
    names = ", ".join(f"\\fB{escaped(option_name(name))}\\fR" for name in argument["names"])
    return names if argument["kind"] == "flag" else f"{names} \\fI{escaped(argument['valueName'])}\\fR"


def usage(words: list[str], command: dict) -> str:
    parts = [f"\\fB{escaped(' '.join(words))}\\fR"]
    if any(argument["kind"] != "positional" for argument in shown(command)):
        parts.append("[\\fIoptions\\fR]")
    for argument in shown(command):
        if argument["kind"] == "positional":
            name = label(argument) + ("..." if argument["isRepeating"] else "")
            parts.append(f"[{name}]" if argument["isOptional"] else name)
    if visible(command):
        parts.append("\\fIcommand\\fR")
    return " ".join(parts)


def shown(command: dict) -> list[dict]:
    return [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]


def visible(command: dict) -> list[dict]:
    return [each for each in command.get("subcommands", []) if each.get("shouldDisplay", True) and each["commandName"] != "help"]


def page(words: list[str], command: dict, date: str, version: str) -> str:
    title = "-".join(words)
    out = [
        f'.TH "{title.upper()}" 1 "{date}" "roomful {version}" "Roomful"',
        ".SH NAME", f"{escaped(title)} \\- {escaped(command['abstract'])}",
        ".SH SYNOPSIS", usage(words, command),
    ]
    if command.get("discussion"):
        out += [".SH DESCRIPTION", ".nf", escaped(command["discussion"]), ".fi"]
    if shown(command):
        out.append(".SH OPTIONS")
    for argument in shown(command):
        out += [".TP", label(argument), escaped(argument.get("abstract", "")).strip()]
        notes = []
        if argument.get("allValues"):
            notes.append("one of " + ", ".join(argument["allValues"]))
        if argument.get("defaultValue") not in (None, "", "false"):
            notes.append("default: " + argument["defaultValue"])
        if notes:
            out.append(escaped(f"({'; '.join(notes)})"))
    commands = visible(command)
    if commands:
        out.append(".SH COMMANDS")
        for each in commands:
            out += [".TP", f"\\fB{escaped('-'.join(words + [each['commandName']]))}\\fR(1)", escaped(each["abstract"])]
    if len(words) == 1:
        out += [
            ".SH ENVIRONMENT", ".TP", "\\fBROOMFUL_STATE\\fR",
            escaped("The folder of keys and seats; else ~/.local/state/roomful."),
            ".TP", "\\fBROOMFUL_NO_SODIUM\\fR", "Seal without libsodium, even where it is installed.",
            ".SH EXIT STATUS", "0 when all went well, 1 when something was refused, not found or wrong, 2 when the command was used wrongly, 3 when what it needs cannot be reached.",
        ]
    else:
        out += [".SH SEE ALSO", f"\\fB{escaped('-'.join(words[:-1]))}\\fR(1)"]
    return "\n".join(out) + "\n"


def write(folder: Path, words: list[str], command: dict, date: str, version: str) -> None:
    (folder / ("-".join(words) + ".1")).write_text(page(words, command, date, version), encoding="utf-8")
    for each in visible(command):
        write(folder, words + [each["commandName"]], each, date, version)


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    program, folder = sys.argv[1], Path(sys.argv[2])
    help_text = subprocess.run([program, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    folder.mkdir(parents=True, exist_ok=True)
    write(folder, ["roomful"], json.loads(help_text)["command"], date, version)


if __name__ == "__main__":
    main()
