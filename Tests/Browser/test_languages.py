"""Each page in its reader's language: no sentence is missing, left over, or English where it should not be; and what is
written from right to left is laid out so. The first need no browser and no room."""

import re
import urllib.request

import pytest
from hosted_room import PATIENCE, wait_until
from languages import LANGUAGES, PAGES, PLURALS, said, sentences
from native import Native, lively
from operator_page import OperatorPage, axe

# Words that a language has in common with English; names, and what is but values and units, are common anyway.
SHARED = {"Controller", "Code", "Verdicts", "banana", "{hours} h {minutes} min", "{minutes} min {seconds} s"}
HAS_WORDS = re.compile(r"[a-z]{3}")


def places(text):
    return sorted(re.findall(r"\{\w+\}|`[^`]*`", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_sentence_with_the_same_values(language):
    english, own = sentences("en"), sentences(language)
    assert f'export const language = "{language}"' in (PAGES / f"language/{language}.js").read_text()
    assert own.keys() == english.keys()
    same = []
    for key, text in own.items():
        assert isinstance(text, str) == isinstance(english[key], str), key
        if isinstance(text, dict):
            assert text.keys() == PLURALS[language], f"{key}: the forms of its plural"
            assert places(text["other"]) == places(english[key]["other"]), key
            assert all(set(places(form)) <= set(places(text["other"])) and form.strip() for form in text.values()), key
            continue
        # Words that are to be typed stay as they are.
        assert text.strip() and places(text) == places(english[key]), key
        has_words = HAS_WORDS.search(re.sub(r"\{\w+\}", "", text))
        if language != "en" and has_words and text == english[key] and text not in SHARED:
            same.append(key)
    assert same == [], "English, in another language"


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_is_still_seated_is_told_a_time_only_where_it_is_known(language):
    """By the line below, which counts down: how long a seat is held is the room's choice."""
    minutes = "minute|Minute|minuto|分|دقيقة"
    assert not re.search(minutes, sentences(language)["alreadySeatedText"])


def test_a_page_that_did_not_load_whole_has_words_in_every_language():
    source = (PAGES / "phone/whole.js").read_text()
    pattern = r'^ {8}(\w+): \{\n +text: "[^"]+",\n +newer: "[^"]+",\n +load: "([^"]+)",\n +\},$'
    loads = dict(re.findall(pattern, source, re.M))
    assert loads == {language: sentences(language)["again.load"] for language in LANGUAGES}


def texts(language):
    """By key: each text, or all forms of its plural."""
    return {key: text if isinstance(text, str) else " ".join(text.values()) for key, text in sentences(language).items()}


def test_nobody_is_spoken_to_now_as_a_friend_and_now_as_a_stranger():
    """French says tu everywhere, also to those before the big screen; Spanish says tú."""
    strange = {"fr": r"\b(vous|votre|vos|(?!chez|assez)[a-zé]+ez)\b", "es": r"\b(usted|ustedes|elija|inicie)\b"}
    for language, words in strange.items():
        assert [text for text in texts(language).values() if re.search(words, text, re.I)] == []


def test_a_seat_has_one_name_in_spanish():
    english = texts("en")
    assert [text for key, text in texts("es").items()
            if re.search(r"\bsitios?\b", text) and not re.search(r"\b(site|sites|house)\b", english[key], re.I)] == []


def test_no_sentence_is_there_that_nobody_says_and_none_is_said_that_is_not_there():
    english = sentences("en")
    patterns = [re.compile(re.escape(key).replace(r"\*", r"[\w-]+") + "$") for key in said() - {"*", "*Text"}]
    assert [key for key in english if not any(pattern.match(key) for pattern in patterns)] == [], "nobody says it"
    assert [key for key in said() if "*" not in key and not key.endswith("Text") and key not in english] == [], "missing"


def test_what_stands_in_the_pages_is_their_english():
    """It is seen until the sentences are there, and where there is no script."""
    english = sentences("en")
    count = 0
    for path in PAGES.rglob("*.html"):
        for key, text in re.findall(r'data-say="([^"]+)"[^>]*>(.*?)</(?!code)', path.read_text(), re.S):
            text = re.sub(r"<code>(.*?)</code>", r"`\1`", " ".join(text.split()))
            assert text == english[key], f"{path.name}: {key}"
            count += 1
        for attribute, text, _, key in re.findall(
                r'(aria-label|alt)="([^"]*)" data-say-(label|alt)="([^"]+)"', path.read_text()):
            assert text == english[key], f"{path.name}: {attribute} {key}"
    assert count > 120


@pytest.fixture(scope="module")
def crowd():
    """Two who play, under names from two scripts."""
    from hosted_room import HostedRoom
    room = HostedRoom("--policy", "ask", "--play", "keepcalm", seats=6).start()
    natives = []
    for name in ("Äpfel", "دنيا"):
        natives.append(Native(room, name, lively(room.folder, len(natives)), loop=True))
        wait_until(lambda: asking(room) == 1, what=f"{name} asks")
        room.cli("accept", name)
    yield room
    for native in natives:
        native.close()
    room.close()


@pytest.fixture
def asker(crowd):
    """One who waits, under a name from a third script. The room lets nobody wait for longer than two minutes, so each
    test has its own."""
    native = Native(crowd, "ゲスト", lively(crowd.folder, 2), loop=True)
    wait_until(lambda: asking(crowd) == 1, what="a guest asks")
    yield native
    native.close()
    wait_until(lambda: asking(crowd) == 0, what="the guest has gone")


def asking(room):
    return len(room.command(task="status")["status"]["waiting"])


def test_the_room_picks_the_language_that_the_browser_wants_most(crowd):
    def served(wanted):
        request = urllib.request.Request(f"{crowd.local}/language/reader.js", headers={"Accept-Language": wanted})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            assert answer.headers["Vary"] == "accept-language"
            return re.search(r'language = "(\w+)"', answer.read().decode()).group(1)

    assert served("de-AT,de;q=0.9,en;q=0.8") == "de"
    assert served("en;q=0.5, pt-BR;q=0.7, fr;q=0") == "pt"
    assert served("nl, ja") == "ja", "what we have, though another is wanted more"
    assert [served(other) for other in ("*", "nl", "de;q=x", ";;,,q=1,-", "x" * 4000)] == ["en"] * 5


# English words that no page in another language shows: what is English there comes from the room, or is a name.
ENGLISH = re.compile(r"\b(the|you|your|this|and|with|seats?|player|joined|of|is|not|yet|no|motion|Lock|late|missing)\b")
# What is the room's own, a name, or code; and what a screen reader is told.
FOREIGN = "bdi, code, script, style, noscript, title, kbd, .mono"
TEXT = """(foreign) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const all = [];
    for (let node; (node = walker.nextNode());) if (!node.parentElement.closest(foreign)) all.push(node.data.trim());
    for (const element of document.querySelectorAll("[aria-label]")) all.push(element.getAttribute("aria-label"));
    return all.filter(Boolean);
}"""
PLACES = {
    "/games/": "#people bdi", "/games/keepcalm/": "#players li:nth-child(2)", "/games/duel/": "#rows li:nth-child(2)",
    "/games/cube/": ".cube:nth-child(2)", "/pads/?n=1": "#pads iframe",
    "/nowhere": "main a[href='/']",
}


def looked_at(page, language, name, screenshots, crowd, allowed=()):
    html = page.locator("html")
    assert (html.get_attribute("lang"), html.get_attribute("dir")) == (language, "rtl" if language == "ar" else "ltr")
    page.screenshot(path=screenshots / f"{language}-{name}.png", full_page=True)
    english = [text for text in page.evaluate(TEXT, FOREIGN) if ENGLISH.search(text) and text not in allowed]
    assert english == [], f"{name} in {language}"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), f"{name}: wider than the screen"


@pytest.mark.parametrize("language", ["de", "ja", "ar"])
def test_every_page_is_in_its_readers_language_from_the_first_word_to_the_last(crowd, asker, browser, screenshots, language):
    """The operator's page with all that it says, the games and the virtual phones; Arabic also by axe-core."""
    operator = OperatorPage(browser, crowd, locale=language, viewport={"width": 1440, "height": 900})
    operator.wait_names("Äpfel", "دنيا")
    operator.page.locator("#latency-body .histogram").wait_for()
    operator.page.locator("#waiting-list .row").wait_for()
    looked_at(operator.page, language, "operator", screenshots, crowd)
    if language == "ar":
        assert axe(operator.page) == []
        number, name = (operator.page.locator(f"#rows tr:first-child .{part}").bounding_box()["x"] for part in ("number", "name"))
        assert number > name, "the row begins at the right"
        x, z = (operator.page.locator(f"#chosen .axis-{axis}").bounding_box()["x"] for axis in "xz")
        assert x < z, "the lines' legend stands as they are drawn"
    for button in ("#show-keys", "#seat", "#kick"):
        operator.page.click(button)
        operator.page.locator("dialog[open]").wait_for()
        looked_at(operator.page, language, f"operator{button.replace('#', '-')}", screenshots, crowd)
        operator.page.keyboard.press("Escape")
    operator.close()
    context = browser.new_context(locale=language, viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    page = context.new_page()
    for path, ready in PLACES.items():
        page.goto(crowd.local + path if path.startswith("/pads") else crowd.game_link(path))
        if path.startswith("/pads"):
            page.click("#begin")
        page.wait_for_selector(ready, state="attached")
        looked_at(page, language, path.split("?")[0].strip("/").replace("/", "-"), screenshots, crowd)
    context.close()


@pytest.mark.parametrize("language", ["de", "ar"])
def test_a_phone_is_spoken_to_in_its_language(host, phones, screenshots, language):
    """From the start to being taken out, beside a sensor that is missing."""
    words = sentences(language)
    room = host("--play", "keepcalm")
    phone = phones(room.phone_url(), sensors=False, locale={"de": "de-AT", "ar": "ar-EG"}[language])
    page = phone.page
    page.wait_for_selector("#game:has-text('KeepCalm')")
    assert page.inner_text("#start") == words["start"]
    looked_at(page, language, "phone-start", screenshots, room)
    phone.start()
    phone.seated()
    page.wait_for_selector(f"#connection:has-text('{words['link.good']}')")
    assert page.inner_text("#sensor-title") == words["sensor.absent"]
    assert page.inner_text("[data-gesture=jump]") == words["gesture.jump"]
    looked_at(page, language, "phone", screenshots, room)
    if language == "ar":
        assert axe(page) == []
    room.cli("kick", "P1")
    page.wait_for_selector(f"#trouble-title:has-text('{words['kicked']}')")
    assert page.inner_text("#again") == words["again"]
