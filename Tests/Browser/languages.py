"""The pages' sentences, read without a browser: Sources/Pages/language/*.js, and what the pages ask of them."""

import json
import re
from pathlib import Path

PAGES = Path(__file__).resolve().parents[2] / "Sources/Pages"
LANGUAGES = sorted(path.stem for path in (PAGES / "language").glob("*.js"))
# The forms that each language's plural has for whole numbers (CLDR); what is rarer than a million is `other`.
PLURALS = {
    "en": {"one", "other"}, "de": {"one", "other"}, "fr": {"one", "other"}, "es": {"one", "other"},
    "pt": {"one", "other"}, "ja": {"other"}, "ar": {"one", "two", "few", "many", "other"},
}


def sentences(language):
    """By key: a text, or its plural's forms by their names. A key that stands twice is an error."""
    source = (PAGES / f"language/{language}.js").read_text()
    body = source.split("export default {", 1)[1].rsplit("};", 1)[0]
    body = re.sub(r'"\s*\+\s*"', "", re.sub(r"^\s*//.*$", "", body, flags=re.M))
    body = re.sub(r"([{,]\s*)(zero|one|two|few|many|other):", r'\1"\2":', body)
    pairs = lambda all: dict(all) if len(dict(all)) == len(all) else 1 / 0
    return json.loads("{" + re.sub(r",(\s*)}", r"\1}", body.strip().rstrip(",") + "}"), object_pairs_hook=pairs)


def said():
    """The keys that the pages name, as patterns: `gesture.*` where the rest is reckoned."""
    keys = set()
    for path in PAGES.rglob("*.html"):
        keys |= set(re.findall(r'data-say(?:-label|-alt)?="([^"]+)"', path.read_text()))
    for path in PAGES.rglob("*.js"):
        if path.parent.name == "language":
            continue
        # Any text that looks like a key: sentence("a.b"), a table of keys, a choice between two of them.
        found = re.findall(r'"([a-z]+(?:\.[A-Za-z-]+)+)"', path.read_text())
        keys |= {key for key in found if not key.startswith("roomful.") and not key.endswith((".js", ".css"))}
        keys |= set(re.findall(r'(?:sentence|told)\("(\w+)"', path.read_text()))
        keys |= set(re.findall(r'[?:] "(\w+Text)"', path.read_text()))
        keys |= {re.sub(r"\$\{[^}]*\}", "*", key) for key in
                 re.findall(r"(?:sentence|sentenceOr|knows|said|told)\(`([^`]+)`", path.read_text())}
    return keys | {key + "Text" for key in keys}
