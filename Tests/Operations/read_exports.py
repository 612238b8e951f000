#!/usr/bin/env python3
"""Reads a recording and its exports with other people's readers, and compares what each of them says.

    read_exports.py RECORDING.mcap FOLDER [REPORT.html]

FOLDER holds what `roomful export RECORDING.mcap --to csv|xdf|sqlite FOLDER` wrote, all three. Exit 1 with the first
thing that differs.
"""
import csv
import json
import pathlib
import re
import sqlite3
import sys

import pyxdf
from mcap.reader import NonSeekingReader, make_reader
from mcap.records import DataEnd
from mcap.stream_reader import StreamReader


def compare(recording: pathlib.Path, folder: pathlib.Path) -> str:
    """What was read, in a line."""
    with recording.open("rb") as file:
        reader = make_reader(file)
        summary = reader.get_summary()
        counts = {summary.channels[id].topic: count for id, count in summary.statistics.channel_message_counts.items()}
        messages = list(reader.iter_messages(topics=["roomful/events"]))
        told = sorted((json.loads(message.data) for _, _, message in messages), key=lambda event: event["n"])
        about = next(m for m in reader.iter_metadata() if m.name == "roomful").metadata
    with recording.open("rb") as file:
        whole = sum(1 for _ in NonSeekingReader(file, validate_crcs=True).iter_messages(log_time_order=False))
    assert whole == summary.statistics.message_count, (whole, summary.statistics.message_count)
    with recording.open("rb") as file:
        [end] = [one for one in StreamReader(file, validate_crcs=True).records if isinstance(one, DataEnd)]
    assert end.data_section_crc != 0, "the file has no checksum of the whole"
    assert [event["n"] for event in told] == list(range(1, len(told) + 1)), "events have gaps"
    assert counts.get("roomful/events", 0) == len(told)

    tables = {path.stem: list(csv.DictReader(path.open(newline=""))) for path in folder.glob("*.csv")}
    assert sorted(tables) == ["about", "dictionary", "events", "links", "marks", "motion", "submersion"], sorted(tables)
    assert [json.loads(row["json"]) for row in tables["events"]] == told, "the CSV's events differ from the recording's"
    assert all(int(row["samples_before_seat"]) <= int(row["samples_late"]) for row in tables["links"])
    described = {(row["table"], row["column"]) for row in tables["dictionary"]}
    for name, rows in tables.items():
        for column in rows[0] if rows else []:
            assert (name, column) in described, f"{name}.{column} is not in the dictionary"
    assert dict((row["key"], row["value"]) for row in tables["about"])["room"] == about["room"]

    database = sqlite3.connect(f"file:{folder / 'evening.sqlite'}?mode=ro", uri=True)
    for name, rows in tables.items():
        (count,) = database.execute(f"SELECT count(*) FROM {name}").fetchone()
        assert count == len(rows), f"{name}: {count} rows in SQLite, {len(rows)} in CSV"

    streams, _ = pyxdf.load_xdf(str(folder / "evening.xdf"))
    motion = [stream for stream in streams if stream["info"]["type"][0] == "MoCap"]
    assert sum(len(stream["time_stamps"]) for stream in motion) == len(tables["motion"]), "XDF and CSV differ in samples"
    markers = {stream["info"]["name"][0]: stream for stream in streams if stream["info"]["type"][0] == "Markers"}
    xdf_events = [json.loads(row[0]) for row in markers["roomful.events"]["time_series"]]
    assert xdf_events == told, "the XDF's events differ from the recording's"
    for stream in motion:
        labels = [channel["label"][0] for channel in stream["info"]["desc"][0]["channels"][0]["channel"]]
        assert labels[0] == "user_x" and len(labels) == 13, labels

    compared, worst = 0, 0.0
    if told and motion:
        zero = markers["roomful.events"]["time_stamps"][0] - told[0]["at"] / 1e3
        compared, worst = compare_times(folder / "evening.xdf", motion, zero, tables)
    return (f"{whole} messages, {len(told)} events, {len(tables['motion'])} samples in {len(motion)} streams; "
            f"pyxdf's times of {compared} of them within {worst:.3f} ms")


def compare_times(xdf: pathlib.Path, motion: list, zero: float, tables: dict) -> tuple[int, float]:
    """What pyxdf makes of device time and clock offsets against what the host reckoned for every sample, once it had
    measured the clock for three seconds, since the beginning or a pause: how many were compared, and the worst in ms.

    Each of the two may be wrong by as much as is said of the clock, which is said once a second: 1 ms is for between.
    `zero` is when the room opened, by pyxdf.
    """
    compared, worst = 0, 0.0
    opened = float(next(row["value"] for row in tables["about"] if row["key"] == "opened_at_s"))
    raw_streams, _ = pyxdf.load_xdf(str(xdf), synchronize_clocks=False, dejitter_timestamps=False)
    raw_stamps = {stream["info"]["stream_id"]: stream["time_stamps"] for stream in raw_streams}
    for stream in motion:
        controller, number = stream["info"]["source_id"][0].split("-")
        at = {float(row["device_s"]): float(row["at_ms"]) for row in tables["motion"]
              if row["controller"] == controller and row["stream"] == number}
        raw = raw_stamps[stream["info"]["stream_id"]]
        times = [at.get(float(device)) for device in raw]
        assert None not in times, f"{times.count(None)} of {len(times)} samples of {controller} have another device time in the CSV"
        settled, since, before = [], raw[0], raw[0]
        for device, ours, theirs in zip(raw, times, stream["time_stamps"]):
            since, before = device if device - before > 1 else since, device
            if device >= since + 3:
                settled.append((ours, (theirs - zero) * 1e3))
        if not settled:
            continue
        links = [row for row in tables["links"]
                 if row["controller"] == controller and row["clock_uncertainty_ms"] and float(row["at_ms"]) >= settled[0][0]]
        assert links, f"nothing is said of how sure the clock of {controller} is"
        said = [float(row["clock_uncertainty_ms"]) for row in links]
        device, ours = min(at.items(), key=lambda pair: abs(pair[1] - float(links[-1]["at_ms"])))
        joined = (device + float(links[-1]["clock_offset_s"]) - opened) * 1e3
        assert abs(joined - ours) <= 2 * max(said) + 1, f"by its link's offset a sample of {ours} ms was at {joined} ms"
        first = settled[0][0]
        assert all(float(row["at_uncertainty_ms"] or -1) >= 0 for row in tables["motion"]
                   if row["controller"] == controller and row["stream"] == number and float(row["at_ms"]) >= first)
        off = max(abs(theirs - ours) for ours, theirs in settled)
        assert off <= 2 * max(said) + 1, f"pyxdf's times are off by {off:.3f} ms; the clock is said to be right to ± {max(said)} ms"
        compared, worst = compared + len(settled), max(worst, off)
    assert compared, "no sample's time was compared: the evening is shorter than three seconds"
    return compared, worst


def compare_report(page: str, folder: pathlib.Path) -> str:
    """The report's figures against those that follow from the exports alone."""
    tables = {path.stem: list(csv.DictReader(path.open(newline=""))) for path in folder.glob("*.csv")}
    events = [json.loads(row["json"]) for row in tables["events"]]
    began = [event for event in events if event["type"] == "gesture" and event["phase"] == "began"]
    facts = dict(re.findall(r"<tr><th>([a-z ]+)</th><td>([^<]*)</td></tr>", page))
    assert int(facts["samples"]) == len(tables["motion"])
    assert int(facts["events"]) == len(events)
    assert int(facts["gestures"]) == len(began)
    assert int(facts["verdicts"]) == sum(event["type"] == "verdict" for event in events)
    assert int(facts["controllers"]) == len({row["controller"] for row in tables["links"]})

    shown = re.findall(r"\(P(\d+), \w+\): (\d+) samples, (\d+) gestures", page)
    assert shown, "no controller's motion is shown"
    for player, samples, gestures in shown:
        assert int(samples) == sum(row["player"] == player for row in tables["motion"])
        assert int(gestures) == sum(event["player"] == int(player) for event in began)

    received = [event for event in events if event["type"] == "haptic"]
    played = [event for event in received if event["outcome"] == "played"]
    if received:
        assert f"{len(received)} commanded, {len(played)} played" in page
        for part, count, p50, p95 in re.findall(
                r"<tr><th>(\w+)</th><td>(\d+)</td><td>([\d.]+)</td><td>([\d.]+)</td></tr>", page):
            times = sorted(event["latency"][part]["ms"] for event in played if (event.get("latency") or {}).get(part))
            assert int(count) == len(times), part
            # The nearest rank, in whole numbers.
            for told, percent in [(p50, 50), (p95, 95)]:
                assert abs(float(told) - times[-(-len(times) * percent // 100) - 1]) <= 0.051, (part, told)

    for verdict in (event for event in events if event["type"] == "verdict"):
        moved = [one["at"] for one in verdict["evidence"] if one.get("at") is not None]
        first = min(moved)
        for one in verdict["evidence"]:
            if one.get("at") is not None and one.get("uncertainty") is not None:
                title = f"P{one['player']}: {one['at'] - first:.1f} ± {one['uncertainty']:.1f} ms"
                assert title in page, f"{verdict['id']}: {title}"
    last = {row["controller"]: row for row in tables["links"]}
    for row in last.values():
        cells = f"<td>{row['datagrams']}</td><td>{row['datagrams_missing'] or 'not counted'}</td>"
        assert cells in page, f"P{row['player']}'s ledger: {cells}"
    return f"{len(shown)} controllers, {len(began)} gestures, {len(played)} haptics and their times are the report's, too"


if __name__ == "__main__":
    print(compare(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
    if len(sys.argv) > 3:
        print(compare_report(pathlib.Path(sys.argv[3]).read_text(), pathlib.Path(sys.argv[2])))
