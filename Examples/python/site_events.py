#!/usr/bin/env python3
"""What happens in the rooms of a site: nothing is missed, also after hours away; one may come twice if this is killed.

Needs PyPI's nats-py, and nothing of Roomful's.

    SITE_USER=reader SITE_PASSWORD=… python3 site_events.py nats://127.0.0.1:4222 arcade
"""
import asyncio
import json
import os
import pathlib
import sys

import nats
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

PLACE = pathlib.Path("site_events.place")  # The number of the last record that was dealt with.


async def main(url, site):
    client = await nats.connect(url, user=os.environ.get("SITE_USER"), password=os.environ.get("SITE_PASSWORD"))
    last = int(PLACE.read_text()) if PLACE.exists() else 0
    begin = ConsumerConfig(
        deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=last + 1, ack_policy=AckPolicy.NONE)
    pull = await client.jetstream().pull_subscribe("", stream=f"RF_{site}_EVENTS", config=begin)
    while True:
        try:
            messages = await pull.fetch(100, timeout=5)
        except asyncio.TimeoutError:
            continue  # Nothing has happened.
        for message in messages:
            number, record = message.metadata.sequence.stream, json.loads(message.data)
            if gap := record.get("gap"):
                print(number, record["name"], f"events {gap['first']} to {gap['last']} are missing", flush=True)
            else:
                event = record["event"]
                print(number, record["name"], event["type"], event.get("gesture") or event.get("state", ""), flush=True)
            PLACE.write_text(str(number))


asyncio.run(main(*sys.argv[1:3]))
