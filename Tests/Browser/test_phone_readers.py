"""However the phone's page is read: translated, by keyboard and by ear, in the reader's own colours, in an old browser."""

from hosted_room import wait_until


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
