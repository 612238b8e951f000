"""What every test in a browser needs: a browser, a room, phones, and a place for screenshots.

    ROOMFUL_PROGRAM       the program under test; else .build/debug/roomful
    ROOMFUL_PAGES         pages from this folder instead of those in the program (read by the program itself)
    ROOMFUL_SCREENSHOTS   where screenshots go; else a temporary folder, which stays where a test has failed
    ROOMFUL_CHROMIUM      the browser; else /usr/bin/chromium-headless-shell, which is Chromium without windows
    ROOMFUL_ENGINES       others for test_engines.py and test_report.py: firefox,webkit
"""

import os
from pathlib import Path

import pytest
from chromium import PAGES, WHOLE
from game_screen import GameScreens
from hosted_room import PATIENCE, HostedRoom
from native import Native, Together
from operator_page import OperatorPage
from pages import JOIN
from phone import Phone
from playwright.sync_api import sync_playwright


# What takes longest begins first: else, when all others have ended, one of it is waited for. --dist loadfile takes files in
# the order in which their tests stand here, with --no-loadscope-reorder.
LONGEST = ["test_phone_return.py", "test_operator.py", "test_games.py", "test_phone_trouble.py", "test_phone_looks.py",
           "test_phone.py", "test_web_strangers.py", "test_web_api.py", "test_web_doors.py", "test_languages.py", "test_house.py",
           "test_accessibility.py"]


def pytest_collection_modifyitems(items):
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(LONGEST)))


# A display of ten pictures a second: where a processor paints them, sixty take more of it than all else together.
DISPLAY = """(() => {
    const next = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (paint) => setTimeout(() => next(paint), 85);
})()"""


def patient(make):
    """Makes contexts, or pages, that wait for a fact as long as everybody else here does."""

    def made(**options):
        one = make(**options)
        one.set_default_timeout(PATIENCE * 1_000)
        one.add_init_script(DISPLAY)
        return one

    return made


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright


def launched(playwright, path):
    # What GL draws by a processor takes longer, and is the same.
    drawing = ["--disable-gpu", "--disable-software-rasterizer"]
    browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", *drawing])
    browser.new_context = patient(browser.new_context)
    browser.new_page = patient(browser.new_page)
    return browser


@pytest.fixture(scope="session")
def browser(playwright):
    """One Chromium for the whole run; each phone, operator or game is a context of its own. Where no windows and menus
    belong to it, one takes a fifth of the processor time."""
    browser = launched(playwright, PAGES)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def whole_browser(playwright):
    """Chromium with all that is around a page: its own warnings, and what it lets a page read unasked."""
    browser = launched(playwright, WHOLE)
    yield browser
    browser.close()


@pytest.fixture
def host():
    """Starts rooms with whatever arguments a test needs: `host("--policy", "open", seats=2)`."""
    rooms = []

    def start(*arguments, **options):
        room = HostedRoom(*arguments, **options)
        rooms.append(room)
        return room.start()

    yield start
    for room in rooms:
        room.close()


@pytest.fixture
def room(host):
    """A room of four seats with a code."""
    return host()


@pytest.fixture
def phones(browser):
    """Makes phones, and puts them away: `phones(room.phone_url())`. A page that threw fails the test."""
    made = []

    def make(url=None, **options):
        phone = Phone(browser, url, **options)
        made.append(phone)
        return phone

    yield make
    errors = [error for phone in made for error in phone.errors]
    for phone in made:
        phone.close()
    assert not errors, f"a page complained: {errors}"


@pytest.fixture
def operators(browser):
    """Opens operators' pages, and puts them away. A page that complained fails the test."""
    made = []

    def make(room, **options):
        made.append(OperatorPage(browser, room, **options))
        return made[-1]

    yield make
    errors = [error for page in made for error in page.errors if "ERR_CONNECTION_REFUSED" not in error]
    for page in made:
        page.close()
    assert not errors, f"a page complained: {errors}"


@pytest.fixture
def natives():
    """Starts native controllers, and ends them: `natives(room, "Blue", recording)`."""
    made = []

    def start(*arguments, **options):
        made.append(Native(*arguments, **options))
        return made[-1]

    yield start
    for native in made:
        native.close()


@pytest.fixture
def together():
    """Controllers that are fed by one clock: `together(room, "Blue", "Green")`."""
    made = []

    def start(room, *names, **options):
        made.append(Together(room, names, **options))
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.fixture
def screen(browser):
    """Opens a game on a large screen: `screen(room, "/game/")`. One that complains, or asks anything of another place,
    fails the test."""
    screens = GameScreens(browser)
    yield screens.open
    screens.close()
    assert screens.complaints == []


@pytest.fixture
def joined(browser):
    """A page that has joined: `joined(room, {"motion": True}, refuse="wss")`."""
    contexts = []

    def start(room, options={}, base=None, script=None):
        context = browser.new_context(ignore_https_errors=True)
        contexts.append(context)
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.goto(base + "/common/base.css" if base else room.game_link("/common/base.css"))
        page.evaluate(JOIN, options)
        return page

    yield start
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory):
    """The folder for screenshots."""
    folder = Path(os.environ.get("ROOMFUL_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"screenshots in {folder}")
    return folder


@pytest.fixture(scope="module")
def run(request, browser, pages_server):
    """Runs the body of an async function in a page without a room, after what the test's file imports in MODULES."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(pages_server + "/phone/wire/bytes.js")
    yield lambda body: page.evaluate("async () => {" + request.module.MODULES + body + "}")
    context.close()


@pytest.fixture(scope="session")
def pages_server():
    """The pages by plain HTTP on loopback, without a room: for modules that need none."""
    import functools
    import http.server
    import threading

    folder = os.environ.get("ROOMFUL_PAGES", str(Path(__file__).resolve().parents[2] / "Sources/Pages"))

    class Quiet(http.server.SimpleHTTPRequestHandler):
        extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}

        def translate_path(self, path):
            # A room picks the reader's language; what is tried here is tried in English.
            return super().translate_path(path.replace("/language/reader.js", "/language/en.js"))

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
