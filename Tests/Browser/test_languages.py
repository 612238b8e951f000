"""The phone's page in its reader's language: no sentence is missing, left over, or English where it should not be."""

import re
from pathlib import Path

import pytest

PHONE = Path(__file__).resolve().parents[2] / "Sources/Pages/phone"
LANGUAGES = sorted(path.stem for path in (PHONE / "language").glob("*.js"))
# Words that are the same in both.
SHARED = {"title", "code"}


@pytest.fixture(scope="module")
def sentences(browser, pages_server):
    """Each language's sentences by key."""
    page = browser.new_page()
    page.goto(f"{pages_server}/phone/language/en.js")
    yield {name: page.evaluate(f"import('/phone/language/{name}.js').then((module) => module.default)") for name in LANGUAGES}
    page.close()


def used():
    """The keys that the page names, as patterns: `gesture.*` where the rest is reckoned."""
    source = "".join(path.read_text() for path in PHONE.rglob("*.js") if path.parent.name != "language")
    keys = set(re.findall(r'data-say="([^"]+)"', (PHONE / "index.html").read_text()))
    keys |= set(re.findall(r'sentence\([^"`()]*"([^"]+)"', source)) | set(re.findall(r'\? "(\w+Text)" : "\w+Text"', source))
    keys |= set(re.findall(r': "(\w+Text)"', source))
    keys |= {re.sub(r"\$\{[^}]*\}", "*", key) for key in re.findall(r"sentence\(`([^`]+)`", source)}
    told = {re.sub(r"\$\{[^}]*\}", "*", key) for key in re.findall(r'told\(["`]([^"`]+)["`]', source)}
    return keys | told | {key + "Text" for key in told}


def test_every_language_has_every_sentence_with_the_same_values_and_none_that_nobody_says(sentences):
    assert LANGUAGES == sorted(re.findall(r"language/(\w+).js", (PHONE / "sentences.js").read_text()))
    english = sentences["en"]
    places = lambda text: sorted(re.findall(r"\{\w+\}", text))
    for name, own in sentences.items():
        assert own.keys() == english.keys(), name
        for key, text in own.items():
            assert text.strip() and places(text) == places(english[key]), f"{name}: {key}"
            assert name == "en" or key in SHARED or text != english[key], f"{name}: {key} is English"
    patterns = [re.compile(re.escape(key).replace(r"\*", r"[\w-]+") + "$") for key in used() - {"*", "*Text"}]
    assert [key for key in english if not any(pattern.match(key) for pattern in patterns)] == [], "nobody says it"
    assert {key for key in used() if "*" not in key} - english.keys() == set(), "it is missing"


def test_what_stands_in_the_page_is_its_english(sentences):
    """It is seen until the sentences are there, and where there is no script."""
    page = (PHONE / "index.html").read_text()
    said = re.findall(r'data-say="([^"]+)"[^>]*>([^<]*)<', page)
    assert len(said) > 20
    for key, text in said:
        assert " ".join(text.split()) == sentences["en"][key], key


def test_a_phone_set_to_german_is_spoken_to_in_german(host, phones, screenshots):
    """From the start to being taken out, beside a sensor that is missing."""
    room = host("--play", "keepcalm")
    phone = phones(room.phone_url(), sensors=False, locale="de-AT")
    page = phone.page
    page.wait_for_selector("#game:has-text('Spiel: KeepCalm')")
    assert page.get_attribute("html", "lang") == "de" and page.inner_text("#start") == "Los"
    page.screenshot(path=screenshots / "phone-german-start.png")
    phone.start()
    phone.seated()
    page.wait_for_selector("#connection:has-text('Gute Verbindung')", timeout=20_000)
    assert page.inner_text("#sensor-title") == "Kein Bewegungssensor"
    assert page.inner_text("[data-gesture=jump]") == "Springen"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.screenshot(path=screenshots / "phone-german.png", full_page=True)
    room.cli("kick", "P1")
    page.wait_for_selector("#trouble-title:has-text('Du wurdest aus dem Spiel genommen')")
    assert page.inner_text("#again") == "Um Rückkehr bitten"
