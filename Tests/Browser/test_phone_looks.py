"""The phone's page can be read and used by everyone: upright and across, in light and dark, with large text and by
screen reader. The screenshots are for people to look at."""

import pytest
from hosted_room import wait_until

LOOKS = {
    "portrait": dict(),
    "dark": dict(color_scheme="dark"),
    "landscape": dict(viewport={"width": 844, "height": 390}),
    "small": dict(viewport={"width": 320, "height": 568}),
}

# Rules that axe-core calls serious or critical, of those that can be told from the page itself (WCAG 2.2).
RULES = """() => {
    const faults = [];
    const visible = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;
    const luminance = (color) => {
        const parts = color.match(/[\\d.]+/g).map(Number);
        const [r, g, b] = parts.slice(0, 3).map((v) => v / 255).map((v) =>
            (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return { value: 0.2126 * r + 0.7152 * g + 0.0722 * b, alpha: parts[3] ?? 1 };
    };
    const background = (e) => {
        for (let at = e; at; at = at.parentElement) {
            const found = luminance(getComputedStyle(at).backgroundColor);
            if (found.alpha > 0.99) return found.value;
        }
        return 1;
    };
    for (const e of document.querySelectorAll("body *")) {
        if (!visible(e) || e.closest(".visually-hidden")) continue;
        const text = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        const style = getComputedStyle(e);
        if (text && !e.matches(":disabled")) {
            const [a, b] = [luminance(style.color).value, background(e)].sort((x, y) => y - x);
            const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
            const ratio = (a + 0.05) / (b + 0.05);
            if (ratio < (large ? 3 : 4.5)) faults.push(`contrast ${ratio.toFixed(2)} of "${e.textContent.trim().slice(0, 30)}"`);
        }
        if (e.matches("button, a, input, summary, [tabindex]")) {
            const box = e.getBoundingClientRect();
            if (box.height < 44 || box.width < 44) faults.push(`a target of ${box.width}x${box.height}: ${e.id || e.textContent}`);
            const name = e.textContent.trim() || e.ariaLabel || e.labels?.[0]?.textContent
                || document.getElementById(e.getAttribute("aria-labelledby"))?.textContent;
            if (!name) faults.push(`no name: ${e.outerHTML.slice(0, 80)}`);
        }
    }
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push(`twice: #${id}`);
    if (!document.documentElement.lang) faults.push("no language");
    if (!document.title) faults.push("no title");
    if (!document.querySelector("main")) faults.push("no main landmark");
    if (!document.querySelector("[aria-live]")) faults.push("no live region");
    if (/user-scalable\\s*=\\s*no|maximum-scale/.test(document.querySelector("meta[name=viewport]").content)) {
        faults.push("zoom is blocked");
    }
    if (document.documentElement.scrollWidth > innerWidth + 1) faults.push(`wider than the screen: ${document.documentElement.scrollWidth}`);
    return faults;
}"""


def test_the_page_is_readable_usable_and_named_however_the_phone_is_held(host, phones, screenshots):
    room = host("--names", "free", name="The Living Room of the Winterbottoms")
    for look, options in LOOKS.items():
        phone = phones(room.phone_url(), **options)
        phone.page.screenshot(path=screenshots / f"phone-{look}-start.png")
        assert phone.page.evaluate(RULES) == [], f"{look}, start"
        phone.start()
        phone.seated()
        phone.page.screenshot(path=screenshots / f"phone-{look}.png")
        assert phone.page.evaluate(RULES) == [], f"{look}, seated"
        phone.page.click("summary")
        assert phone.page.evaluate(RULES) == [], f"{look}, buttons"
        phone.page.screenshot(path=screenshots / f"phone-{look}-buttons.png")
        phone.page.click("#rename")
        assert phone.page.evaluate(RULES) == [], f"{look}, rename"
        phone.page.screenshot(path=screenshots / f"phone-{look}-rename.png")
        phone.page.click("#rename-cancel")


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
    room.wait_event(type="gesture", gesture="shake", phase="began", timeout=5)
    assert "Shake" in phone.page.inner_text("#live")


def test_virtual_phones_are_players_without_a_phone(host, phones, screenshots):
    room = host(seats=8)
    desk = phones(room.phone_url(page="/pads/?n=4"), sensors=False, viewport={"width": 1280, "height": 720})
    wait_until(lambda: len(room.peers()) == 4, 10)
    page = desk.page
    frames = lambda: [frame for frame in page.frames if "pad=" in frame.url]
    wait_until(lambda: page.wait_for_timeout(50) or all(
        frame.query_selector("main[data-state=seated]") for frame in frames()), 8)
    assert [frame.inner_text("#number") for frame in frames()] == ["1", "2", "3", "4"]
    frames()[2].click("#stage")
    page.keyboard.press("s")
    room.wait_event(type="gesture", gesture="shake", player=3, phase="began", timeout=5)
    box = page.query_selector_all("iframe")[0].bounding_box()
    page.mouse.move(box["x"] + 140, box["y"] + 260)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 200, steps=8)
    page.mouse.up()
    events = room.follow()
    tilted = lambda: (m := events.motion(1)) and abs(m["tilt"][0] - 0.54) < 0.05 and abs(m["tilt"][1] + 0.54) < 0.05
    wait_until(lambda: page.wait_for_timeout(30) or tilted(), 5, "right edge and top edge down")
    events.close()
    page.screenshot(path=screenshots / "pads.png")
    page.click("#more")
    wait_until(lambda: page.wait_for_timeout(50) or len(room.peers()) == 5, 5)
    page.reload()
    wait_until(lambda: page.wait_for_timeout(50) or len(frames()) == 5 and all(
        frame.query_selector("main[data-state=seated]") for frame in frames()), 12)
    assert len(room.peers()) == 5, "a reload keeps them all"
