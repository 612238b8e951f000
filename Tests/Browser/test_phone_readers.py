"""However the phone's page is read: translated, by keyboard and by ear, in the reader's own colours, in an old browser."""

import pytest
from hosted_room import wait_until
from phone import GRAVITY


# What a browser does that translates a page: it puts its own words in the place of each text, unless it is told not to.
TRANSLATE = """() => {
    window.foreign = 0;
    const translate = () => {
        const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
        const texts = [];
        while (walker.nextNode()) if (walker.currentNode.data.trim()) texts.push(walker.currentNode);
        for (const text of texts) {
            if (text.parentElement.closest("title, font, script, style, [translate=no], .visually-hidden")) continue;
            const font = Object.assign(document.createElement("font"), { textContent: `«${text.data}»` });
            text.replaceWith(font);
            foreign += 1;
        }
    };
    translate();
    new MutationObserver(translate).observe(document, { childList: true, subtree: true, characterData: true });
}"""


def test_a_page_that_its_browser_translates_stays_so_and_keeps_its_names(host, phones):
    room = host("--names", "free", "--play", "keepcalm")
    phone = phones(room.phone_url())
    phone.page.wait_for_selector("#game")
    phone.page.evaluate(TRANSLATE)
    assert phone.page.inner_text("#room") == "Living Room" and phone.page.inner_text("#game bdi") == "KeepCalm"
    phone.start()
    number, name = phone.seated()
    assert number == "1" and "«" not in name + phone.page.inner_text("#where")
    phone.page.wait_for_selector("#connection:has-text('«Good connection»')")
    before = phone.page.evaluate("foreign")
    phone.page.wait_for_timeout(1_500)
    assert phone.page.evaluate("foreign") - before < 5, "it is not written anew for ever"
    phone.page.click("#rename")
    assert phone.page.input_value("#new-name") == name
    phone.page.click("#rename-form [type=submit]")
    wait_until(lambda: phone.page.is_visible("main[data-state=seated]") and room.peers()[0]["name"] == name)


# Where the bubble of the spirit level stands, from the middle, to the right and down.
BUBBLE = """() => {
    const [bubble, level] = ["bubble", "level"].map((id) => document.getElementById(id).getBoundingClientRect());
    return [bubble.x + bubble.width / 2 - level.x - level.width / 2, bubble.y + bubble.height / 2 - level.y - level.height / 2];
}"""


@pytest.mark.parametrize("angle, width, height, force", [
    (0, 390, 844, (GRAVITY / 2, 0, 8.5)), (90, 844, 390, (0, -GRAVITY / 2, 8.5)), (270, 844, 390, (0, GRAVITY / 2, 8.5))])
def test_the_spirit_level_shows_what_is_up_however_the_phone_is_held(room, phones, angle, width, height, force):
    """The edge that is at the right of whoever reads is up."""
    phone = phones(room.phone_url()).start()
    phone.seated()
    kind = {0: "portraitPrimary", 90: "landscapePrimary", 270: "landscapeSecondary"}[angle]
    phone.devtools.send("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 2, "mobile": True,
        "screenOrientation": {"type": kind, "angle": angle}})
    phone.hold(force)
    wait_until(lambda: phone.page.wait_for_timeout(30) or (at := phone.page.evaluate(BUBBLE)) and at[0] > 8 > 4 > abs(at[1]),
               what=lambda: phone.page.evaluate(BUBBLE))


def test_in_the_readers_own_colours_the_flash_and_the_bubble_are_seen(room, phones, screenshots):
    phone = phones(room.phone_url(), forced_colors="active").start()
    phone.seated()
    colors = phone.page.evaluate("""async () => {
        const { Cover } = await import("/phone/show/cover.js");
        new Cover().flash(60_000, 1);
        return ["cover", "bubble"].map((id) => getComputedStyle(document.getElementById(id)).backgroundColor);
    }""")
    phone.page.screenshot(path=screenshots / "phone-forced-colours.png")
    ground = phone.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground not in colors, "it has the colour of what is behind it"


def test_an_old_browser_without_dialogs_and_one_that_tells_no_battery_play_all_the_same(host, phones):
    """What it takes for an unknown element stands open, unless it is hidden."""
    room = host("--names", "free")
    phone = phones(scripts=["Navigator.prototype.getBattery = () => { throw new DOMException('no', 'SecurityError'); };"])

    def old(route):
        page = route.fetch()
        route.fulfill(response=page, body=page.text().replace("<dialog", "<x-dialog").replace("</dialog", "</x-dialog"))

    phone.page.route(lambda url: url.split("#")[0].endswith("/"), old)
    phone.page.goto(room.phone_url())
    assert not phone.page.is_visible("#new-name")
    phone.start()
    phone.seated()
    assert phone.page.is_hidden("#new-name") and phone.page.is_hidden("#rename")


FOCUSED = "document.activeElement.id"


def test_who_goes_by_keyboard_goes_on_where_what_they_pressed_led(room, phones):
    phone = phones(room.phone_url())
    page = phone.page
    page.focus("#start:enabled")
    page.keyboard.press("Enter")
    phone.seated()
    assert page.evaluate(FOCUSED) == "status"
    page.focus("#leave")
    page.keyboard.press("Enter")
    page.wait_for_selector("#trouble-title:has-text('You left the room')")
    page.wait_for_timeout(300)
    assert page.evaluate(FOCUSED) == "trouble"
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "again"
    page.keyboard.press("Enter")
    phone.seated()
    assert page.evaluate(FOCUSED) == "status"


def test_a_summarys_sign_is_for_the_eye_alone(room, phones):
    phone = phones(room.phone_url()).start()
    phone.seated()
    for sign in "+–":
        assert sign not in phone.page.locator("main").aria_snapshot()
        phone.page.click("summary")
