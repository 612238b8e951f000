"""Where WebSocket is refused, as on an iPhone with a certificate that was clicked through, POST and server-sent events
take its place, and nobody notices but by the books."""

import math

import pytest
from hosted_room import wait_until
from phone import GRAVITY

REFUSED = """
    window.WebSocket = class {
        constructor() { setTimeout(() => this.onerror && this.onerror(new Event("error")), 5); }
        close() {}
    };
"""
SILENT = "window.WebSocket = class { close() {} };"


def is_held(motion, force):
    felt = motion and [-GRAVITY * (g + u) for g, u in zip(motion["gravity"], motion["userAcceleration"])]
    return felt and math.dist(felt, force) < 0.15


@pytest.mark.parametrize("script", [REFUSED, SILENT], ids=["refused at once", "never answered"])
def test_without_websocket_a_phone_plays_by_post(room, phones, script):
    phone = phones(room.phone_url(), scripts=[script]).start()
    room.wait_event(type="player", state="joined")
    events = room.follow()
    phone.hold((2.0, -1.0, 9.0))
    wait_until(lambda: is_held(events.motion(1), (2.0, -1.0, 9.0)), what="the motion fed")
    events.close()
    play = lambda: room.command(task="play", who="P1", intensity=1, sharpness=0, duration=100)
    assert room.felt(play)["outcome"] == "played"
    phone.seated()
    books = wait_until(
        lambda: (peer := room.peer("P1"))["samples"]["missing"] == 0
        and peer["clock"]["state"] in ("coarse", "locked") and peer,
        what="complete books, and its clock")
    assert books["transport"] == "post"
    assert books["samples"]["abandoned"] == 0
    assert books["datagrams"]["missing"] is None, "on a reliable transport loss shows as delay"


# Between the page and the network: `spoil(count)` says of each sending what happens to it.
SPOILED = REFUSED + """
    window.spoil = () => "send";
    window.sendings = { cut: 0, deaf: 0, late: 0, send: 0 };
    const real = window.fetch;
    window.fetch = async (url, options) => {
        if (!String(url).endsWith("/send")) return real(url, options);
        const fate = window.spoil(++window.sendings.send);
        if (fate in window.sendings) window.sendings[fate] += 1;
        if (fate === "cut") throw new TypeError("no network");
        if (fate === "late") await new Promise((resolve) => setTimeout(resolve, 250));
        const answer = await real(url, options);
        if (fate === "deaf") throw new TypeError("the answer is lost");
        return answer;
    };
"""


def test_a_post_that_failed_is_tried_again_with_its_numbers_and_no_sample_is_lost(room, phones):
    """Every fourth request never reaches the room, and every seventh does, but its answer is lost."""
    phone = phones(room.phone_url(), scripts=[SPOILED]).start()
    room.wait_event(type="player", state="joined")
    phone.page.evaluate("spoil = (count) => (count % 4 === 0 ? 'cut' : count % 7 === 0 ? 'deaf' : 'send')")
    phone.page.wait_for_function("() => sendings.cut > 5 && sendings.deaf > 2")
    phone.page.evaluate("spoil = () => 'send'")
    seen = phone.page.evaluate("sendings")

    def is_complete():
        samples = room.peer("P1")["samples"]
        return samples["missing"] == 0 and samples["expected"] > 120 and samples

    samples = wait_until(is_complete, what="a complete ledger")
    assert samples["expected"] == samples["delivered"] + samples["late"]
    books = room.peer("P1")["datagrams"]
    assert books["duplicate"] > 0, f"what is tried again keeps its numbers: {books}, {seen}"
    assert books["epochs"] == 1, "all on one connection"


def test_who_leaves_by_post_gives_the_seat_back_however_long_the_goodbye_is_under_way(room, phones):
    """The end of the stream, which would end the session, is not heard before it."""
    phone = phones(room.phone_url(), scripts=[SPOILED]).start()
    phone.seated()
    phone.page.evaluate("spoil = () => 'late'")
    phone.page.click("#leave")
    room.wait_event(type="player", state="left")
    assert [event["state"] for event in room.events if event["type"] == "player"] == ["joined", "left"]


def test_while_a_request_is_in_flight_samples_gather_and_go_with_the_next(room, phones):
    phone = phones(room.phone_url(), scripts=[SPOILED]).start()
    room.wait_event(type="player", state="joined")
    phone.page.evaluate("spoil = () => 'late'")
    begun = room.peer("P1")
    more = lambda peer: peer["samples"]["delivered"] - begun["samples"]["delivered"]
    done = wait_until(lambda: more(peer := room.peer("P1")) > 120 and peer, what="two seconds of samples")
    samples = more(done)
    datagrams = done["datagrams"]["unique"] - begun["datagrams"]["unique"]
    assert datagrams < samples / 4, f"{samples} samples in {datagrams} datagrams"
    wait_until(lambda: room.peer("P1")["samples"]["missing"] == 0, what="complete books")


def test_while_the_websocket_is_behind_samples_gather_and_each_has_its_own_datagram_when_it_is_not(room, phones):
    behind = """
        window.isBehind = false;
        window.felt = 0;
        addEventListener("devicemotion", () => { window.felt += 1; });
        Object.defineProperty(WebSocket.prototype, "bufferedAmount", { get: () => (window.isBehind ? 99_999 : 0) });
    """
    phone = phones(room.phone_url(), scripts=[behind]).start()
    phone.seated()
    begun = room.peer("P1")
    phone.page.wait_for_timeout(1000)
    quick = room.peer("P1")
    sent = quick["datagrams"]["unique"] - begun["datagrams"]["unique"]
    assert sent >= quick["samples"]["delivered"] - begun["samples"]["delivered"] > 0
    phone.page.evaluate("isBehind = true; felt = 0")
    phone.page.wait_for_function("() => felt > 90")
    stuck = room.peer("P1")
    phone.page.evaluate("isBehind = false")
    grown = lambda peer, what, key: peer[what][key] - stuck[what][key]
    # However many follow each in its own, those that were held back came by the dozen.
    wait_until(
        lambda: grown(peer := room.peer("P1"), "samples", "delivered") > grown(peer, "datagrams", "unique") + 60,
        what="what had gathered, in few datagrams")
    wait_until(lambda: room.peer("P1")["samples"]["missing"] == 0, what="complete books")


# Whether a WebSocket is refused, as something between the phone and the room does while the network is away.
REFUSABLE = """
    window.isRefused = false;
    window.WebSocket = class extends WebSocket {
        constructor(url) { super(String(url).replace("/api/", isRefused ? "/away/" : "/api/")); }
    };
"""


def test_a_phone_whose_websocket_has_opened_tries_it_first_however_often_it_was_refused_since(room, phones):
    phone = phones(room.phone_url(), scripts=[REFUSABLE]).start()
    phone.seated()
    assert room.peers()[0]["transport"] == "wss"
    for is_refused, transport in ((True, "post"), (True, "post"), (False, "wss")):
        phone.page.evaluate("(isRefused) => { window.isRefused = isRefused; }", is_refused)
        room.kill()
        phone.page.wait_for_selector("main[data-state=reconnecting]")
        room.start()
        phone.seated()
        wait_until(lambda: room.peers()[0]["transport"] == transport, what=lambda: f"{transport}: {room.peers()}")
