"""Whatever happens, a phone comes back to the same seat: the page is loaded again, hidden, cut off, or its host dies."""

import re

import pytest
from hosted_room import wait_until
from pages import SOCKETS
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


def test_who_swipes_away_and_back_plays_on_without_a_tap(host, phones):
    room = host("--idle", "5min")
    phone = phones(room.phone_url()).start()
    before = phone.seated()
    phone.page.goto(room.base + "/api/")  # Another page of the same place, as a swipe of the edge brings one.
    room.wait_event(type="player", state="lost")
    phone.page.go_back()
    assert phone.seated() == before
    assert phone.page.evaluate("performance.getEntriesByType('navigation')[0].type") == "back_forward"


def test_a_host_that_knows_only_the_secret_before_gives_the_seat_for_that_one(room, phones):
    """As a host that went on with the room when another died, whose last word to this phone it never had."""
    phone = phones(room.phone_url()).start()
    joined = room.wait_event(type="player", state="joined")
    phone.page.wait_for_selector("main[data-seated]")
    lost = "ab" * 32
    # What the dead host gave last is not what this one knows; what it knows was the one before.
    phone.page.evaluate("""lost => {
        const key = Object.keys(localStorage).find(key => key.startsWith("roomful.room."));
        const kept = JSON.parse(localStorage.getItem(key));
        addEventListener("pagehide", () => localStorage.setItem(key, JSON.stringify({ ...kept, secret: lost, earlier: kept.secret })));
    }""", lost)
    phone.page.reload()
    phone.page.wait_for_selector("main[data-seated]")
    peers = room.peers()
    assert [peer["name"] for peer in peers] == [joined["name"]], peers
    states = [event["state"] for event in room.events if event["type"] == "player"]
    assert "left" not in states and states.count("joined") == 1, f"its seat was given away first: {states}"
    kept = phone.page.evaluate(
        """() => JSON.parse(localStorage.getItem(Object.keys(localStorage).find(key => key.startsWith("roomful.room."))))""")
    assert lost not in kept.values() and kept["secret"] != kept["earlier"]


def test_after_a_reload_its_motion_counts_at_once(room, phones):
    """A page that is loaded again brings a clock that begins anew: none of its samples is late, its gestures are told."""
    phone = phones(room.phone_url()).start()
    phone.seated()
    # It must have played for longer than it plays afterwards: then every sample of the new page was late once.
    wait_until(lambda: room.peer("P1")["samples"]["delivered"] > 300)
    before = room.peer("P1")["samples"]
    phone.page.reload()
    phone.seated()
    seen = len(room.events)
    room.wait_event(type="gesture", gesture="hold-still", phase="began", since=seen)
    shake = phone.shake(room, since=seen)
    assert shake["uncertainty"] is not None and shake["at"] > room.events[seen]["at"] - 1_000
    after = room.peer("P1")["samples"]
    # What a machine held up that stood still may be late, and no more than that.
    late, delivered = (after[key] - before[key] for key in ("late", "delivered"))
    assert late < delivered / 2, (before, after)


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
    pair[0].page.wait_for_selector("#connection:has-text('Connection to the room lost')")
    pair[0].page.screenshot(path=screenshots / "phone-reconnecting.png")
    assert pair[0].page.inner_text("#advice").startswith("Your seat is kept for a while. Stay")
    room.start()
    pair[0].page.wait_for_timeout(200)
    assert [phone.seated() for phone in pair] == before
    peers = wait_until(lambda: (p := room.peers()) and len(p) == 2 and p)
    wait_until(lambda: all(peer["samples"]["missing"] == 0 and peer["samples"]["delivered"] > 30
                           for peer in room.peers()), what=f"both books; they were {peers}")


def test_a_room_that_does_not_come_back_may_be_at_another_address(host, phones):
    """Its host has died for good, and another goes on: whoever is told to stay near the Wi-Fi would wait for ever."""
    phone = phones(host().phone_url()).start()
    phone.seated()
    advice = phone.page.evaluate("""async () => {
        const { connectionInWords } = await import("/phone/show/words.js");
        const session = { isSeated: false, state: "reconnecting", lostAt: 1_000, wasIn: true };
        return [20_999, 21_000].map((now) => connectionInWords(session, now).advice);
    }""")
    assert ["QR code" in each for each in advice] == [False, True]


# Where its tab is called so, nothing comes from the room but its pages.
AWAY = """if (window.name === "away") {
    window.WebSocket = class { constructor() { setTimeout(() => this.onclose?.()); } close() {} };
    window.fetch = () => Promise.reject(new TypeError("away"));
}"""


def test_who_loads_the_page_again_while_the_room_is_away_is_told_that_a_seat_is_kept(room, phones):
    phone = phones(room.phone_url(), scripts=[AWAY]).start()
    before = phone.seated()
    phone.page.evaluate("window.name = 'away'")
    phone.page.reload()
    phone.page.wait_for_selector("#connection:has-text('Connection to the room lost')")
    assert phone.page.inner_text("#advice").startswith("Your seat is kept for a while. Stay")
    phone.page.evaluate("window.name = ''")
    phone.page.reload()
    assert phone.seated() == before


def test_a_room_that_is_closed_for_a_while_says_so_and_the_phone_returns_to_its_seat(host, phones, screenshots):
    """With the page's clock put forward."""
    room = host("--idle", "1s", "--grace", "8s")
    phone = phones()
    phone.page.clock.install()
    phone.page.goto(room.phone_url())
    phone.start()
    before = phone.seated()
    room.cli("stop", "--back-in", "5min")
    room.process.wait(10)
    phone.page.wait_for_selector("text=Back soon")
    assert "about 5 min" in phone.page.inner_text("body")
    phone.page.screenshot(path=screenshots / "back-soon.png")
    # It asks again and again meanwhile, and says the same.
    asked = []
    phone.page.on("requestfailed", lambda request: asked.append(request.url))
    for times in (1, 2):
        phone.page.clock.fast_forward(5_000)
        wait_until(lambda: phone.page.wait_for_timeout(30) or len(asked) >= times, what="it asks again")
        phone.page.wait_for_selector("text=Back soon")
    room.start()
    phone.page.clock.fast_forward(5_000)
    assert phone.seated() == before


def test_what_was_sampled_while_the_connection_was_cut_arrives_afterwards(room, phones):
    """The page is cut off for two seconds: samples are held, and sent again on the new connection."""
    phone = phones(scripts=[SOCKETS])
    phone.page.goto(room.phone_url())
    phone.start()
    phone.seated()
    before = room.peer("P1")["samples"]["delivered"]
    phone.page.evaluate("isCut = true; sockets.forEach((socket) => socket.close())")
    phone.page.wait_for_selector("#connection:has-text('reconnecting')")
    phone.page.wait_for_timeout(2000)
    phone.page.evaluate("isCut = false")
    phone.seated()
    samples = wait_until(
        lambda: (s := room.peer("P1")["samples"]) and s["missing"] == 0 and s["delivered"] + s["late"] > before + 150
        and s, what="what was held")
    assert samples["epochs"] == 1, "the same process: its stream goes on where it was"
    assert samples["abandoned"] == 0


def test_who_waits_on_a_connection_that_is_dead_without_a_word_connects_again_and_who_waits_on_one_that_lives_does_not(
        host, phones):
    """As when the host's machine loses its power, or an access point forgets everybody."""
    room = host(seats=1)
    first = phones(room.phone_url()).start()
    first.seated()
    phone = phones(scripts=[SOCKETS])
    phone.page.goto(room.phone_url())
    phone.start()
    phone.page.wait_for_selector("#status[data-place='1']")
    opened = phone.page.evaluate("sockets.length")
    phone.page.wait_for_timeout(14_000)
    assert phone.page.evaluate("sockets.length") == opened
    phone.page.evaluate("void Object.assign(sockets.at(-1), { onmessage: null, onclose: null })")
    first.page.click("#leave")
    assert phone.seated()[0] == "1"
    assert phone.page.evaluate("sockets.length") == opened + 1


def test_whoever_comes_back_too_late_waits_and_is_no_player_any_more(host, phones):
    """Another has its seat by then: it shows neither that number nor what only players can do, and gets the next."""
    room = host("--idle", "1s", "--grace", "1s", seats=1)
    phone = phones(scripts=[SOCKETS])
    phone.page.goto(room.phone_url())
    phone.start()
    assert phone.seated()[0] == "1"
    title = phone.page.title()
    phone.page.evaluate("isCut = true; sockets.forEach((socket) => socket.close())")
    other = phones(room.phone_url()).start()
    other.seated()
    phone.page.evaluate("isCut = false")
    phone.page.wait_for_selector("#status[data-place='1']")
    for absent in ("#badge", "#rezero", "#buttons"):
        assert phone.page.is_hidden(absent), absent
    assert phone.page.title() != title and "P1" not in phone.page.title()
    other.page.click("#leave")
    assert phone.seated()[0] == "1"
    assert phone.page.is_visible("#badge") and phone.page.is_visible("#controls")


@pytest.fixture
def chromium():
    browser = RawChromium()
    yield browser
    browser.close()


def test_a_hidden_page_pauses_and_when_it_is_seen_again_it_has_its_seat(host, chromium):
    room = host("--idle", "5min")  # What is told before it was said by the page.
    target, page = chromium.open(room.phone_url())
    state = lambda: chromium.evaluate(page, "document.querySelector('main').dataset.state")
    chromium.wait_for(page, "document.readyState === 'complete' && document.querySelector('#start')")
    chromium.tap(page, "#start")
    joined = room.wait_event(type="player", state="joined")
    wait_until(lambda: state() == "seated")
    chromium.open()
    chromium.wait_for(page, "document.visibilityState === 'hidden'")
    room.wait_event(type="player", state="lost", player=joined["player"])
    before = len(room.events)
    chromium.send("Target.activateTarget", targetId=target)
    back = room.wait_event(type="player", state="back", since=before)
    assert (back["player"], back["name"], back["color"]) == (joined["player"], joined["name"], joined["color"])
    wait_until(lambda: state() == "seated")
    wait_until(lambda: room.peers()[0]["samples"]["missing"] == 0, what="complete books")


HIDE = """window.hide = (isHidden) => {
    Object.defineProperty(document, "hidden", { get: () => isHidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_page_hidden_for_longer_than_its_seat_is_kept_rests_and_joins_anew_when_seen(host, phones):
    room = host("--idle", "1s", "--grace", "1s")
    phone = phones(room.phone_url(), scripts=[HIDE]).start()
    before = phone.seated()
    seen = len(room.events)
    phone.page.evaluate("hide(true)")
    room.wait_event(type="player", state="left", since=seen)
    phone.page.wait_for_timeout(1200)
    assert room.peers() == [], "nobody comes back while nobody looks"
    phone.page.evaluate("hide(false)")
    assert phone.seated() == before


def test_who_leaves_gives_the_seat_back_at_once(host, phones):
    room = host("--idle", "5min")  # Given up by the page, not for its silence.
    phone = phones(room.phone_url()).start()
    phone.seated()
    phone.page.click("#leave")
    room.wait_event(type="player", state="left")
    phone.page.wait_for_selector("#trouble-title:text-is('You left the room')")
    assert phone.page.inner_text("#again") == "Join again"
    phone.page.click("#again")
    phone.seated()


# Stands in for the screen, and remembers each lock on it.
SCREEN = """
    window.locks = [];
    Object.defineProperty(navigator, "wakeLock", { value: { request: async () => {
        const lock = new EventTarget();
        lock.isHeld = true;
        lock.release = async () => {
            lock.isHeld = false;
            lock.dispatchEvent(new Event("release"));
        };
        locks.push(lock);
        return lock;
    } } });
"""


def test_the_screen_is_kept_on_for_who_plays_alone(room, phones):
    phone = phones(room.phone_url(), scripts=[SCREEN]).start()
    phone.seated()
    held = lambda: phone.page.evaluate("locks.map((lock) => lock.isHeld)")
    wait_until(lambda: held() == [True], what=held)
    phone.page.evaluate("locks[0].release()")  # As a browser does while the battery is low.
    assert phone.page.is_visible("#sleepy"), "the screen may go dark"
    phone.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    wait_until(lambda: held() == [False, True], what=held)
    assert not phone.page.is_visible("#sleepy")
    phone.page.click("#leave")
    wait_until(lambda: held() == [False, False], what=held)
    phone.page.click("#again")
    phone.seated()
    wait_until(lambda: held() == [False, False, True], what=held)
    room.cli("kick", "P1")
    phone.page.wait_for_selector("#trouble-title:text-is('You were taken out of the game')")
    phone.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    wait_until(lambda: held() == [False, False, False], what=held)
    # Who comes back by itself needs a screen that is on; after ten minutes without the room nobody holds it up any more.
    assert phone.page.evaluate("""async () => {
        const { keepsScreenOn } = await import("/phone/wake-lock.js");
        const now = performance.now();
        const says = (trouble, retryAt, lostAt) => keepsScreenOn({ trouble, retryAt, lostAt });
        return [says(null, null, null), says({}, now + 5_000, now - 1_000), says(null, null, now - 700_000),
            says({}, now + 5_000, now - 700_000), says({}, null, now)];
    }""") == [True, True, False, False, False]
    room.cli("lock")
    room.cli("unlock")
    phone.page.click("#again")
    phone.seated()
    wait_until(lambda: held() == [False, False, False, True], what=held)


KEPT = "JSON.stringify(localStorage)"


def renamed(phone, name):
    phone.page.click("#rename")
    phone.page.fill("#new-name", name)
    phone.page.click("#rename-form [type=submit]")
    phone.page.wait_for_selector(f"main[data-state=seated] #name:text-is('{name}')")
    return phone


def test_nothing_of_a_visitor_who_left_is_on_the_phone_and_the_next_one_has_another_name(host, phones):
    room = host("--names", "free")
    phone = phones(room.phone_url()).start()
    _, before = phone.seated()
    renamed(phone, "Vera")
    phone.page.click("#leave")
    room.wait_event(type="player", state="left")
    keys = phone.page.evaluate("Object.keys(localStorage)")
    assert not [key for key in keys if key in ("roomful.name", "roomful.ticket") or key.startswith("roomful.room.")], keys
    assert "Vera" not in phone.page.evaluate(KEPT)
    phone.page.click("#again")
    assert phone.seated()[1] == before, "and this page still has the code, until it is closed"


def test_a_phone_that_is_told_to_forget_knows_nothing_of_who_was_there(host, phones):
    """After leaving, and before the start, where somebody else has left it."""
    room = host("--names", "free", "--policy", "open", "--idle", "5min")
    phone = phones(room.base + "/")
    assert phone.page.is_hidden("#forget"), "nobody was here"
    phone.start()
    phone.seated()
    assert phone.page.is_hidden("#forget")
    own = room.peer("P1")["controller"]
    renamed(phone, "Vera").page.click("#leave")
    phone.page.click("#forget")
    phone.page.wait_for_selector("#trouble-title:text-is('You are forgotten')")
    assert phone.page.evaluate("Object.keys(localStorage)") == [] and phone.page.is_hidden("#forget")
    phone.page.click("#reload")
    phone.page.wait_for_selector("#start:enabled:text-is('Start')")
    phone.start()
    phone.seated()
    assert room.peer("P1")["controller"] != own
    again = phone.context.new_page()
    phone.page.close(run_before_unload=True)
    room.wait_event(type="player", state="lost")
    phone.page = again
    phone.page.goto(room.base + "/")
    phone.page.click("#forget")
    phone.page.wait_for_selector("#trouble-title:text-is('You are forgotten')")
    assert phone.page.evaluate("Object.keys(localStorage)") == []


def test_where_visitors_are_reset_a_phone_brings_back_the_name_with_the_seat_and_never_without(host, phones):
    room = host("--names", "free", "--idle", "1s", "--grace", "1h", "--idle-reset", "10s")
    phone = phones(room.phone_url()).start()
    _, before = phone.seated()
    renamed(phone, "Vera").page.reload()
    assert phone.seated()[1] == "Vera", "the seat was kept"
    again = phone.context.new_page()
    phone.page.close(run_before_unload=True)
    room.wait_event(type="player", state="left")
    phone.page = again
    phone.page.goto(room.phone_url())
    phone.start()
    assert phone.seated()[1] == before
    assert "Vera" not in phone.page.evaluate(KEPT)
    renamed(phone, "Nora").page.reload()
    assert phone.seated()[1] == "Nora"


def test_a_closed_tab_says_goodbye_and_its_seat_waits_for_whoever_opens_it_again(host, phones):
    room = host("--idle", "5min")
    phone = phones(room.phone_url()).start()
    before = phone.seated()
    again = phone.context.new_page()
    phone.page.close(run_before_unload=True)
    room.wait_event(type="player", state="lost")
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
    phone.page.wait_for_selector("#trouble-title:has-text('another tab')")
    second.wait_for_selector("main[data-state=seated]")
    assert (second.inner_text("#number"), second.inner_text("#name")) == before
    assert len(room.peers()) == 1


def sent(room, phone, fields):
    """A page of somebody else sends the phone to the room's page, by an address that it made up."""
    phone.page.goto("about:blank")
    phone.page.evaluate("url => { location.href = url; }", f"{room.base}/#v=1&{fields}")
    phone.page.wait_for_selector("#start:enabled", state="attached")


@pytest.mark.parametrize("policy", ["code", "open"])
def test_no_page_takes_a_player_s_seat_away_by_an_address_that_it_made_up(host, phones, policy):
    """As another controller, or as one that is seated already, with a ticket or without: the phone stays who it is."""
    room = host("--policy", policy, "--idle", "5min")
    phone, other = (phones(room.phone_url()).start() for _ in range(2))
    before, _ = phone.seated(), other.seated()
    everyone = sorted(peer["controller"] for peer in room.peers())
    own = phone.page.evaluate("JSON.parse(localStorage.getItem('roomful.controller'))")
    theirs = next(each for each in everyone if each != own)
    this = re.search("i=[^&]*", room.phone_url()).group(0)
    ticket, unknown = "t=" + "ab" * 32, "ee" * 16
    made_up = [f"k={unknown}", f"{this}&k={unknown}", f"{ticket}&k={unknown}",
               f"{this}&k={theirs}", f"{this}&{ticket}&k={theirs}", f"i=A&k={unknown}"]
    # An open room lets in whoever asks, with any ticket: there the tap alone is in the way, and is not made here.
    taps = [True] * len(made_up) + [policy == "code"]
    for fields, is_tapped in zip([*made_up, f"{this}&{ticket}&k={unknown}"], taps):
        sent(room, phone, fields)
        phone.page.wait_for_timeout(500)
        assert phone.page.is_visible("#start"), f"nobody has tapped: {fields}"
        if is_tapped:
            phone.start()
            assert phone.seated() == before, fields
        assert sorted(peer["controller"] for peer in room.peers()) == everyone, fields
    phone.page.goto("about:blank")
    phone.page.goto(room.phone_url())
    phone.start()
    assert phone.seated() == before, "and its own code brings it back"
    # To its own seat anybody may send it, as the lobby does.
    for fields in (f"{this}&k={own}", f"i={'A' * 22}&{ticket}&k={unknown}"):
        sent(room, phone, fields)
        assert phone.seated() == before, fields
    assert sorted(peer["controller"] for peer in room.peers()) == everyone


@pytest.mark.parametrize("policy", ["code", "ask", "open"])
def test_a_seat_that_nobody_keeps_is_nobody_s(host, phones, policy):
    """A made-up ticket brings no seat to who has none, and no place in the queue; the phone keeps nothing of it."""
    room = host("--policy", policy, seats=1)
    if policy == "open":
        phones(room.phone_url()).start().seated()
    phone = phones()
    this = re.search("i=[^&]*", room.phone_url()).group(0)
    sent(room, phone, f"{this}&t={'ab' * 32}&k={'ee' * 16}")
    phone.page.wait_for_selector("#trouble-title:text-is('Nobody answered')")
    kept = phone.page.evaluate("JSON.stringify(localStorage)")
    assert "ee" * 16 not in kept and "ab" * 32 not in kept, kept
