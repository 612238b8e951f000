"""Whatever happens, a phone comes back to the same seat: the page is loaded again, hidden, cut off, or its host dies."""

import pytest
from hosted_room import wait_until
from phone import GRAVITY
from raw_chromium import RawChromium


def test_after_a_reload_it_has_the_same_seat_name_and_colour(host, phones):
    room = host()
    other = phones(room.phone_url()).start()
    other.seated()
    phone = phones(room.phone_url()).start()
    before = phone.seated()
    phone.page.reload()
    assert phone.seated() == before, "and nobody had to press Start again"
    assert len(room.peers()) == 2
    # A new page is a new process with a stream of its own: its books go on, and are complete.
    wait_until(lambda: room.peer(f"P{before[0]}")["samples"]["missing"] == 0)


def test_who_swipes_away_and_back_plays_on_without_a_tap(room, phones):
    phone = phones(room.phone_url()).start()
    before = phone.seated()
    phone.page.goto(room.base + "/api/")  # Another page of the same place, as a swipe of the edge brings one.
    room.wait_event(type="player", state="lost")
    phone.page.go_back()
    assert phone.seated() == before
    assert phone.page.evaluate("performance.getEntriesByType('navigation')[0].type") == "back_forward"


def test_after_a_reload_its_motion_counts_at_once(room, phones):
    """A page that is loaded again brings a clock that begins anew: none of its samples is late, its gestures are told."""
    phone = phones(room.phone_url()).start()
    phone.seated()
    # It must have played for longer than it plays afterwards: then every sample of the new page was late once.
    wait_until(lambda: room.peer("P1")["samples"]["delivered"] > 300, 20)
    before = room.peer("P1")["samples"]
    phone.page.reload()
    phone.seated()
    seen = len(room.events)
    room.wait_event(type="gesture", gesture="hold-still", phase="began", since=seen)
    for turn in range(16):
        phone.hold((25 if turn % 2 else -25, 0, GRAVITY), user=(25 if turn % 2 else -25, 0, 0))
        phone.page.wait_for_timeout(90)
    phone.hold()
    shake = room.wait_event(type="gesture", gesture="shake", phase="began", player=1, since=seen)
    assert shake["uncertainty"] is not None and shake["at"] > room.events[seen]["at"] - 1_000
    after = room.peer("P1")["samples"]
    assert after["late"] == before["late"] and after["delivered"] > before["delivered"]


def test_where_the_phone_must_ask_for_motion_a_reload_waits_for_one_tap(room, phones):
    """As iOS does: asked without a tap it throws."""
    ask = """DeviceMotionEvent.requestPermission = async () => {
        if (navigator.userActivation.isActive) return "granted";
        throw new DOMException("a tap, please", "NotAllowedError");
    }"""
    phone = phones(room.phone_url(), scripts=[ask]).start()
    before = phone.seated()
    phone.page.reload()
    assert phone.page.inner_text("#start") == "Continue"
    phone.start()
    assert phone.seated() == before


def test_after_its_host_was_killed_and_started_again_it_has_the_same_seat(host, phones, screenshots):
    room = host()
    pair = [phones(room.phone_url()).start() for _ in range(2)]
    before = [phone.seated() for phone in pair]
    room.kill()
    pair[0].page.wait_for_selector("#connection:has-text('Connection to the room lost')", timeout=6000)
    pair[0].page.screenshot(path=screenshots / "phone-reconnecting.png")
    room.start()
    pair[0].page.wait_for_timeout(200)
    assert [phone.seated() for phone in pair] == before
    peers = wait_until(lambda: (p := room.peers()) and len(p) == 2 and p)
    wait_until(lambda: all(peer["samples"]["missing"] == 0 and peer["samples"]["delivered"] > 30
                           for peer in room.peers()), 8, f"both books; they were {peers}")


def test_a_room_that_is_closed_for_a_while_says_so_and_the_phone_returns_to_its_seat(host, phones, screenshots):
    room = host("--idle", "1s", "--grace", "8s")
    phone = phones(room.phone_url()).start()
    before = phone.seated()
    room.cli("stop", "--back-in", "5min")
    room.process.wait(10)
    phone.page.wait_for_selector("text=Back soon", timeout=10_000)
    assert "about 5 min" in phone.page.inner_text("body")
    phone.page.screenshot(path=screenshots / "back-soon.png")
    # It asks again and again meanwhile, and says the same.
    phone.page.wait_for_timeout(6_000)
    phone.page.wait_for_selector("text=Back soon", timeout=10_000)
    room.start()
    assert phone.seated(20_000) == before


def test_what_was_sampled_while_the_connection_was_cut_arrives_afterwards(room, phones):
    """The page is cut off for two seconds: samples are held, and sent again on the new connection."""
    phone = phones(scripts=["""
        window.sockets = [];
        window.isCut = false;
        const Real = WebSocket;
        window.WebSocket = class extends Real {
            constructor(...values) {
                super(...values);
                window.sockets.push(this);
                if (window.isCut) setTimeout(() => this.close());
            }
        };
        const fetch = window.fetch;
        window.fetch = (...values) => (window.isCut ? Promise.reject(new TypeError("cut")) : fetch(...values));
    """])
    phone.page.goto(room.phone_url())
    phone.start()
    phone.seated()
    before = room.peer("P1")["samples"]["delivered"]
    phone.page.evaluate("isCut = true; sockets.forEach((socket) => socket.close())")
    phone.page.wait_for_selector("#connection:has-text('reconnecting')", timeout=3000)
    phone.page.wait_for_timeout(2000)
    phone.page.evaluate("isCut = false")
    phone.seated()
    samples = wait_until(
        lambda: (s := room.peer("P1")["samples"]) and s["missing"] == 0 and s["delivered"] + s["late"] > before + 150
        and s, 8, "what was held")
    assert samples["epochs"] == 1, "the same process: its stream goes on where it was"
    assert samples["abandoned"] == 0


@pytest.fixture
def chromium():
    browser = RawChromium()
    yield browser
    browser.close()


def test_a_hidden_page_pauses_and_when_it_is_seen_again_it_has_its_seat(host, chromium):
    room = host("--idle", "3s")
    target, page = chromium.open(room.phone_url())
    state = lambda: chromium.evaluate(page, "document.querySelector('main').dataset.state")
    chromium.wait_for(page, "document.readyState === 'complete' && document.querySelector('#start')")
    chromium.tap(page, "#start")
    joined = room.wait_event(type="player", state="joined")
    wait_until(lambda: state() == "seated", 12)
    chromium.open()
    assert chromium.evaluate(page, "document.visibilityState") == "hidden"
    room.wait_event(type="player", state="lost", player=joined["player"], timeout=2)
    before = len(room.events)
    chromium.send("Target.activateTarget", targetId=target)
    back = room.wait_event(type="player", state="back", since=before, timeout=5)
    assert (back["player"], back["name"], back["color"]) == (joined["player"], joined["name"], joined["color"])
    wait_until(lambda: state() == "seated", 12)
    assert room.peers()[0]["samples"]["missing"] == 0


HIDE = """window.hide = (isHidden) => {
    Object.defineProperty(document, "hidden", { get: () => isHidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_page_hidden_for_longer_than_its_seat_is_kept_rests_and_joins_anew_when_seen(host, phones):
    room = host("--idle", "1s", "--grace", "1s")
    phone = phones(room.phone_url(), scripts=[HIDE]).start()
    before = phone.seated()
    phone.page.evaluate("hide(true)")
    room.wait_event(type="player", state="left", timeout=6)
    phone.page.wait_for_timeout(1200)
    assert room.peers() == [], "nobody comes back while nobody looks"
    phone.page.evaluate("hide(false)")
    assert phone.seated() == before


def test_who_leaves_gives_the_seat_back_at_once(room, phones):
    phone = phones(room.phone_url()).start()
    phone.seated()
    phone.page.click("#leave")
    room.wait_event(type="player", state="left", timeout=3)
    assert phone.page.inner_text("#trouble-title") == "You left the room"
    assert phone.page.inner_text("#again") == "Join again"
    phone.page.click("#again")
    phone.seated()


def test_a_closed_tab_says_goodbye_and_its_seat_waits_for_whoever_opens_it_again(host, phones):
    room = host("--idle", "60s")
    phone = phones(room.phone_url()).start()
    before = phone.seated()
    again = phone.context.new_page()
    phone.page.close(run_before_unload=True)
    room.wait_event(type="player", state="lost", timeout=20)
    phone.page = again
    phone.page.goto(room.phone_url())
    phone.start()
    assert phone.seated() == before


def test_a_second_tab_takes_the_seat_over_and_the_first_says_so(room, phones):
    phone = phones(room.phone_url()).start()
    before = phone.seated()
    second = phone.context.new_page()
    second.goto(room.phone_url())
    second.click("#start")
    phone.page.wait_for_selector("#trouble-title:has-text('another tab')", timeout=8000)
    second.wait_for_selector("main[data-state=seated]", timeout=15_000)
    assert (second.inner_text("#number"), second.inner_text("#name")) == before
    assert len(room.peers()) == 1
