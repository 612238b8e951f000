"""For each thing that can go wrong the phone says in a plain sentence what it is and what helps; and it stays playable
with buttons where only its sensor is missing."""

import re

import pytest
from hosted_room import wait_until


def seat(phone):
    phone.seated()
    return phone


def trouble(phone, title):
    phone.page.wait_for_selector(f"#trouble-title:has-text('{title}')")
    return phone.page.inner_text("#trouble-text")


BROKEN = {
    "does not come": lambda route: route.abort(),
    "is not to be had": lambda route: route.fulfill(status=503),
    "cannot be read by this browser": lambda route: route.fulfill(body="export class {", content_type="text/javascript"),
    "fails": lambda route: route.fulfill(body="throw Error('no such thing here')", content_type="text/javascript"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_page_of_which_a_module_is_missing_says_so_and_loads_again(room, phones, name):
    """The sentences of its reader's language may be what is missing."""
    phone = phones()
    module = "**/language/reader.js" if name == "is not to be had" else "**/phone/link/delay.js"
    phone.page.route(module, BROKEN[name])
    phone.page.goto(room.phone_url())
    phone.page.wait_for_selector("#unloaded:has-text('This page did not load whole.')")
    assert phone.page.is_hidden("#start") and phone.page.is_hidden("#unloaded-newer")
    phone.page.click("#load")
    phone.page.wait_for_selector("#unloaded-newer:has-text('try a newer browser')")
    phone.page.unroute(module)
    phone.page.click("#load")
    phone.start()
    seat(phone)
    phone.errors.clear()


UNLOADED = {"de-AT": ("de", "ltr", "nicht vollständig geladen"), "ar-EG": ("ar", "rtl", "لم تُحمَّل"),
            "nl-NL": ("en", "ltr", "did not load whole")}


@pytest.mark.parametrize("locale", UNLOADED)
def test_a_page_that_did_not_load_whole_speaks_its_reader_s_language(room, phones, locale):
    language, direction, words = UNLOADED[locale]
    phone = phones(locale=locale)
    phone.page.route("**/language/reader.js", BROKEN["does not come"])
    phone.page.goto(room.phone_url())
    phone.page.wait_for_selector(f"#unloaded[lang={language}][dir={direction}]:has-text('{words}')")
    assert phone.page.inner_text("#load")
    phone.errors.clear()


def test_a_page_that_takes_long_to_load_says_so_until_it_is_there(room, phones):
    """With the page's clock put forward."""
    phone, held = phones(), []
    phone.page.clock.install()
    phone.page.route("**/phone/link/delay.js", lambda route: held.append(route))
    phone.page.goto(room.phone_url(), wait_until="commit")
    phone.page.wait_for_selector("#start:disabled")
    wait_until(lambda: phone.page.wait_for_timeout(30) or held, what="the last module is asked for")
    assert phone.page.is_hidden("#unloaded")
    phone.page.clock.fast_forward(15_000)
    phone.page.wait_for_selector("#unloaded")
    held[0].continue_()
    phone.page.wait_for_selector("#start:enabled")
    assert phone.page.is_hidden("#unloaded")


DENIED = """
    window.asked = [];
    for (const kind of [DeviceMotionEvent, DeviceOrientationEvent]) {
        kind.requestPermission = () => {
            window.asked.push([kind.name, navigator.userActivation.isActive]);
            return Promise.resolve("denied");
        };
    }
"""
SENSOR_TROUBLES = {
    "permission refused": (DENIED, "No motion permission"),
    "question dismissed": ("DeviceMotionEvent.requestPermission = async () => { throw new Error('no') }",
                           "No motion permission"),
    "no question possible": ("DeviceMotionEvent.requestPermission = () => { throw new Error('no') }", "No motion permission"),
    "no sensor": ("", "No motion sensor"),
    "no motion in this browser": ("delete window.DeviceMotionEvent", "No motion sensor"),
    "not https": ("Object.defineProperty(window, 'isSecureContext', { value: false })", "This page is not secure"),
}


@pytest.mark.parametrize("name", SENSOR_TROUBLES)
def test_without_motion_the_page_says_why_and_the_buttons_play(room, phones, screenshots, name):
    script, title = SENSOR_TROUBLES[name]
    phone = phones(room.phone_url(), sensors=False, scripts=[script] if script else []).start()
    seat(phone)
    assert phone.page.inner_text("#sensor-title") == title
    assert phone.page.is_visible("[data-gesture=shake]"), "the buttons are open already"
    if title == "This page is not secure":
        assert phone.page.is_hidden("#sensor-again"), "nor would it be, loaded again"
    else:
        assert "open the link in Safari or Chrome" in phone.page.inner_text("#sensor-text"), "as a messenger's may withhold it"
        assert phone.page.inner_text("#sensor-again") == ("Ask again" if "permission" in title else "Load again")
    phone.page.wait_for_selector(f"#live:has-text('You are player 1'):has-text('{title}.')", state="attached")
    if name == "no sensor":
        wait_until(lambda: "has no motion sensor" in room.cli("peers", "P1"), what="the room knows why")
        assert room.peer("P1")["sensor"]["permission"] == "none"
    if name == "permission refused":
        asked = phone.page.evaluate("asked")
        assert asked == [["DeviceMotionEvent", True], ["DeviceOrientationEvent", True]], "both, within the tap"
        phone.page.screenshot(path=screenshots / "phone-permission-refused.png", full_page=True)
        phone.play("shake", lambda: room.gesture("shake"))
        assert all(event["source"] == "button" for event in room.events if event["type"] == "gesture")
        events = room.follow()
        phone.page.wait_for_timeout(500)
        assert events.motion() is None, "no motion is made up"
        events.close()


# Remembers what was said of the connection, and whether that was seen.
WATCHED = """addEventListener("DOMContentLoaded", () => {
    [window.said, window.words] = [[], []];
    const connection = document.getElementById("connection");
    const note = () => { said.push(connection.checkVisibility()); words.push(connection.textContent); };
    new MutationObserver(note).observe(document.querySelector("main"), { subtree: true, childList: true, attributes: true });
})"""
# A question that the test answers; who is asked has half a second instead of 20 s.
ASKED = """
    DeviceMotionEvent.requestPermission = () => new Promise((resolve) => { window.answer = resolve; });
    const wait = window.setTimeout;
    window.setTimeout = (action, time, ...values) => wait(action, time === 20_000 ? 500 : time, ...values);
"""


def test_a_question_for_motion_that_is_not_answered_keeps_nobody_out_and_its_answer_counts_later(room, phones):
    phone = phones(room.phone_url(), scripts=[WATCHED, ASKED]).start()
    seat(phone)
    assert "Answer your phone’s question about motion" in phone.page.evaluate("words")
    assert phone.page.is_visible("#sensor-trouble")
    phone.play("jump", lambda: room.gesture("jump"))
    phone.page.evaluate("answer('granted')")
    phone.page.wait_for_selector("#sensor-trouble", state="hidden")
    assert "source" not in phone.shake(room) and len(room.peers()) == 1


def test_the_host_hears_what_the_page_knows_of_its_sensor(room, phones):
    phone = seat(phones(room.phone_url()).start())
    turn = [0]

    def told():
        turn[0] += 1
        phone.hold((turn[0] % 50 / 10, 0, 9.8), rotation=(turn[0] % 40 / 20, 0, 0))
        phone.page.wait_for_timeout(40)
        sensor = room.peer("P1").get("sensor") or {}
        return sensor.get("accelerationStep") and 50 < sensor["rate"] < 70 and sensor

    sensor = wait_until(told, what="a report of a sensor that moved")
    assert sensor["permission"] == "granted"
    assert sensor["accelerationStep"] == 0.1, "Chromium rounds"
    assert sensor["vibrates"] is True


def place(phone, words):
    """In the queue: what the page says of the place."""
    phone.page.wait_for_selector(f"#status[data-place] #connection:has-text('{words}')")
    return phone.page.inner_text("#advice")


def test_in_a_full_room_a_phone_sees_its_place_and_comes_in_by_itself(host, phones, screenshots):
    """Also when it was loaded again meanwhile; a page that was closed leaves its seat to the queue after a little."""
    room = host(seats=1)
    first = seat(phones(room.phone_url()).start())
    second, third = (phones(room.phone_url()) for _ in range(2))
    assert "Every seat is taken" in place(second.start(), "You are next")
    place(third.start(), "You are number 2 in the queue")
    large = "getComputedStyle(document.getElementById('status'), '::before').content.includes('\"')"
    assert not second.page.evaluate(large), "no large 1, as of player 1"
    assert third.page.evaluate(large)
    third.page.screenshot(path=screenshots / "phone-queue.png")
    second.page.reload()
    place(second, "You are next")
    assert third.page.get_attribute("#status", "data-place") == "2", "its place was kept"
    first.page.close(run_before_unload=True)
    assert second.seated()[0] == "1"
    place(third, "You are next")
    second.page.click("#leave")
    seat(third)
    assert not third.page.is_visible("#status[data-place]")


VIBRATED = "window.felt = []; Navigator.prototype.vibrate = (pattern) => felt.push(pattern[0]) > 0;"


def test_who_waits_may_leave_at_once_and_feels_that_it_has_a_seat(host, phones):
    room = host("--names", "free", seats=1)
    first = seat(phones(room.phone_url()).start())
    second, third = (phones(room.phone_url(), scripts=[VIBRATED]).start() for _ in range(2))
    for phone in (second, third):
        place(phone, "You are n")
        assert phone.page.is_visible("#leave")
        assert not any(phone.page.is_visible(absent) for absent in ("#rezero", "#buttons", "#rename"))
    ahead, behind = (second, third) if second.page.get_attribute("#status", "data-place") == "1" else (third, second)
    ahead.page.click("#leave")
    assert "wait for a seat no more" in trouble(ahead, "You left the room")
    # A place whose phone says nothing of its leaving is kept for 30 s.
    behind.page.wait_for_selector("#connection:has-text('You are next')", timeout=15_000)
    assert behind.page.evaluate("felt") == []
    first.page.click("#leave")
    seat(behind)
    assert behind.page.evaluate("felt") == [600]
    assert all(behind.page.is_visible(each) for each in ("#leave", "#rezero", "#buttons", "#rename"))


def test_a_locked_room_is_said(room, phones):
    room.cli("lock")
    phone = phones(room.phone_url()).start()
    assert "nobody new" in trouble(phone, "The room is locked")


def test_a_wrong_or_expired_code_is_said_and_another_can_be_typed(room, phones, screenshots):
    url = room.phone_url()
    code = room.typed_code()
    phone = phones(re.sub(r"c=\w+", "c=00000000", url)).start()
    assert "Scan the QR code again" in trouble(phone, "This code is not valid any more")
    phone.page.screenshot(path=screenshots / "phone-code.png")
    phone.page.fill("#code", code.lower().replace("-", " "))
    phone.page.click("#code-form [type=submit]")
    seat(phone)


def test_who_types_the_code_hears_of_a_slip_before_the_room_counts_it_and_of_a_wrong_code_as_such(room, phones):
    """Where no ticket names it, the start page names the room all the same."""
    phone = phones(room.base + "/")
    phone.page.wait_for_selector("#room:text-is('Living Room')")
    phone.start()
    assert "beside the QR code" in trouble(phone, "Which code?")
    phone.page.fill("#code", "7KQM-2X9")
    phone.page.click("#code-form [type=submit]")
    assert "this one has 7" in phone.page.evaluate("document.getElementById('code').validationMessage")
    phone.page.fill("#code", "00000000")
    phone.page.click("#code-form [type=submit]")
    assert "correct it" in trouble(phone, "That is not this room’s code")
    assert phone.page.evaluate("[document.activeElement.id, document.activeElement.value]") == ["code", "00000000"]


def test_a_code_scanned_at_another_room_s_door_is_called_so_and_not_told_to_this_one(room, phones):
    """An old poster, at an address where another room is now."""
    url = room.phone_url()
    asked = []
    phone = phones()
    phone.page.on("websocket", lambda socket: socket.on("framesent", lambda text: asked.append(str(text))))
    phone.page.goto(re.sub(r"#v=1&i=[^&]*", "#v=1&i=" + "A" * 22, url))
    phone.start()
    assert "Scan the one that is shown here" in trouble(phone, "This QR code is for another room")
    code = re.search(r"c=(\w+)", url).group(1)
    assert any('"invite"' in text for text in asked) and not any(code in text for text in asked)
    phone.page.fill("#code", room.typed_code())
    phone.page.click("#code-form [type=submit]")
    seat(phone)


def test_what_is_read_aloud_has_one_mark_at_the_end_of_a_question(room, phones):
    phone = phones(room.base + "/").start()
    trouble(phone, "Which code?")
    phone.page.wait_for_selector("[aria-live] >> text=Which code? Type the eight")


NOTHING_KEPT = "for (const kind of ['localStorage', 'sessionStorage']) Object.defineProperty(window, kind, { get() { throw Error(); } });"


def test_a_wrong_code_typed_for_virtual_phones_is_called_a_slip(room, phones):
    """Also in a browser that keeps nothing."""
    desk = phones(
        room.local + "/pads/?n=1", sensors=False, viewport={"width": 1280, "height": 720}, scripts=[NOTHING_KEPT])
    desk.page.click("#begin")
    desk.page.fill("#code-form:not([hidden]) #code", "00000000")
    desk.page.keyboard.press("Enter")
    pad = desk.page.frame_locator("#pads iframe")
    pad.locator("#trouble-title:text-is('That is not this room’s code')").wait_for()
    desk.page.fill("#code-form:not([hidden]) #code", room.typed_code())
    desk.page.keyboard.press("Enter")
    pad.locator("main[data-state=seated]").wait_for()
    assert "#" not in desk.page.url, "what admits does not stay in the address bar"


def test_a_link_that_is_opened_where_its_page_is_open_already_counts(room, phones):
    """And what admits does not stay in the address bar."""
    phone = phones(re.sub("&c=[^&]*", "&c=00000000", room.phone_url())).start()
    trouble(phone, "This code is not valid any more")
    phone.page.goto(room.phone_url())
    seat(phone)
    assert "#" not in phone.page.url
    for path in ("/lobby/", "/pads/?n=1"):
        phone.page.goto(room.base + path)
        phone.page.goto(room.phone_url(page=path))
        phone.page.wait_for_url(lambda url: "#" not in url)


WRONG_CODES = """async () => {
    const attempt = () => new Promise((resolve) => {
        const socket = new WebSocket("/api/controller");
        const hex = (length) => Array.from({ length }, () => Math.floor(16 * Math.random()).toString(16)).join("");
        socket.onmessage = ({ data }) => {
            if (JSON.parse(data).type === "refused") return resolve(JSON.parse(data).reason);
            socket.send(JSON.stringify({ type: "invite", v: 1, controller: hex(32), process: hex(16), name: "", code: "00000000",
                haptics: false, streams: [{ stream: 0, measures: ["acceleration"], accelerationRange: 157, rotationRange: 35, rate: 60 }] }));
        };
    });
    for (let count = 0; count < 50; count += 1) if (await attempt() === "tooManyAttempts") return;
}"""


def test_while_the_room_takes_no_codes_the_page_says_when_it_asks_again_and_does(room, phones):
    """With the page's clock put forward by a minute; what is being typed meanwhile stays."""
    phone = phones()
    phone.page.clock.install()
    asked = []
    phone.page.on("websocket", lambda socket: socket.on("framesent", lambda frame: asked.append('"invite"' in str(frame))))
    phone.page.goto(room.base + "/")
    phone.page.evaluate(WRONG_CODES)
    phone.start()
    assert "You need do nothing" in trouble(phone, "Too many wrong codes")
    phone.page.wait_for_selector("#trouble-more:text-matches('tries again by itself in [0-9]+ s')")
    phone.page.fill("#code", "7KQM")
    before = sum(asked)
    phone.page.clock.fast_forward(62_000)
    wait_until(lambda: phone.page.wait_for_timeout(30) or sum(asked) > before, what="it asks again")
    trouble(phone, "Too many wrong codes")
    assert phone.page.evaluate("[document.activeElement.id, document.activeElement.value]") == ["code", "7KQM"]


def test_a_kicked_player_is_told_and_nothing_else_says_otherwise(room, phones):
    """No number, no title, no buttons that the words point to: there is no seat any more."""
    phone = seat(phones(room.phone_url(), sensors=False).start())
    assert phone.page.is_visible("#sensor-trouble") and phone.page.title().startswith("P1")
    room.cli("kick", "P1")
    assert "removed this phone" in trouble(phone, "You were taken out of the game")
    for absent in ("#badge", "#controls", "#sensor-trouble", "#status"):
        assert phone.page.is_hidden(absent), absent
    assert "P1" not in phone.page.title()
    # Nobody is asked: it is tried.
    assert phone.page.inner_text("#again") == "Try again"


REFUSALS = """() => {
    window.refusals = 0;
    const panel = document.getElementById("trouble");
    let wasShown = panel.checkVisibility();
    const note = () => {
        const isShown = panel.checkVisibility();
        if (isShown && !wasShown) refusals += 1;
        wasShown = isShown;
    };
    new MutationObserver(note).observe(document.body, { subtree: true, attributes: true, childList: true });
}"""


def test_who_was_taken_out_and_tries_again_reads_again_what_the_operator_said(room, phones):
    phone = seat(phones(room.phone_url()).start())
    room.operate(task="kick", who="P1", message="Next player, please")
    assert "Next player, please" in trouble(phone, "You were taken out of the game")
    phone.page.evaluate(REFUSALS)
    phone.page.click("#again")
    wait_until(lambda: phone.page.evaluate("window.refusals"))
    assert "Next player, please" in trouble(phone, "You were taken out of the game")
    # Locked and unlocked, the room lets it in; who is taken out without a word is told none.
    room.cli("lock")
    room.cli("unlock")
    phone.page.click("#again")
    seat(phone)
    room.cli("kick", "P1")
    assert "Next player" not in trouble(phone, "You were taken out of the game")


def test_a_page_of_another_version_than_its_host_s_offers_to_load_again(room, phones):
    """An older host takes no two buttons that mean the same, as this page's do."""
    phone = phones()
    alike = lambda route: route.fulfill(
        body=route.fetch().text().replace('fill("+")', 'fill("jump")'), content_type="text/javascript")
    phone.page.route("**/phone/sensor/button-log.js", alike)
    phone.page.goto(room.phone_url())
    phone.start()
    assert "Load it again" in trouble(phone, "This page is too old, or too new")
    phone.page.unroute("**/phone/sensor/button-log.js")
    phone.page.click("#reload")
    seat(phone)


def test_a_room_that_closes_says_so_until_it_is_open_again(room, phones):
    """The network is not to blame, and no seat is promised: nothing else is said while it is closed."""
    phone = seat(phones(room.phone_url(), scripts=[WATCHED]).start())
    room.cli("stop")
    assert "by yourself" in trouble(phone, "The room was closed")
    phone.page.evaluate("void (window.said = [])")
    # It has asked in vain twice.
    asked = []
    phone.page.on("requestfailed", lambda request: asked.append(request.url))
    wait_until(lambda: phone.page.wait_for_timeout(50) or len(asked) >= 2, what="it asks again")
    assert phone.page.is_visible("#trouble-title:has-text('The room was closed')")
    assert not any(phone.page.evaluate("said")), "it spoke of its connection"
    # Where it is open, and only this browser lets nothing of it come any more, the page that is loaded anew shows why.
    # Not soon: who loads it while the room is still closed has no page any more.
    soon = "import('/phone/refusals.js').then(({ troubleOfClosing }) => troubleOfClosing(170_000).offer)"
    assert phone.page.is_hidden("#reload") and phone.page.evaluate(soon) is None
    phone.page.evaluate("""() => {
        const now = performance.now.bind(performance);
        performance.now = () => now() + 180_000;
    }""")
    phone.page.wait_for_selector("#reload:not([hidden])")
    assert "load the page again" in phone.page.inner_text("#trouble-text")
    room.start()
    seat(phone)


def test_a_room_that_is_not_there_keeps_no_seat_for_who_never_was_in_and_may_be_asked_again(room, phones):
    phone = phones(room.phone_url())
    room.kill()
    phone.start()
    phone.page.wait_for_selector("#connection:has-text('The room does not answer')")
    advice = phone.page.inner_text("#advice")
    assert "Wi-Fi" in advice and "QR code" in advice and "seat" not in advice
    # By itself it asks every 5 s in the end: a tap asks now.
    said = "document.getElementById('retry').click(), document.getElementById('connection').textContent"
    assert phone.page.evaluate(said) == "Connecting…"
    room.start()
    seat(phone)
    assert phone.page.is_hidden("#retry")


def test_who_must_be_let_in_waits_and_a_no_is_told(host, phones):
    room = host("--policy", "ask")
    phone = phones(room.phone_url()).start()
    phone.page.wait_for_selector("#connection:has-text('Waiting for the host')")
    name = room.wait_event(type="asking")["controller"][:8]
    room.cli("decline", name)
    trouble(phone, "The host said no")
    phone.page.click("#again")
    phone.page.wait_for_selector("#connection:has-text('Waiting for the host')")
    wait_until(lambda: room.cli("accept", name, check=False).returncode == 0)
    seat(phone)


def test_letting_all_in_says_what_became_of_each(host, phones):
    """One seat, three who wait: the first is seated, the others have their places in the queue, and are told so."""
    room = host("--policy", "ask", seats=1)
    waiting = []
    for number in range(3):
        waiting.append(phones(room.phone_url()).start())
        wait_until(lambda: len(room.command(task="status")["status"]["waiting"]) == number + 1, what="it asks")
    said = room.cli("accept", "--all").splitlines()
    assert len(said) == 3
    assert said[0].endswith(" accepted: seat 1, player P1")
    assert [line.partition(": ")[2] for line in said[1:]] == [
        f"place {number} in the queue, as every seat is taken" for number in (1, 2)]
    seat(waiting[0])
    place(waiting[1], "You are next")
    place(waiting[2], "You are number 2 in the queue")
    assert room.json("accept", "--all") == {"accepted": 0, "queued": 0, "each": []}, "the queue waits for a seat"
    name = said[2].partition(" is called in")[0]
    told = room.json("accept", name)
    assert (told["accepted"], told["queued"]) == (0, 1)
    assert (told["each"][0]["name"], told["each"][0]["outcome"], told["each"][0]["place"]) == (name, "queued", 1)
    place(waiting[2], "You are next")


def test_the_operator_s_new_name_is_shown_at_once(room, phones):
    phone = seat(phones(room.phone_url()).start())
    peer = room.peers()[0]
    assert room.operate(task="rename", who="P1", name="Ann <i>") == {}
    phone.page.wait_for_selector("#name:has-text('Ann <i>')")
    assert room.peers()[0]["seat"] == peer["seat"]
