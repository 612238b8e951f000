"""For each thing that can go wrong the phone says in a plain sentence what it is and what helps; and it stays playable
with buttons where only its sensor is missing."""

import pytest
from hosted_room import wait_until


def seat(phone):
    phone.seated()
    return phone


def trouble(phone, title, timeout=8000):
    phone.page.wait_for_selector(f"#trouble-title:has-text('{title}')", timeout=timeout)
    return phone.page.inner_text("#trouble-text")


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
    if name == "permission refused":
        asked = phone.page.evaluate("asked")
        assert asked == [["DeviceMotionEvent", True], ["DeviceOrientationEvent", True]], "both, within the tap"
        phone.page.screenshot(path=screenshots / "phone-permission-refused.png", full_page=True)
        room.wait_event(type="gesture", gesture="hold-still", phase="began")
        phone.page.click("[data-gesture=shake]")
        room.wait_event(type="gesture", gesture="shake", phase="began", timeout=5)


def test_the_host_hears_what_the_page_knows_of_its_sensor(room, phones):
    phone = seat(phones(room.phone_url()).start())
    turn = [0]

    def told():
        turn[0] += 1
        phone.hold((turn[0] % 50 / 10, 0, 9.8), rotation=(turn[0] % 40 / 20, 0, 0))
        phone.page.wait_for_timeout(40)
        sensor = room.peer("P1").get("sensor") or {}
        return sensor.get("accelerationStep") and sensor

    sensor = wait_until(told, 20, "a report of a sensor that moved")
    assert sensor["permission"] == "granted"
    assert 50 < sensor["rate"] < 70
    assert sensor["accelerationStep"] == 0.1, "Chromium rounds"
    assert sensor["vibrates"] is True


def test_a_full_room_is_said_and_entered_when_a_seat_is_free(host, phones, screenshots):
    room = host(seats=1)
    first = seat(phones(room.phone_url()).start())
    second = phones(room.phone_url()).start()
    assert "as soon as one is free" in trouble(second, "The room is full")
    second.page.screenshot(path=screenshots / "phone-full.png")
    first.page.click("#leave")
    room.wait_event(type="player", state="left")
    second.page.click("#again")
    seat(second)


def test_a_locked_room_is_said(room, phones):
    room.cli("lock")
    phone = phones(room.phone_url()).start()
    assert "nobody new" in trouble(phone, "The room is locked")


def test_a_wrong_or_expired_code_is_said_and_another_can_be_typed(room, phones, screenshots):
    url = room.phone_url()
    code = room.ticket()["code"]
    phone = phones(url.replace(f"c={code.replace('-', '')}", "c=00000000")).start()
    assert "Scan the QR code again" in trouble(phone, "This code is not valid any more")
    phone.page.screenshot(path=screenshots / "phone-code.png")
    phone.page.fill("#code", code.lower().replace("-", " "))
    phone.page.click("#code-form [type=submit]")
    seat(phone)


def test_a_page_opened_without_a_ticket_asks_for_the_code(room, phones):
    phone = phones(room.base + "/").start()
    assert "beside the QR code" in trouble(phone, "Which code?")


def test_a_kicked_player_is_told(room, phones):
    phone = seat(phones(room.phone_url()).start())
    room.cli("kick", "P1")
    assert "removed this phone" in trouble(phone, "You were taken out of the game")


def test_a_room_that_closes_says_so(room, phones):
    phone = seat(phones(room.phone_url()).start())
    room.cli("stop")
    assert "by yourself" in trouble(phone, "The room was closed", 2000)
    phone.page.wait_for_selector("#connection:has-text('reconnecting')", timeout=6000)


def test_who_must_be_let_in_waits_and_a_no_is_told(host, phones):
    room = host("--policy", "ask")
    phone = phones(room.phone_url()).start()
    phone.page.wait_for_selector("#connection:has-text('Waiting for the host')", timeout=6000)
    name = room.wait_event(type="asking")["controller"][:8]
    room.cli("decline", name)
    trouble(phone, "The host said no")
    phone.page.click("#again")
    phone.page.wait_for_selector("#connection:has-text('Waiting for the host')", timeout=6000)
    wait_until(lambda: room.cli("accept", name, check=False).returncode == 0)
    seat(phone)


def test_the_operator_s_new_name_is_shown_at_once(room, phones):
    phone = seat(phones(room.phone_url()).start())
    peer = room.peers()[0]
    assert room.operate(task="rename", who="P1", name="Ann <i>") == {}
    phone.page.wait_for_selector("#name:has-text('Ann <i>')", timeout=4000)
    assert room.peers()[0]["seat"] == peer["seat"]
