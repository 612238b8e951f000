"""What players hear: KeepCalm's sounds, and the tone of a phone that has no motor."""

import pytest
from hosted_room import wait_until
from sounds import EARS, heard, hush


def test_keepcalm_is_heard_by_its_players_until_its_sound_is_switched_off(host, screen, phones):
    room = host("--play", "keepcalm")
    page = screen(room, "/game/", script=EARS)
    phone = phones(room.phone_url()).start()
    phone.seated()
    phone.page.click("#buttons summary")
    page.wait_for_selector('#players [data-number="1"]')

    def played():
        page.keyboard.press(" ")
        page.wait_for_selector("body[data-phase=play]")

    played()
    wait_until(lambda: heard(page, 440), what="the countdown")
    wait_until(lambda: heard(page, 880), what="its end")
    hush(page)
    phone.play("jump", lambda: heard(page, 350) and heard(page, 550))
    page.keyboard.press("Escape")
    wait_until(lambda: heard(page, 659) and heard(page, 392), what="the game's end")
    page.keyboard.press(" ")
    page.wait_for_selector("body[data-phase=lobby]")
    page.keyboard.press("m")
    hush(page)
    played()
    page.keyboard.press("Escape")
    page.wait_for_timeout(1500)
    assert page.evaluate("heard") == [], "it is switched off"


def test_a_phone_that_cannot_vibrate_sounds_as_sharp_and_as_strong_as_commanded(room, phones):
    phone = phones(room.phone_url(), scripts=["delete Navigator.prototype.vibrate", EARS]).start()
    phone.seated()
    # What lies beyond is the nearest.
    for intensity, sharpness, pitch, loudness in ((1, 0, 220, 0.3), (0.2, 1, 880, 0.1), (7, -1, 220, 0.3)):
        hush(phone.page)
        play = lambda: room.command(task="play", who="P1", intensity=intensity, sharpness=sharpness, duration=400)
        assert room.felt(play)["outcome"] == "played"
        wait_until(lambda: heard(phone.page, pitch), what=f"a tone of {pitch} Hz")
        assert max(tone["loudness"] for tone in heard(phone.page, pitch)) == pytest.approx(loudness, abs=0.03)
