"""The page's own codec against the golden vectors of `Documentation/vectors`: a third implementation beside Swift's and
Python's, run in the browser that it is for."""

import json
from pathlib import Path

import pytest

VECTORS = Path(__file__).resolve().parent.parent.parent / "Documentation/vectors"
EXACT = 2**53
# What a later version or another writer would send: the page only ever reads the like; and no page has a water sensor.
OTHERS = ("first-time-not-zero", "unknown-block", "under-water")


def vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text())["vectors"]


def is_exact(vector):
    """A browser's numbers are exact up to 2^53, in nanoseconds 104 days: two vectors lie beyond, on purpose."""
    times = [int(sample["sampledAt"]) for block in vector.get("blocks", []) if block["type"] == "stream"
             for run in block["runs"] for sample in run["samples"]]
    return all(abs(time) < EXACT for time in times) and vector["name"] not in OTHERS


@pytest.fixture(scope="module")
def page(browser, pages_server):
    """A bare page that may import the modules."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(pages_server + "/phone/wire/bytes.js")
    yield page
    context.close()


MODULES = """
    const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const unhex = (text) => new Uint8Array((text.match(/../g) ?? []).map((pair) => parseInt(pair, 16)));
    const { ByteReader } = await import("/phone/wire/bytes.js");
    const datagram = await import("/phone/wire/datagram.js");
    const messages = await import("/phone/wire/messages.js");
    const { SampleCodec } = await import("/phone/wire/samples.js");
    const { StreamBlockWriter } = await import("/phone/wire/stream-block.js");
"""


@pytest.mark.parametrize("vector", [v for v in vectors("motion") if is_exact(v)], ids=lambda v: v["name"])
def test_what_the_page_writes_is_the_vector_to_the_byte(page, vector):
    written = page.evaluate("""async (vector) => {""" + MODULES + """
        const { connectionIndex, connectionGeneration, number } = vector.header;
        const writer = datagram.beginDatagram(
            connectionIndex * 65536 + connectionGeneration, number, Number(vector.sentAt));
        for (const block of vector.blocks) {
            if (block.type === "stream") {
                const codec = new SampleCodec(block);
                const stream = new StreamBlockWriter(writer, { ...block, codec });
                for (const run of block.runs) {
                    run.samples.forEach((sample, place) => {
                        const time = Math.trunc(Number(sample.sampledAt) / 1000);
                        if (!stream.append(run.first + place, { ...sample, time })) throw new Error("no room");
                    });
                }
                stream.finish();
            } else if (block.type === "probeAnswer") {
                datagram.writeProbeAnswer(writer, block.id, Number(block.receivedAt), block.grain);
            } else if (block.type === "receipt") {
                datagram.writeReceipt(writer, block.next);
            } else if (block.type === "message") {
                datagram.writeMessage(writer, block.id, unhex(block.body));
            } else if (block.type === "goodbye") {
                datagram.writeGoodbye(writer, block.reason, block.lastSent);
            } else if (block.type === "tally") {
                datagram.writeTally(writer, { links: block.links, datagrams: Number(block.datagrams),
                    samples: Number(block.sampled), confirmed: Number(block.confirmed) });
            }
        }
        return hex(writer.written);
    }""", vector)
    header = vector["headerBytes"]
    assert written[2:18] == header[2:18]
    assert written[:2] == "13", "kind 3, as browsers send"
    assert written[18:] == vector["payloadBytes"]


@pytest.mark.parametrize("vector", vectors("feedback"), ids=lambda v: v["name"])
def test_what_the_host_says_is_read_as_the_vector_means_it(page, vector):
    blocks = page.evaluate("""async (vector) => {""" + MODULES + """
        const read = datagram.readFeedback(unhex("14" + vector.headerBytes.slice(2) + vector.payloadBytes));
        return read.blocks.map((block) => ({ ...block, body: block.body && hex(block.body),
            bitmap: block.bitmap && hex(block.bitmap) }));
    }""", vector)
    expected = [block for block in vector["blocks"] if block["type"] != "data"]
    assert len(blocks) == len(expected)
    for block, truth in zip(blocks, expected):
        for key, value in truth.items():
            if key == "arrived":
                bitmap = bytes.fromhex(block["bitmap"])
                told = [block["cumulative"] + 1 + bit for bit in range(8 * len(bitmap)) if bitmap[bit // 8] >> bit % 8 & 1]
                assert told == value
            elif key != "bitmapBytes":
                assert block[key] == value, key


@pytest.mark.parametrize("vector", vectors("messages"), ids=lambda v: v["name"])
def test_messages_are_read_and_written_as_the_vectors(page, vector):
    if vector["kind"] == "hapticReceipt":
        told = page.evaluate("""async (v) => {""" + MODULES + """
            return hex(messages.hapticReceipt(v.id, v.outcome, Number(v.playedAt ?? 0)));
        }""", vector)
        assert told == vector["bytes"]
    elif vector["kind"] == "found":
        told = page.evaluate("async (v) => {" + MODULES + "return hex(messages.foundTap(v.id, Number(v.occurredAt))); }", vector)
        assert told == vector["bytes"]
    elif vector["kind"] == "rezero":
        assert page.evaluate("async () => {" + MODULES + "return hex(messages.rezero()); }") == vector["bytes"]
    else:
        read = page.evaluate("""async (v) => {""" + MODULES + """
            const message = messages.readMessage(unhex(v.bytes));
            return message && { ...message, body: message.body && hex(message.body) };
        }""", vector)
        # Marks are a controller's; the page makes none.
        if vector["kind"] in ("unknown", "mark"):
            assert read is None
        else:
            thousandths = lambda name, value: round(value * 1_000) if name in ("knock", "calm", "turn") else value
            read |= {name: thousandths(name, value) for name, value in (read.get("tap") or {}).items()}
            for key in vector.keys() - {"bytes", "name", "intensity", "sharpness"}:
                assert read[key] == vector[key], key
            for key in {"intensity", "sharpness"} & vector.keys():
                assert round(read[key] * 255) == vector[key]


@pytest.mark.parametrize("vector", [v for v in vectors("refused") if v["part"] != "datagram"], ids=lambda v: v["name"])
def test_what_must_be_refused_is_refused_by_its_word(page, vector):
    """Blocks that only a controller writes (streams, answers), and data, are not read by the page: they are skipped."""
    reason = page.evaluate("""async (v) => {""" + MODULES + """
        try {
            if (v.part === "message") messages.readMessage(unhex(v.bytes));
            else datagram.readContent(new ByteReader(unhex(v.bytes)));
        } catch (error) {
            return error.message;
        }
        return null;
    }""", vector)
    name = vector["name"]
    foreign = vector["error"] == "malformedRun" or name in (
        "run-cut", "measure-unknown", "stream-cut", "answer-cut", "data-too-long", "haptic-receipt-cut", "outcome-unknown")
    assert reason == (None if foreign else vector["error"])
