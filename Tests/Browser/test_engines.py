"""A phone's page in the engines that phones have: Chromium always, and as many as are asked for.

    ROOMFUL_ENGINES=firefox,webkit     tries these, too (`make engines`)

Motion is fed as synthetic `devicemotion` events, the same in all; where an engine has no such event, it is given one."""

import os
import time

import pytest
from hosted_room import wait_until
from languages import sentences
from webdriver import Chromium, Engine

ENGLISH = sentences("en")
# The motion of a phone that lies on a table, 60 times a second, and is shaken until `shaken`.
MOTION = """
    window.DeviceMotionEvent ??= class DeviceMotionEvent extends Event {
        constructor(type, init) { super(type); Object.assign(this, init); }
    };
    if (arguments[0]) DeviceMotionEvent.requestPermission = () => {
        window.asked = navigator.userActivation?.isActive ?? true;
        return Promise.resolve(arguments[0]);
    };
    window.shaken = 0;
    const xyz = (x, y, z) => ({ x, y, z });
    window.feeding ??= setInterval(() => {
        const now = performance.now();
        const push = now < window.shaken ? (Math.floor(now / 90) % 2 ? 25 : -25) : 0;
        dispatchEvent(new DeviceMotionEvent("devicemotion", {
            acceleration: xyz(push, 0, 0), accelerationIncludingGravity: xyz(push, 0, 9.80665),
            rotationRate: { alpha: 0, beta: 0, gamma: 0 }, interval: 16 }));
    }, 16);
"""
NO_WEBSOCKET = """
    window.WebSocket = class {
        constructor() { setTimeout(() => this.onerror && this.onerror(new Event("error")), 5); }
        close() {}
    };
"""
STATE = "return document.querySelector('main').dataset.state + ' ' + document.querySelector('#trouble-title').textContent"
engines = ["chromium", *filter(None, os.environ.get("ROOMFUL_ENGINES", "").split(","))]


@pytest.fixture(scope="module", params=list(dict.fromkeys(engines)))
def engine(request):
    one = Chromium(request.getfixturevalue("whole_browser")) if request.param == "chromium" else Engine(request.param)
    yield one
    one.close()


class Visit:
    """One visit of a phone to a room."""

    def __init__(self, engine, room, permission="", before=""):
        self.engine, self.room = engine, room
        engine.go(room.phone_url())
        self.feed(permission, before)

    def feed(self, permission="", before=""):
        self.engine.run(before + MOTION, permission)

    def ready(self):
        wait_until(lambda: self.engine.run("return !document.querySelector('#start').disabled"), what="Start")

    def start(self):
        self.ready()
        self.engine.click("#start")
        return self

    def is_in(self, state, title=""):
        wait_until(lambda: self.engine.run(STATE).startswith(f"{state} {title}"), 20,
                   lambda: f"{state} {title}; it is {self.engine.run(STATE)}")
        return self

    def seated(self):
        wait_until(lambda: self.engine.run(STATE).startswith("seated"), what=lambda: self.engine.run(STATE))
        return self

    def shake(self, seen):
        """Until it is told, as what a machine that stands still leaves of a shake may be none."""
        self.engine.run("window.shaken = Infinity")
        told = self.room.wait_event(type="gesture", gesture="shake", phase="began", since=seen)
        self.engine.run("window.shaken = 0")
        return told


def delivered(room):
    peers = room.command(task="status")["status"]["peers"]
    return peers[0]["samples"]["delivered"] if peers else 0


def test_from_the_qr_code_to_the_first_sample(engine, room, screenshots):
    """Printed for each engine, as seen from here: when the page is loaded; after the tap, the seat and the sample."""
    begun = time.monotonic()
    visit = Visit(engine, room)
    loaded = time.monotonic()
    visit.ready()
    tapped = time.monotonic()
    engine.click("#start")
    room.wait_event(type="player", state="joined")
    seated = time.monotonic()
    wait_until(lambda: delivered(room) > 0, what="a sample")
    sampled = time.monotonic()
    print(f"\n{engine.name}: page loaded {loaded - begun:.2f} s after the scan, and ready {tapped - loaded:.2f} s later; "
          f"from the tap to the seat {seated - tapped:.2f} s, to the first sample {sampled - tapped:.2f} s")
    visit.seated()
    engine.screenshot(screenshots / f"engine-{engine.name}.png")
    assert engine.run("return document.querySelector('#number').textContent") == "1"


def test_a_gesture_is_told_at_its_time_and_again_after_a_reload(engine, room):
    """With the page's new clock: what is done 2 s after the return is told, and not late."""
    visit = Visit(engine, room).start().seated()
    room.wait_event(type="gesture", gesture="hold-still", phase="began")
    visit.shake(0)
    # It must have played for longer than it plays afterwards: then every sample of the new page was late once.
    played = float(os.environ.get("ROOMFUL_PLAYED_SECONDS", "5"))
    wait_until(lambda: delivered(room) > 60 * played * 0.8, what="a while of play")
    before, seen = room.peer("P1")["samples"], len(room.events)
    engine.reload()
    visit.feed()
    # An engine without the event waits for a tap, as it cannot know that the sensor will come; one that feels it in time
    # goes on by itself, between any two questions of ours.
    wait_until(lambda: engine.run(
        "return document.querySelector('#welcome').hidden || !document.querySelector('#start').disabled"), what="Start")
    engine.run("if (!document.querySelector('#welcome').hidden) document.querySelector('#start').click()")
    visit.seated()
    room.wait_event(type="gesture", gesture="hold-still", phase="began", since=seen)
    shake = visit.shake(seen)
    after = room.peer("P1")["samples"]
    assert shake["player"] == 1 and shake["uncertainty"] is not None
    # What a machine held up that stood still may be late, and no more than that.
    late, delivered_ = (after[key] - before[key] for key in ("late", "delivered"))
    assert late < delivered_ / 2, (before, after)


def test_where_websocket_is_refused_it_plays_by_post(engine, room):
    visit = Visit(engine, room, before=NO_WEBSOCKET).start().seated()
    wait_until(lambda: delivered(room) > 60, what="samples")
    books = room.peer("P1")
    assert books["transport"] == "post"
    wait_until(lambda: room.peer("P1")["samples"]["missing"] == 0, what="complete books")
    assert visit.shake(0)["player"] == 1


def test_the_answer_of_who_is_asked_for_motion_counts(engine, room):
    visit = Visit(engine, room, "granted").start().seated()
    assert engine.run("return window.asked") is True, "within the tap"
    wait_until(lambda: delivered(room) > 0, what="a sample")
    engine.click("#leave")
    visit.is_in("stopped", ENGLISH["left"])
    room.wait_event(type="player", state="left")
    denied = Visit(engine, room, "denied").start().seated()
    assert engine.run("return document.querySelector('#sensor-title').textContent") == ENGLISH["sensor.denied"]
    seen = len(room.events)
    engine.click("[data-gesture=shake]")
    denied.room.wait_event(type="gesture", gesture="shake", phase="began", since=seen)


def test_kicked_it_says_so_and_in_a_full_room_it_waits_for_its_turn(engine, host):
    room = host(seats=1)
    visit = Visit(engine, room).start().seated()
    room.cli("kick", "P1")
    visit.is_in("stopped", ENGLISH["kicked"])
    room.cli("unlock")
    from native import Native, lively
    native = Native(room, "Red Fox", lively(room.folder, 0))
    room.wait_event(type="player", state="joined", name="Red Fox")
    engine.click("#again")
    visit.is_in("waiting")
    assert engine.run("return document.querySelector('#status').dataset.place") == "1", "the first in the queue"
    native.close()
    visit.seated()
