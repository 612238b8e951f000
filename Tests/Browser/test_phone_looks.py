"""The phone's page can be read and used by everyone: upright and across, in light and dark, with large text and by
screen reader. The screenshots are for people to look at."""

import pytest
from hosted_room import wait_until
from languages import LANGUAGES, sentences
from operator_page import axe

LOOKS = {
    "portrait": dict(),
    "dark": dict(color_scheme="dark"),
    "landscape": dict(viewport={"width": 844, "height": 390}),
    "small": dict(viewport={"width": 320, "height": 568}),
}

# What axe-core does not say: targets for fingers, nothing beyond the screen's edge, a live region, no ban on zooming.
RULES = """() => {
    const faults = [];
    for (const e of document.querySelectorAll("button, a, input, summary")) {
        if (!e.checkVisibility({ visibilityProperty: true })) continue;
        const { width, height } = e.getBoundingClientRect();
        if (width < 48 || height < 48) faults.push(`a target of ${width} x ${height}: ${e.id || e.textContent}`);
    }
    if (document.documentElement.scrollWidth > innerWidth + 1) faults.push("wider than the screen");
    if (!document.querySelector("[aria-live]")) faults.push("no live region");
    if (/user-scalable|maximum-scale/.test(document.querySelector("meta[name=viewport]").content)) faults.push("no zoom");
    return faults;
}"""


def faults(phone, thorough=True):
    """axe-core takes its time: where only the shape of the screen differs, our own rules suffice."""
    return phone.page.evaluate(RULES) + (axe(phone.page) if thorough else [])


def test_the_page_is_readable_usable_and_named_however_the_phone_is_held(host, phones, screenshots):
    room = host("--names", "free", name="The Living Room of the Winterbottoms")
    for look, options in LOOKS.items():
        phone = phones(room.phone_url(), **options)
        thorough = look in ("portrait", "dark")
        phone.page.screenshot(path=screenshots / f"phone-{look}-start.png")
        assert faults(phone, thorough) == [], f"{look}, start"
        phone.start()
        phone.seated()
        phone.page.screenshot(path=screenshots / f"phone-{look}.png")
        assert faults(phone, thorough) == [], f"{look}, seated"
        phone.page.click("summary")
        assert faults(phone, thorough) == [], f"{look}, buttons"
        phone.page.screenshot(path=screenshots / f"phone-{look}-buttons.png")
        phone.page.click("#rename")
        assert faults(phone, thorough) == [], f"{look}, rename"
        phone.page.screenshot(path=screenshots / f"phone-{look}-rename.png")
        phone.page.click("#rename-cancel")
        phone.page.click("#leave")
        phone.page.wait_for_selector("#forget")
        phone.page.screenshot(path=screenshots / f"phone-{look}-left.png")
        assert faults(phone, thorough) == [], f"{look}, left"
        phone.page.reload()
        phone.page.wait_for_selector("#forget")
        phone.page.screenshot(path=screenshots / f"phone-{look}-used.png")
        assert faults(phone, thorough) == [], f"{look}, start, once more"


TWICE = "addEventListener('DOMContentLoaded', () => { document.documentElement.style.fontSize = '200%'; })"
BEYOND = """() => [...document.querySelectorAll("main *, dialog[open], dialog[open] *")].filter((e) => {
    const { width, left, right } = e.getBoundingClientRect();
    return e.checkVisibility() && !e.closest(".visually-hidden") && width > 0 && (left < -1 || right > innerWidth + 1);
}).map((e) => e.id || e.className || e.tagName).concat(
    document.documentElement.scrollWidth > innerWidth + 1 ? ["the page"] : [])"""


@pytest.mark.parametrize("width, height, language", [
    (568, 320, "de"), *((320, 568, language) for language in ("de", "fr", "es", "pt"))])
def test_text_of_twice_the_size_fits_a_small_phone(host, phones, screenshots, width, height, language):
    """In languages whose words are long (WCAG 2.2, 1.4.4)."""
    room = host("--names", "free", "--play", "keepcalm")
    options = dict(viewport={"width": width, "height": height}, locale=language, scripts=[TWICE], sensors=False)
    phone = phones(room.phone_url(), **options)
    phone.page.wait_for_selector("#game")
    assert phone.page.evaluate(BEYOND) == []
    phone.start()
    phone.seated()
    phone.page.wait_for_selector(f"#connection:has-text('{sentences(language)['link.good']}')")
    assert phone.page.evaluate(BEYOND) == []
    phone.page.click("#rename")
    phone.page.screenshot(path=screenshots / f"phone-large-text-{language}-{width}.png")
    assert phone.page.evaluate(BEYOND) == []
    phone.page.click("#rename-cancel")
    phone.page.click("#leave")
    phone.page.wait_for_selector("#forget")
    assert phone.page.evaluate(BEYOND) == []
    asked = phones(room.base + "/", **options).start()
    asked.page.wait_for_selector("#code")
    assert asked.page.evaluate(BEYOND) == []
    field = asked.page.evaluate("document.getElementById('code').getBoundingClientRect().width")
    assert field > 200, "the code can be read while it is typed"


@pytest.mark.parametrize("width", [320, 390])
def test_a_word_of_the_operator_s_that_is_longer_than_the_screen_is_broken(room, phones, width):
    phone = phones(room.phone_url(), viewport={"width": width, "height": 640}).start()
    phone.seated()
    room.cli("kick", "P1", "--message", "See https://intranet.example-school.org/rules/phones-in-the-classroom-and-outside")
    phone.page.wait_for_selector("#trouble-title:has-text('You were taken out')")
    assert "outside" in phone.page.inner_text("#trouble-text") and phone.page.evaluate(BEYOND) == []


# How far a player's number is from the edges of its badge, left and right.
MARGINS = """async (player) => {
    const { PlayerView } = await import("/phone/show/player-view.js");
    Object.create(PlayerView.prototype).showSeat({ player, name: "Ada", color: "#ffffff" }, { name: "Room", names: "free" });
    const range = document.createRange();
    range.selectNodeContents(document.getElementById("number"));
    const [number, badge] = [range, document.getElementById("badge")].map((one) => one.getBoundingClientRect());
    return [number.left - badge.left, badge.right - number.right];
}"""


@pytest.mark.parametrize("width, height", [(390, 844), (320, 568), (844, 390), (1200, 900)])
@pytest.mark.parametrize("script", ["", TWICE], ids=["usual", "large"])
def test_a_players_number_stays_on_its_badge_however_many_digits_it_has(room, phones, width, height, script):
    phone = phones(room.phone_url(), viewport={"width": width, "height": height}, scripts=[script]).start()
    phone.seated()
    for look in ("", "buttons"):
        if look:
            phone.page.click("summary")
        for number in (8, 88, 388, 1_000, 10_000):
            assert min(phone.page.evaluate(MARGINS, number)) > 8, f"{number} {look}"


# How far words over the whole screen are from its edges: left, top, right, bottom.
COVERED = """async (words) => {
    const { Cover } = await import("/phone/show/cover.js");
    new Cover().words(words, 60_000);
    const { left, top, right, bottom } = document.getElementById("cover-text").getBoundingClientRect();
    return [left, top, innerWidth - right, innerHeight - bottom];
}"""


@pytest.mark.parametrize("width, height", [(844, 390), (640, 360), (390, 844), (320, 568)])
@pytest.mark.parametrize("script", ["", TWICE], ids=["usual", "large"])
def test_words_over_the_whole_screen_are_read_whole_beside_its_notch(room, phones, screenshots, width, height, script):
    phone = phones(room.phone_url(), viewport={"width": width, "height": height}, scripts=[script])
    edges = [47, 0, 47, 21] if width > height else [0, 47, 0, 34]
    insets = dict(zip(("left", "top", "right", "bottom"), edges))
    phone.devtools.send("Emulation.setSafeAreaInsetsOverride", {"insets": insets})
    room_name = "The Living Room of the Winterbottoms"
    moving = [sentences(language)["moving.warns"].replace("{room}", room_name) for language in LANGUAGES]
    for words in ["Player 3 wins this round, well done everybody", "a" * 200, *moving]:
        margins = phone.page.evaluate(COVERED, words)
        assert all(margin >= edge for margin, edge in zip(margins, edges)), words
    phone.page.screenshot(path=screenshots / f"phone-words-{width}.png")
    phone.page.set_viewport_size({"width": height, "height": width})
    wait_until(lambda: min(phone.page.evaluate(COVERED.replace("new Cover().words(words, 60_000);", ""), "")) >= 0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_troubles_are_readable_too(host, phones, screenshots, scheme):
    room = host(seats=1)
    refused = phones(room.phone_url(), sensors=False, color_scheme=scheme).start()
    refused.seated()
    refused.page.wait_for_selector("#sensor-title:has-text('No motion sensor')")
    assert faults(refused) == []
    refused.page.screenshot(path=screenshots / f"phone-no-sensor-{scheme}.png", full_page=True)
    full = phones(room.phone_url(), color_scheme=scheme).start()
    full.page.wait_for_selector("#status[data-place='1']")
    assert faults(full) == []
    full.page.screenshot(path=screenshots / f"phone-queue-{scheme}.png")
    lost = phones(room.base + "/", color_scheme=scheme).start()
    lost.page.wait_for_selector("#code")
    assert faults(lost) == []
    room.cli("lock")
    late = phones(room.phone_url(), color_scheme=scheme).start()
    late.page.wait_for_selector("#trouble-title:has-text('The room is locked')")
    assert faults(late) == []
    room.cli("kick", "P1")
    refused.page.wait_for_selector("#trouble-title:has-text('You were taken out')")
    assert faults(refused) == []


def test_the_page_works_by_keyboard_alone(room, phones):
    phone = phones(room.phone_url())
    phone.page.keyboard.press("Tab")
    assert phone.page.evaluate("document.activeElement.id") == "start"
    phone.page.keyboard.press("Enter")
    room.wait_event(type="gesture", gesture="hold-still", phase="began")
    phone.page.wait_for_selector("#rezero")
    for _ in range(2):
        phone.page.keyboard.press("Tab")
    assert phone.page.evaluate("document.activeElement.tagName") == "SUMMARY"
    phone.page.keyboard.press("Enter")
    phone.page.keyboard.press("Tab")
    phone.page.keyboard.press("Tab")
    assert phone.page.evaluate("document.activeElement.dataset.gesture") == "shake"
    phone.page.keyboard.press("Enter")
    room.wait_event(type="gesture", gesture="shake", phase="began")
    phone.page.wait_for_selector("#live:has-text('Shake')", state="attached")


def test_virtual_phones_are_players_without_a_phone(host, phones, screenshots):
    room = host(seats=8)
    desk = phones(room.phone_url(page="/pads/?n=4"), sensors=False, viewport={"width": 1280, "height": 720})
    desk.page.click("#begin")
    wait_until(lambda: len(room.peers()) == 4)
    page = desk.page
    frames = lambda: [frame for frame in page.frames if "pad=" in frame.url]
    wait_until(lambda: page.wait_for_timeout(50) or all(
        frame.query_selector("main[data-state=seated]") for frame in frames()))
    assert [frame.inner_text("#number") for frame in frames()] == ["1", "2", "3", "4"]
    frames()[2].click("#stage")
    page.keyboard.press("s")
    room.wait_event(type="gesture", gesture="shake", player=3, phase="began")
    box = page.query_selector_all("iframe")[0].bounding_box()
    page.mouse.move(box["x"] + 140, box["y"] + 260)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 200, steps=8)
    page.mouse.up()
    events = room.follow()
    tilted = lambda: (m := events.motion(1)) and abs(m["tilt"][0] - 0.54) < 0.05 and abs(m["tilt"][1] + 0.54) < 0.05
    wait_until(lambda: page.wait_for_timeout(30) or tilted(), what="right edge and top edge down")
    events.close()
    page.screenshot(path=screenshots / "pads.png")
    page.click("#more")
    wait_until(lambda: page.wait_for_timeout(50) or len(room.peers()) == 5)
    page.reload()
    wait_until(lambda: page.wait_for_timeout(50) or len(frames()) == 5 and all(
        frame.query_selector("main[data-state=seated]") for frame in frames()))
    assert len(room.peers()) == 5, "a reload keeps them all"


def test_virtual_phones_opened_without_a_ticket_ask_for_the_code_once(room, phones):
    desk = phones(room.local + "/pads/?n=2", sensors=False, viewport={"width": 1280, "height": 720})
    desk.page.click("#begin")
    desk.page.fill("#code", room.typed_code())
    desk.page.click("#code-form [type=submit]")
    wait_until(lambda: desk.page.wait_for_timeout(50) or len(room.peers()) == 2)
    assert desk.page.is_hidden("#code-form")


@pytest.mark.parametrize("path", ["/pads/?n=8", "/?pad=77"])
def test_no_page_takes_seats_by_opening_virtual_phones(host, phones, screenshots, path):
    """In an open room, from another origin: they come when somebody wants them here."""
    room = host("--policy", "open", "--idle", "5min", seats=8)
    desk = phones(sensors=False, viewport={"width": 1280, "height": 720})
    page = desk.page
    for _ in range(2):
        page.goto("about:blank")
        page.evaluate("url => { location.href = url; }", room.local + path)
        page.wait_for_selector("#begin" if "pads" in path else "#start:enabled")
        page.wait_for_timeout(1_500)
        assert room.peers() == []
        page.reload()
    if "pads" not in path:
        desk.start()
        desk.seated()
        return
    assert page.inner_text("#begin") == "Begin with 8 phones"
    page.screenshot(path=screenshots / "pads-begin.png")
    for _ in range(7):
        page.click("#fewer")
    assert page.inner_text("#begin") == "Begin with 1 phone" and page.is_disabled("#fewer")
    page.click("#begin")
    seated = page.frame_locator("#pads iframe").locator("main[data-state=seated]")
    seated.wait_for()
    assert page.is_hidden("#begin") and page.url.endswith("?n=1")
    page.reload()
    seated.wait_for()
    # Somebody else's page opens them in the tab where they were, and wants more.
    page.goto("about:blank")
    page.evaluate("url => { location.href = url; }", room.local + path)
    page.wait_for_selector("#begin")
    page.wait_for_timeout(1_500)
    assert page.query_selector("iframe") is None
    page.go_back()
    page.go_back()
    seated.wait_for()
    assert len(room.peers()) == 1
