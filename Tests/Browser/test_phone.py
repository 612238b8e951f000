"""A phone joins by its browser and plays: what its sensor feels reaches the room, what the room commands reaches the
player."""

import time

import pytest
from hosted_room import PATIENCE, wait_until
from phone import FACE_UP, GRAVITY

# Remembers what the page would let be felt; a browser on a desk has no motor.
FELT = """
    window.felt = [];
    const vibrate = Navigator.prototype.vibrate;
    Navigator.prototype.vibrate = function (pattern) {
        const answer = vibrate.call(this, pattern);
        window.felt.push({ pattern, answer });
        return answer;
    };
"""
# Remembers what covered the whole screen, and whether it kept fingers from what is below: a machine that stands still may
# look too late.
COVERED = """addEventListener("DOMContentLoaded", () => {
    window.covered = [];
    const cover = document.getElementById("cover");
    const note = () => covered.push({
        isSeen: cover.checkVisibility({ visibilityProperty: true }), kind: cover.className,
        isInTheWay: Boolean(document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest("#cover")),
        text: document.getElementById("cover-text").textContent });
    new MutationObserver(note).observe(cover, { subtree: true, childList: true, attributes: true });
})"""


# Remembers what a screen reader is told from now on.
TOLD = """() => {
    window.told = [];
    const live = document.getElementById("live");
    new MutationObserver(() => told.push(live.textContent)).observe(live, { childList: true, characterData: true, subtree: true });
}"""


def close_to(a, b, tolerance):
    return len(a) == len(b) and all(abs(x - y) <= tolerance for x, y in zip(a, b))


def test_motion_fed_through_devtools_arrives_with_the_values_fed(room, phones):
    """Fed in m/s² and rad/s with W3C's signs, read back from the room's `motion` events, which count in g and with
    CoreMotion's. Chromium rounds to 0.1 m/s² and 0.1 deg/s, the wire to 0.005 m/s² and 0.001 rad/s; the room takes away
    what it believes to be the gyroscope's bias, which such unnatural motion makes it see."""
    phone = phones(room.phone_url()).start()
    room.wait_event(type="player", state="joined")
    events = room.follow()
    fed = [((1.2, -3.4, 8.9), (0.3, -0.6, 0.9)), ((-2.0, 4.4, -9.3), (-1.1, 0.2, 0.5)), (FACE_UP, (0.0, 0.0, 0.0))]
    for force, rotation in fed:
        phone.hold(force, rotation)

        def arrived():
            motion = events.motion(1)
            if not motion:
                return None
            felt = [-GRAVITY * (g + u) for g, u in zip(motion["gravity"], motion["userAcceleration"])]
            return close_to(felt, force, 0.06) and close_to(motion["rotationRate"], rotation, 0.1)

        wait_until(arrived, what=lambda: f"{force} and {rotation}; the last motion was {events.motion(1)}")
    events.close()
    books = room.peer("P1")
    assert books["transport"] == "wss"
    assert books["samples"]["missing"] == 0 and books["samples"]["abandoned"] == 0
    assert books["datagrams"]["missing"] is None, "on a reliable transport loss shows as delay"


def test_a_gesture_comes_back_as_a_haptic_with_its_receipt(room, phones):
    phone = phones(room.phone_url(), scripts=[FELT]).start()
    room.wait_event(type="gesture", gesture="hold-still", phase="began")
    # The shaking may be other gestures, too, whose haptics have receipts of their own.
    of_shake = lambda event: event["type"] == "haptic" and (event["latency"] or {}).get("gesture") == shake["id"]
    shake, receipt = None, None
    deadline = time.monotonic() + PATIENCE
    while not receipt and time.monotonic() < deadline:
        # One that a machine held up which stood still has expired, and names no gesture: then it is shaken again.
        shake, again = phone.shake(room, since=len(room.events)), time.monotonic() + 5
        while not (receipt := next(filter(of_shake, room.events), None)) and time.monotonic() < again:
            phone.page.wait_for_timeout(30)
    assert receipt and receipt["outcome"] == "played"
    # Both are times of the phone's clock, as far as the room knows it.
    assert receipt["playedAt"] >= shake["at"] - shake["uncertainty"]
    felt = phone.page.evaluate("felt")
    assert felt and felt[-1]["answer"] is True


def test_a_commanded_haptic_is_vibrated_for_as_long_as_commanded(room, phones):
    phone = phones(room.phone_url(), scripts=[FELT]).start()
    room.wait_event(type="player", state="joined")
    phone.page.evaluate("felt.length = 0")
    play = lambda: room.command(task="play", who="P1", intensity=1, sharpness=0.5, duration=220)
    assert room.felt(play)["outcome"] == "played"
    assert phone.page.evaluate("felt.some((each) => each.pattern[0] === 220 && each.answer)")


@pytest.mark.parametrize("script", [
    "delete Navigator.prototype.vibrate",
    "Navigator.prototype.vibrate = () => false",
], ids=["no motor, as on an iPhone", "refused by the browser"])
def test_without_vibration_the_whole_screen_flashes_and_the_receipt_says_played(room, phones, script):
    phone = phones(room.phone_url(), scripts=[script, COVERED]).start()
    room.wait_event(type="player", state="joined")
    phone.page.wait_for_selector("#name:text-matches('.+')")
    play = lambda: room.command(task="play", who="P1", intensity=1, sharpness=0.5, duration=900)
    assert room.felt(play)["outcome"] == "played"
    assert phone.page.evaluate("covered.some(({ isSeen, kind }) => isSeen && kind.includes('flash'))")
    assert not phone.page.evaluate("covered.some(({ isInTheWay }) => isInTheWay)"), "who plays by buttons presses on"
    phone.page.wait_for_selector("#cover", state="hidden")


def test_identify_shows_the_player_s_number_over_the_whole_screen(room, phones, screenshots):
    phone = phones(room.phone_url(), scripts=[COVERED]).start()
    room.wait_event(type="player", state="joined")
    room.command(task="identify", who="P1")
    phone.page.wait_for_function("() => covered.some(({ isSeen, text }) => isSeen && text.includes('Player 1'))")
    assert not phone.page.evaluate("covered.some(({ isInTheWay }) => isInTheWay)")
    phone.page.screenshot(path=screenshots / "phone-identify.png")


def test_what_the_game_sends_is_shown_as_text_never_as_markup(room, phones):
    phone = phones(room.phone_url(), scripts=[COVERED]).start()
    room.wait_event(type="player", state="joined")
    room.command(task="send", who="P1", text="<img src=x onerror=alert(1)>Go!")
    phone.page.wait_for_function("() => covered.some(({ isSeen, text }) => isSeen && text.includes('Go!'))")
    assert "<img src=x onerror=alert(1)>Go!" in phone.page.evaluate("covered.map(({ text }) => text)")
    assert phone.page.query_selector("#cover img") is None


def test_the_page_shows_who_the_player_is_and_keeps_the_secret_out_of_the_address_bar(room, phones, screenshots):
    phone = phones(room.phone_url())
    assert "#" not in phone.page.url
    phone.page.screenshot(path=screenshots / "phone-start.png")
    phone.start()
    player = room.wait_event(type="player", state="joined")
    page = phone.page
    page.wait_for_selector("#connection:has-text('Good connection')")
    assert page.inner_text("#number") == "1"
    assert page.inner_text("#name") == player["name"]
    assert page.inner_text("#where") == "Living Room"
    shown = page.evaluate("getComputedStyle(document.getElementById('badge')).backgroundColor")
    assert shown == "rgb(" + ", ".join(str(int(player["color"][i:i + 2], 16)) for i in (1, 3, 5)) + ")"
    page.wait_for_selector("#live:has-text('You are player 1')", state="attached")  # Screen readers are told.
    page.screenshot(path=screenshots / "phone-seated.png")


def test_the_re_zero_button_makes_the_way_it_is_held_straight_ahead(room, phones):
    phone = phones(room.phone_url()).start()
    room.wait_event(type="player", state="joined")
    events = room.follow()
    phone.turn(pitch=0.6)
    wait_until(lambda: (motion := events.motion(1)) and abs(motion["tilt"][1] - 0.6) < 0.1, what="pitch 0.6")
    phone.page.click("#rezero")
    wait_until(lambda: abs(events.motion(1)["tilt"][1]) < 0.05, what="pitch 0 after the re-zero")
    # A screen reader is told so, and once more when it is done again.
    phone.page.wait_for_selector("#live:text('Straight ahead')", state="attached")
    phone.page.evaluate(TOLD)
    phone.page.click("#rezero")
    phone.page.wait_for_function("() => told.some((text) => text.includes('traight ahead'))")
    events.close()


GESTURES = ["jump", "shake", "tilt", "twist", "tap", "flick", "swing", "free-fall", "rhythm"]


def test_every_gesture_has_a_button_whose_event_says_so(room, phones, screenshots):
    """By four phones of which none is moved: what they press is told as a button's, what their sensors show is not."""
    players = [phones(room.phone_url()).start() for _ in range(4)]
    for number in range(1, 5):
        room.wait_event(type="gesture", gesture="hold-still", player=number, phase="began")
    for phone in players:
        phone.page.click("summary")
    players[0].page.screenshot(path=screenshots / "phone-buttons.png", full_page=True)
    for start in range(0, len(GESTURES), 4):
        round_ = list(zip(players, GESTURES[start:start + 4]))
        for phone, gesture in round_:
            phone.page.click(f"[data-gesture={gesture}]")
        for number, (phone, gesture) in enumerate(round_, 1):
            event = room.wait_event(type="gesture", gesture=gesture, player=number, phase="began")
            assert (event["source"], event["strength"], event["confidence"]) == ("button", 1, 1)
            room.wait_event(type="gesture", gesture=gesture, player=number, phase="ended", id=event["id"])
    gestures = [event for event in room.events if event["type"] == "gesture"]
    assert {event["gesture"] for event in gestures if "source" not in event} == {"hold-still"}, "no motion is made up"


def test_a_button_is_held_for_as_long_as_the_finger_is_on_it_and_pressed_by_keyboard_too(room, phones):
    phone = phones(room.phone_url()).start()
    phone.seated()
    page = phone.page
    page.click("summary")
    page.hover("[data-gesture=tilt]")
    page.mouse.down()
    began = room.wait_event(type="gesture", gesture="tilt", phase="began")
    page.mouse.move(5, 5)  # A finger that slides off holds it still.
    page.wait_for_timeout(600)
    assert page.get_attribute("[data-gesture=tilt]", "aria-pressed") == "true"
    page.emulate_media(forced_colors="active")
    color = lambda gesture: page.evaluate(f"getComputedStyle(document.querySelector('[data-gesture={gesture}]')).backgroundColor")
    assert color("tilt") != color("twist"), "seen in the reader's own colours, too"
    page.emulate_media(forced_colors="none")
    page.mouse.up()
    ended = room.wait_event(type="gesture", gesture="tilt", phase="ended")
    assert ended["id"] == began["id"] and ended["at"] - began["at"] > 550
    page.focus("[data-gesture=twist]")
    for _ in range(30):  # As a keyboard repeats it.
        page.keyboard.down("Enter")
        page.wait_for_timeout(30)
    page.keyboard.up("Enter")
    began = room.wait_event(type="gesture", gesture="twist", phase="began")
    ended = room.wait_event(type="gesture", gesture="twist", phase="ended")
    assert ended["at"] - began["at"] > 800
    # Two presses in quick succession are two, whatever clicks they make.
    page.hover("[data-gesture=swing]")
    for held in (60, 700):
        page.mouse.down()
        page.wait_for_timeout(held)
        page.mouse.up()
        page.wait_for_timeout(200)
    page.evaluate("document.querySelector('[data-gesture=flick]').click()")  # A screen reader's.
    room.wait_event(type="gesture", gesture="flick", phase="ended")
    page.wait_for_timeout(600)
    begun = [event["gesture"] for event in room.events if event["type"] == "gesture" and event["phase"] == "began" and event.get("source")]
    assert begun == ["tilt", "twist", "swing", "swing", "flick"]


# A phone on a table that is knocked as often as `knocks` says, by a clock of its own: a knock lasts 16 ms, and what pauses
# of this machine would leave of it is another motion.
KNOCKED = """
    window.knocks = 0;
    addEventListener("devicemotion", (event) => event.isTrusted && event.stopImmediatePropagation());
    const xyz = (x, y, z) => ({ x, y, z });
    let [time, count] = [performance.now(), 0];
    if (isSecureContext) setInterval(() => {
        for (const now = performance.now(); time + 16 <= now; time += 16) {
            const isKnocked = ++count % 60 === 0 && knocks-- > 0;
            if (knocks < 0) knocks = 0;
            const push = isKnocked ? 9.80665 : 0.02 * (count % 3);
            const event = new DeviceMotionEvent("devicemotion", {
                acceleration: xyz(0, 0, push), accelerationIncludingGravity: xyz(0, 0, 9.80665 + push),
                rotationRate: { alpha: 0.1 * (count % 2), beta: 0, gamma: 0 }, interval: 16 });
            Object.defineProperty(event, "timeStamp", { value: time });
            dispatchEvent(event);
        }
    }, 16);
"""


def test_a_tap_is_felt_at_once_where_a_game_lets_phones_look_for_taps_and_the_room_says_what_it_was(room, phones):
    phone = phones(room.phone_url(), scripts=[FELT, KNOCKED]).start()
    phone.seated()
    room.command(task="detect", gestures=["tap"])
    phone.page.wait_for_timeout(1_000)
    phone.page.evaluate("felt.length = 0")
    local = lambda: [event for event in room.events if event["type"] == "local"]
    confirmed = lambda: [event for event in local() if event["id"]]
    # A page that stutters spaces a knock's samples so that the room, which sees no more than these, may take it for none.
    for finds in (3, 6, 9, 12):
        phone.page.evaluate("knocks = 3")
        wait_until(lambda: len(local()) == finds, what=lambda: f"three finds; the last events were {room.events[-6:]}")
        if confirmed():
            break
    assert confirmed(), room.events[-6:]
    find = confirmed()[0]
    tap = next(event for event in room.events if event["type"] == "gesture" and event["id"] == find["id"])
    assert (tap["gesture"], tap["phase"], tap["player"]) == ("tap", "began", find["player"])
    # By two ways: the find's own word of its time, and the sample in which the room saw the same.
    assert abs(find["at"] - tap["at"]) < 80 and 0 <= find["felt"] < 2_000
    assert len(phone.page.evaluate("felt")) == len(local()), "each find is felt, and the room adds nothing of its own"
    seen = len(room.events)
    assert room.command(task="detect", gestures=["jump"])["error"]["code"] == "badOption"
    room.command(task="detect", gestures=[])
    phone.page.wait_for_timeout(500)
    phone.page.evaluate("knocks = 3")
    wait_until(lambda: sum(event["type"] == "gesture" and event["gesture"] == "tap" for event in room.events[seen:]) > 0,
               what="the room's own look at a knock")
    phone.page.wait_for_timeout(1_500)
    assert not [event for event in room.events[seen:] if event["type"] == "local"]


# Counts what the page says that it found itself: blocks of a message (WIRE-FORMAT.md, section 3) of kind 9.
FINDS = """
    window.finds = 0;
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (data) {
        const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data;
        const view = typeof data === "string" ? [] : new Uint8Array(bytes);
        for (let place = 17; place + 8 < view.length; place += 1) {
            const head = [0, 1, 2, 7, 8].map((offset) => view[place + offset]).join();
            if (head === "5,0,18,9,1") window.finds += 1;
        }
        return send.call(this, data);
    };
"""


def test_a_phone_looks_for_nothing_any_more_that_the_host_before_wanted(room, phones):
    phone = phones(room.phone_url(), scripts=[FINDS, KNOCKED]).start()
    phone.seated()
    room.command(task="detect", gestures=["tap"])
    phone.page.wait_for_timeout(1_000)
    phone.page.evaluate("knocks = 3")
    phone.page.wait_for_function("() => finds > 0")
    room.kill()
    phone.page.wait_for_selector("#connection:has-text('Connection to the room lost')")
    room.start()
    wait_until(lambda: [peer["state"] for peer in room.peers()] == ["active"])
    # What it had found before is told to this host, too.
    phone.page.wait_for_timeout(2_000)
    phone.page.evaluate("finds = 0")
    seen = len(room.events)

    def is_tapped():
        phone.page.evaluate("knocks = 3")
        phone.page.wait_for_timeout(2_000)
        return room.gesture("tap", since=seen)

    wait_until(is_tapped, what="the room's own look at a knock")
    assert phone.page.evaluate("finds") == 0


def test_a_phone_that_plays_by_buttons_plays_on_where_a_game_lets_phones_look_for_taps(room, phones):
    phone = phones(room.phone_url(), sensors=False).start()
    phone.seated()
    room.command(task="detect", gestures=["tap"])
    phone.page.wait_for_timeout(1_000)
    seen = len(room.events)
    phone.play("shake", lambda: room.gesture("shake", since=seen))


# As if the sensor woke long after it was asked.
LATE = """
    const add = window.addEventListener;
    window.addEventListener = function (type, take, options) {
        return add.call(this, type, type === "devicemotion" ? (event) => { if (window.isAwake) take(event); } : take, options);
    };
"""


def test_a_sensor_that_wakes_late_is_used_and_one_that_dies_keeps_no_button_from_being_heard(room, phones):
    phone = phones(room.phone_url(), scripts=[LATE]).start()
    phone.seated()
    phone.page.wait_for_selector("#sensor-trouble:not([hidden])")
    phone.play("jump", lambda: room.gesture("jump"))
    phone.page.evaluate("window.isAwake = true")
    phone.page.wait_for_selector("#sensor-trouble", state="hidden")
    assert "source" not in phone.shake(room)
    assert phone.page.is_visible("#rezero") and len(room.peers()) == 1
    phone.page.evaluate("window.isAwake = false")
    phone.page.wait_for_timeout(500)
    seen = len(room.events)
    phone.play("twist", lambda: room.gesture("twist", since=seen))
    assert room.gesture("twist", since=seen)["source"] == "button"
    room.wait_event(type="gesture", gesture="twist", phase="ended", since=seen)
    # Who plays by moving is told, a screen reader's user too, and told no more once it moves again.
    phone.page.wait_for_selector("#sensor-title:has-text('No motion comes any more')")
    phone.page.wait_for_selector("#live:has-text('No motion comes any more.')", state="attached")
    assert phone.page.inner_text("#sensor-again") == "Load again" and phone.page.is_hidden("#rezero")
    phone.page.evaluate("window.isAwake = true")
    phone.page.wait_for_selector("#sensor-trouble", state="hidden")
    assert phone.page.is_visible("#rezero")


# Remembers when fingers and keys came down, and what each sample said of buttons; `stand` keeps the page busy for so long.
STALLS = """async () => {
    const { ButtonLog } = await import("/phone/sensor/button-log.js");
    const at = ButtonLog.prototype.at;
    window.samples = [];
    ButtonLog.prototype.at = function (time) {
        const buttons = at.call(this, time);
        samples.push([time, buttons]);
        return buttons;
    };
    for (const type of ["pointerdown", "keydown"]) addEventListener(type, ({ timeStamp }) => { window.downAt = timeStamp; }, true);
    window.stand = (ms) => setTimeout(() => {
        window.stoodFrom = performance.now();
        while (performance.now() < stoodFrom + ms);
        window.stoodUntil = performance.now();
    }, 50);
}"""
# Of the latest press: whether it was while the page stood still, and the samples before and with it, ms from it.
PRESSED = """() => {
    const first = samples.findIndex(([time, buttons], i) => buttons === 1 && time >= stoodFrom && !samples[i - 1]?.[1]);
    if (first < 1) return null;
    const around = [samples[first - 1][0], samples[first][0]].map((time) => Math.round(time - downAt));
    return [stoodFrom < downAt && downAt < stoodUntil, ...around];
}"""


@pytest.mark.parametrize("player", ["buttons alone", "sensor and buttons", "keys"])
def test_who_presses_while_the_page_stands_still_is_not_told_to_have_pressed_after_it(room, phones, player):
    """Whatever comes first when it goes on, its timer or the press: the room hears that nobody looked in between. A machine
    that stands still itself may bring the press too late, or later than all else: that round says nothing."""
    desk = {"sensors": False, "viewport": {"width": 1280, "height": 720}} if player == "keys" else {}
    url = room.phone_url(page="/pads/?n=1" if player == "keys" else "/")
    phone = phones(url, **(desk or {"sensors": player != "buttons alone"}))
    page = phone.page
    if player == "keys":
        page.click("#begin")
        page.frame_locator("#pads iframe").locator("main[data-state=seated]").wait_for()
        frame = next(frame for frame in page.frames if "pad=" in frame.url)
        frame.click("#stage")
        press = lambda: page.keyboard.press("j")
    else:
        phone.start().seated()
        frame = page.main_frame
        if player == "sensor and buttons":  # Else they are shown without being asked for.
            page.click("summary")
        page.evaluate("document.querySelector('[data-gesture=jump]').scrollIntoView({ block: 'center', behavior: 'instant' })")
        press = lambda: page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    frame.evaluate(STALLS)
    rounds, deadline = [], time.monotonic() + PATIENCE
    while sum(before <= 0 <= shown for is_in_time, before, shown in rounds if is_in_time) < 4:
        assert time.monotonic() < deadline, f"the samples before and with a press, in ms from it: {rounds}"
        page.wait_for_timeout(400)
        seen, box = len(room.events), frame.locator("[data-gesture=jump]").bounding_box()
        frame.evaluate("stand(300)")
        time.sleep(0.13)
        press()
        rounds.append(wait_until(lambda: frame.evaluate(PRESSED), what="a sample with the press"))
        event = wait_until(lambda: room.gesture("jump", since=seen))
        if rounds[-1][0] and rounds[-1][1] <= 0:
            assert event["unseen"] > 250 and event["uncertainty"] > event["unseen"], event
        room.wait_event(type="gesture", gesture="jump", phase="ended", since=seen)


def test_a_button_that_is_held_as_the_page_goes_out_of_sight_is_let_go_at_once(room, phones):
    phone = phones(room.phone_url()).start()
    phone.seated()
    page = phone.page
    page.click("summary")
    page.hover("[data-gesture=tilt]")
    page.mouse.down()
    began = room.wait_event(type="gesture", gesture="tilt", phase="began", source="button")
    page.wait_for_timeout(300)
    page.evaluate("""() => {
        Object.defineProperty(document, 'hidden', { get: () => true, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    }""")
    ended = room.wait_event(type="gesture", gesture="tilt", phase="ended", id=began["id"], timeout=5)
    assert 250 < ended["at"] - began["at"] < 1_500


def test_what_a_player_taught_has_a_button_until_it_is_removed(room, phones):
    """Taught by moving, pressed by two players, of whom one taught nothing; renamed, and removed."""
    phone, other = phones(room.phone_url()).start(), phones(room.phone_url()).start()
    for each in (phone, other):
        each.seated()
        each.page.click("summary")
    room.wait_event(type="gesture", gesture="hold-still", player=1, phase="began")
    assert phone.page.query_selector("[data-other]") is None
    room.operate(task="teach", who="P1", gesture="wave", times=1)
    deadline = time.monotonic() + PATIENCE
    while not any(event["type"] == "teaching" and event["state"] == "finished" for event in room.events):
        assert time.monotonic() < deadline, f"nothing was learnt; the last events were {room.events[-5:]}"
        phone.turn(roll=0.9, within=250)
        phone.turn(roll=0, within=250)
        phone.page.wait_for_timeout(1_200)
    phone.page.wait_for_selector("[data-other=wave]")
    phone.page.click("[data-other=wave]")
    event = room.wait_event(type="gesture", gesture="wave", player=1, source="button")
    assert event["phase"] == "began"
    assert other.page.query_selector("[data-other]") is None
    assert room.cli("taught", "rename", "wave", "hello", "--player", "P1")
    phone.page.wait_for_selector("[data-other=hello]")
    assert room.cli("taught", "remove", "hello", "--player", "P1")
    phone.page.wait_for_selector("[data-other]", state="detached")


def test_a_gesture_to_which_the_room_s_own_file_gave_its_name_has_a_button(host, phones, tmp_path):
    names = tmp_path / "bow.toml"
    names.write_text('[bow]\nlike = "tilt"\n')
    room = host("--gestures", str(names))
    phone = phones(room.phone_url()).start()
    phone.seated()
    phone.page.click("summary")
    assert phone.page.inner_text("[data-other=bow]") == "bow"
    phone.page.click("[data-other=bow]")
    assert room.wait_event(type="gesture", gesture="bow", source="button")["phase"] == "began"


def test_three_phones_share_one_room_and_none_is_another(host, phones):
    room = host(seats=3)
    trio = [phones(room.phone_url()).start() for _ in range(3)]
    wait_until(lambda: len(room.peers()) == 3)
    for phone in trio:
        phone.seated()
    shown = {phone.page.inner_text("#number"): phone.page.inner_text("#name") for phone in trio}
    assert shown == {str(peer["player"]): peer["name"] for peer in room.peers()}
    assert len({peer["color"] for peer in room.peers()}) == 3
    trio[1].turn(roll=0.5)
    number = int(trio[1].page.inner_text("#number"))
    events = room.follow()
    wait_until(lambda: all(map(events.motion, (1, 2, 3))), what="everybody's motion")
    wait_until(lambda: abs(events.motion(number)["tilt"][0] - 0.5) < 0.1, what="the second's roll")
    assert all(abs(events.motion(other)["tilt"][0]) < 0.05 for other in (1, 2, 3) if other != number)
    events.close()
    assert all(peer["samples"]["missing"] == 0 for peer in room.peers())


def test_an_iphone_s_sign_is_found_from_its_orientation(room, phones):
    """WebKit hands CoreMotion's sign through: face up reads -9.8. No user agent is asked."""
    phone = phones()
    phone.orient(beta=0, gamma=0)
    phone.hold((0, 0, -GRAVITY))
    phone.page.goto(room.phone_url())
    phone.start()
    room.wait_event(type="player", state="joined")
    events = room.follow()
    turn = [0]

    def moved():
        """DevTools tells an orientation once; a phone tells it all the time, and an old one says nothing of the sign."""
        turn[0] += 1
        phone.orient(beta=0, gamma=0, alpha=turn[0] % 90)
        phone.page.wait_for_timeout(50)
        return events.motion(1)

    motion = wait_until(moved)
    assert motion["gravity"][2] == pytest.approx(-1, abs=0.02), "face up in CoreMotion's terms"
    events.close()


def test_a_player_reads_that_the_room_is_recorded_while_it_is(host, phones):
    room = host()
    phone = phones(room.phone_url()).start()
    phone.seated()
    page = phone.page
    assert not page.is_visible("#recorded") and "is recorded" not in room.cli("peers")
    room.cli("record", "start", f"{room.folder}/evening.mcap")
    page.wait_for_selector("#recorded:has-text('This room is being recorded.')")
    assert "the room is recorded" in room.cli("peers") and room.json("peers", "--status")["isRecorded"]
    page.reload()
    phone.seated()
    assert page.is_visible("#recorded"), "it is said with the seat, too"
    room.cli("record", "stop")
    page.wait_for_selector("#recorded", state="hidden")


def test_a_script_in_a_name_stays_text(host, phones):
    room = host("--names", "free", name="<b>Room</b>")
    phone = phones(room.phone_url()).start()
    room.wait_event(type="player", state="joined")
    page = phone.page
    page.click("#rename")
    page.fill("#new-name", "<script>bad()</script>")
    page.click("#rename-form [type=submit]")
    page.wait_for_selector("#name:has-text('<script>')")
    assert page.inner_text("#name") == "<script>bad()</script>"
    assert page.inner_text("#where") == "<b>Room</b>"
    assert page.query_selector("#badge script, #badge b") is None
    assert wait_until(lambda: [p for p in room.peers() if "<script>" in p["name"]])[0]["seat"] == 1


def test_a_name_that_no_room_takes_is_told_where_it_is_typed_and_keeps_nobody_out(host, phones):
    """24 Japanese letters are 72 bytes; rooms take 63. A page from before may have kept such a name."""
    room = host("--names", "free")
    phone = phones(room.phone_url()).start()
    before = phone.seated()
    page = phone.page
    page.click("#rename")
    page.fill("#new-name", "あ" * 24)
    page.click("#rename-form [type=submit]")
    assert page.evaluate("document.getElementById('new-name').validationMessage") == "That name is too long."
    assert page.evaluate("document.getElementById('rename-dialog').open")
    page.click("#rename-cancel")
    page.evaluate("name => localStorage.setItem('roomful.name', JSON.stringify(name))", "あ" * 24)
    page.reload()
    assert phone.seated() == before
    page.click("#rename")
    page.fill("#new-name", "あ" * 21)
    page.click("#rename-form [type=submit]")
    page.wait_for_selector(f"#name:has-text('{'あ' * 21}')")
