#!/usr/bin/env python3
"""Says what python's zeroconf, which shares no code with Avahi or Roomful, sees of the rooms nearby, as JSON lines.

usage: see-rooms.py [--subtype LABEL]... [--address IP] [--for SECONDS]

Each line has `event`, `at` (seconds of CLOCK_MONOTONIC, which all programs of a machine share) and `name`:
appeared, updated   with `port`, `server`, `addresses` (IPv6 link-local ones with %scope), and `txt`, the strings of the
                    TXT record as they are, in hexadecimal digits
removed             with nothing more
listed, unlisted    with `subtype`: the room is found under this label of --subtype, or is not any more
The first line is {"event": "looking"}: from then on nothing is missed. It ends with SIGTERM, or after --for.
"""
import argparse
import json
import queue
import signal
import sys
import time

from zeroconf import InterfaceChoice, IPVersion, ServiceBrowser, ServiceInfo, ServiceListener, Zeroconf

TYPE = "_roomful._tcp.local."


def tell(event, **more):
    print(json.dumps({"event": event, **more}), flush=True)


def strings(text):
    """The strings of a TXT record (RFC 1035, 3.3.14), each after its length byte."""
    while text:
        yield text[1 : 1 + text[0]].hex()
        text = text[1 + text[0] :]


class Listener(ServiceListener):
    """Puts what zeroconf's thread hears into a queue: asking back from within a callback would lock it up."""

    def __init__(self, heard, subtype=None):
        self.heard, self.subtype = heard, subtype

    def note(self, event, name):
        self.heard.put((event, time.monotonic(), name, self.subtype))

    def add_service(self, zc, type_, name):
        self.note("listed" if self.subtype else "appeared", name)

    def update_service(self, zc, type_, name):
        if not self.subtype:
            self.note("updated", name)

    def remove_service(self, zc, type_, name):
        self.note("unlisted" if self.subtype else "removed", name)


def is_announced(zc, name):
    """Whether the room's own PTR record stands; zeroconf takes a subtype's for it, and tells of both."""
    return any(getattr(record, "alias", None) == name for record in zc.cache.entries_with_name(TYPE))


def facts(zc, name):
    info = ServiceInfo(TYPE, name)
    info.request(zc, 3_000)
    return {
        "port": info.port,
        "server": info.server,
        "addresses": info.parsed_scoped_addresses(IPVersion.All),
        "txt": list(strings(info.text or b"")),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--subtype", action="append", default=[])
    parser.add_argument("--address", help="the address of the only interface to look on")
    parser.add_argument("--for", dest="seconds", type=float, default=float("inf"))
    options = parser.parse_args()

    def end(*_):
        sys.exit(0)

    signal.signal(signal.SIGTERM, end)
    # Whoever was started by a thread that blocks signals blocks them, too.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    zc = Zeroconf(interfaces=[options.address] if options.address else InterfaceChoice.All, ip_version=IPVersion.All)
    heard = queue.Queue()
    ServiceBrowser(zc, TYPE, Listener(heard))
    for label in options.subtype:
        ServiceBrowser(zc, f"_{label}._sub.{TYPE}", Listener(heard, label))
    tell("looking", at=time.monotonic())
    known = set()
    deadline = time.monotonic() + options.seconds
    try:
        while time.monotonic() < deadline:
            try:
                event, at, name, subtype = heard.get(timeout=min(1, max(0, deadline - time.monotonic())))
            except queue.Empty:
                continue
            if event in ("appeared", "removed") and is_announced(zc, name) == (name in known):
                continue
            if event == "appeared":
                known.add(name)
            if event == "removed":
                known.discard(name)
            more = {"subtype": subtype} if subtype else facts(zc, name) if event != "removed" else {}
            tell(event, at=at, name=name.removesuffix("." + TYPE), **more)
    finally:
        zc.close()


if __name__ == "__main__":
    main()
