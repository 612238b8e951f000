"""The operator's page: who is in the room, how they do, and what the operator decides."""

import re
from pathlib import Path

import pytest
from hosted_room import HostedRoom, wait_until
from languages import sentences
from native import DEMO, G, Native, recording

# A button whose label is all that a screen reader says of it: "Unlock, pressed" would say it twice, and the other way.
SAYS_ALL = re.compile('- button "([^"]*)"')


@pytest.fixture(scope="module")
def crowd():
    """A room with three controllers: one jumps, one shakes, one is held with its top edge up by 30 degrees."""
    room = HostedRoom(name="Music Room", seats=5).start()
    held = recording(room.folder, 600, lambda t: (0.0, G * 0.5, G * 0.866))
    controllers = []
    for name, motion in (("Red Fox", DEMO / "drop.csv"), ("Blue Otter", DEMO / "toss.csv"), ("Green Heron", held)):
        controllers.append(Native(room, name, str(motion), loop=True))
        wait_until(lambda: len(room.peers()) == len(controllers), what=f"{name} is seated")
    yield room
    for controller in controllers:
        controller.close()
    room.close()


def test_the_token_leaves_the_address_bar_and_outlives_a_reload(crowd, operators):
    operator = operators(crowd)
    operator.wait_names("Red Fox", "Blue Otter", "Green Heron")
    assert operator.page.url == f"{crowd.base}/operator/"
    operator.page.reload()
    operator.wait_names("Red Fox", "Blue Otter", "Green Heron")


def test_an_older_iphone_opens_the_page_too(crowd, operators):
    operator = operators(crowd, script="delete AbortSignal.timeout")
    operator.page.wait_for_selector("#rows tr")


def test_without_a_token_the_page_says_how_to_get_one_and_takes_a_pasted_link(crowd, operators):
    operator = operators(crowd, token=None)
    assert "roomful open" in operator.text("#access")
    assert not operator.page.locator("#room").is_visible()
    operator.page.fill("#token", "Otto")
    operator.page.keyboard.press("Enter")
    operator.says("#access-text", "That is not a token")
    operator.page.fill("#token", f"{crowd.base}/operator/#t={crowd.token('operator')}")
    operator.page.keyboard.press("Enter")
    operator.wait_names("Red Fox", "Blue Otter", "Green Heron")


def test_a_wrong_token_is_refused_in_a_plain_sentence(crowd, operators):
    operator = operators(crowd, token="A" * 43)
    operator.says("#access-text", "The room does not know that token")
    assert not operator.page.locator("#bar").is_visible()
    assert any("401" in error for error in operator.errors), "the room itself refused it"
    operator.errors.clear()


def test_a_page_whose_token_became_another_says_why_it_asks_for_one(host, operators):
    room = host()
    operator = operators(room)
    operator.page.wait_for_selector("#bar:not([hidden])")
    room.stop()
    (path,) = Path(room.folder).glob("rooms/*/operator-token")
    path.unlink()
    room.start()
    operator.says("#access-text", "The room does not know that token")
    assert operator.page.evaluate("sessionStorage.getItem('roomful.operator-token')") is None
    operator.errors.clear()


def test_a_games_token_may_look_on_and_is_told_that_it_decides_nothing(crowd, operators):
    operator = operators(crowd, token=crowd.game_token)
    operator.says("#refusal-text", "the token of a game")
    operator.wait_names("Red Fox", "Blue Otter", "Green Heron")
    operator.page.click("#lock")
    operator.says("#refusal-text", "nly the operator may lock")
    assert not crowd.command(task="status")["status"]["isLocked"]


def test_a_room_of_which_nothing_is_known_is_said_to_be_silent_and_not_to_be_full_or_locked(host, operators):
    """What it says while its site's broker is away: test_cut_off.py. Here it is put into its answers."""
    silent = "window.isSilent = false; const Real = WebSocket; window.WebSocket = class extends Real { set onmessage(take) {"
    silent += " super.onmessage = ({ data }) => { const said = JSON.parse(data); if (isSilent && said.status)"
    silent += " Object.assign(said.status, { isSilent: true, isLocked: true, freeSeats: 0, peers: [], newcomers: [] });"
    silent += " take({ data: JSON.stringify(said) }); }; } };"
    operator = operators(host(), script=silent)
    operator.says("#facts", "4 of 4 seats free")
    operator.page.evaluate("isSilent = true")
    operator.says("#facts", "silent until the site’s broker answers")
    assert "locked" not in operator.text("#facts") and "seats" not in operator.text("#facts")
    assert "Lock" in operator.text("#lock")
    # Whether it is locked, nobody knows: the button and its key must not open what was to be closed.
    operator.page.click("#lock", force=True)
    operator.page.keyboard.press("l")
    operator.page.evaluate("isSilent = false")
    operator.says("#facts", "4 of 4 seats free")
    assert not [text for text in operator.asked if 'lock"' in text]
    operator.page.keyboard.press("l")
    operator.says("#facts", "locked")


def test_the_table_says_of_each_player_how_it_moves_and_how_its_link_stands(crowd, operators):
    operator = operators(crowd)
    operator.wait_names("Red Fox", "Blue Otter", "Green Heron")
    row = operator.row("Blue Otter")
    wait_until(lambda: "locked" in crowd.peers()[1]["clock"]["state"], what="its clock is locked")
    cells = lambda: operator.polled() and row.locator("td").all_inner_texts()
    count = lambda: int(cells()[3].split()[0].replace(",", ""))
    first = count()
    wait_until(lambda: count() > first, what="samples keep coming")
    wait_until(lambda: all(word in cells()[1] for word in ("good", "udp", "lost")), what=cells)
    wait_until(lambda: re.search(r"\d ms", cells()[2]), what=cells)
    assert row.locator(".number").inner_text() == "P2"
    assert re.search(r"pushed with [\d.]+ g, at most [\d.]+ g", row.locator("canvas").get_attribute("aria-label"))
    drawn = row.locator("canvas").evaluate(
        "canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(byte => byte)")
    assert drawn, "the trace is drawn"


def test_figures_are_asked_for_once_a_second_and_not_while_nobody_looks(crowd, operators):
    operator = operators(crowd)
    operator.wait_names("Red Fox", "Blue Otter", "Green Heron")
    asked = lambda: sum('"status"' in text for text in operator.asked)
    # By the page's own clock: n questions take n seconds, but for one that was put off and one that was not.
    before, begun = asked(), operator.page.evaluate("performance.now()")
    wait_until(lambda: operator.polled() and asked() >= before + 4, what="four questions")
    took = operator.page.evaluate("performance.now()") - begun
    assert asked() - before <= took / 1000 + 2
    operator.page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    operator.page.wait_for_timeout(500)
    before = len(operator.asked)
    operator.page.wait_for_timeout(2500)
    assert len(operator.asked) == before
    operator.page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    wait_until(lambda: operator.polled() and len(operator.asked) > before, what="it asks at once when it is seen again")


def test_a_tablet_that_refuses_websocket_watches_and_decides_all_the_same(crowd, operators):
    operator = operators(crowd, script="window.WebSocket = class { constructor() { throw new Error('refused'); } };")
    operator.wait_names("Red Fox", "Blue Otter", "Green Heron")
    operator.page.locator("#events li").first.wait_for()
    operator.page.click("#lock")
    operator.says("#facts", "locked: nobody new")
    operator.page.click("#lock")
    operator.says("#facts", "whoever has the code may join")
    assert all("404" in error for error in operator.errors), "the harmless question whose token it is (watch.js)"
    operator.errors.clear()


def test_straight_ahead_is_how_the_player_holds_it_when_the_operator_says_so(crowd, operators):
    operator = operators(crowd)
    operator.choose("Green Heron")
    held = lambda: operator.page.locator("#attitude").get_attribute("aria-label")
    operator.page.wait_for_function(
        "() => /top edge (29|30|31)° up/.test(document.getElementById('attitude').getAttribute('aria-label'))")
    operator.page.click("#rezero")
    operator.page.wait_for_function(
        "() => /top edge [01]° /.test(document.getElementById('attitude').getAttribute('aria-label'))")
    assert "right edge 0°" in held() or "right edge 1°" in held()


def test_a_new_name_is_seen_at_once_and_one_that_is_too_long_is_explained(crowd, operators):
    operator = operators(crowd)
    operator.choose("Red Fox")
    operator.page.click("#rename")
    operator.page.fill("#question-field input", "Ä" * 40)
    operator.page.click("#question-yes")
    operator.says("#question-problem", "1 to 63 bytes")
    operator.page.fill("#question-field input", "Red Panda")
    operator.page.click("#question-yes")
    operator.wait_names("Red Panda", "Blue Otter", "Green Heron")
    assert crowd.peers()[0]["name"] == "Red Panda"
    crowd.command(task="rename", who="P1", name="Red Fox")
    operator.page.click("#rename")
    operator.page.fill("#question-field input", "Red Fox")
    operator.page.click("#question-yes")
    operator.wait_names("Red Fox", "Blue Otter", "Green Heron")


def test_who_is_player_1_is_up_to_the_operator(crowd, operators):
    operator = operators(crowd)
    operator.choose("Green Heron")
    for seat, order in ((1, ("Green Heron", "Blue Otter", "Red Fox")), (3, ("Red Fox", "Blue Otter", "Green Heron"))):
        operator.page.click("#seat")
        assert "swap with" in operator.page.locator(f"#question option[value='{seat}']").inner_text()
        operator.page.select_option("#question select", str(seat))
        operator.page.click("#question-yes")
        operator.wait_names(*order)
    # Also one that others decide on: the focus goes along.
    operator.page.locator("#rows .is-chosen button").focus()
    swap = dict(zip(("who", "other"), (peer["controller"] for peer in (crowd.peers()[0], crowd.peers()[2]))))
    for order in (("Green Heron", "Blue Otter", "Red Fox"), ("Red Fox", "Blue Otter", "Green Heron")):
        assert crowd.operate(task="seatSwap", **swap) == {}
        operator.wait_names(*order)
        assert operator.page.evaluate("document.activeElement.querySelector('.name')?.textContent") == "Green Heron"
    operator.page.click("#seat")
    operator.page.select_option("#question select", "5")
    operator.page.click("#question-yes")
    wait_until(lambda: crowd.peers()[2]["seat"] == 5, what="the free seat is taken")
    crowd.cli("seat", "move", "Green Heron", "3")


def test_the_room_is_locked_and_unlocked_and_says_so(crowd, operators):
    operator = operators(crowd)
    operator.wait_names("Red Fox", "Blue Otter", "Green Heron")
    operator.page.click("#lock")
    operator.says("#facts", "locked: nobody new")
    assert crowd.command(task="status")["status"]["isLocked"]
    assert SAYS_ALL.fullmatch(operator.page.locator("#lock").aria_snapshot()).group(1) == "Unlock"
    operator.says("#live", "The room is locked")
    operator.page.click("#lock")
    operator.says("#facts", "whoever has the code may join")


def test_the_events_are_filtered_by_type_and_stand_still_while_they_are_read(crowd, operators):
    operator = operators(crowd)
    operator.wait_names("Red Fox", "Blue Otter", "Green Heron")
    gestures = operator.page.locator("#events li[data-type=gesture]")
    gestures.filter(has_text=re.compile(r"P\d .+: (Jump|Shake|Hold still), strength [\d.]+ \(± ")).first.wait_for()
    operator.page.click("#filter-fold summary")
    operator.page.get_by_label("Gestures").uncheck()
    assert operator.text("#filter-count") == "12 of 13 kinds"
    assert not gestures.first.is_visible()
    operator.page.get_by_label("Gestures").check()
    operator.page.click("#pause")
    before = operator.text("#events")
    operator.says("#held-back", "new")
    assert SAYS_ALL.fullmatch(operator.page.locator("#pause").aria_snapshot()).group(1) == "Go on"
    operator.page.wait_for_timeout(800)
    assert operator.text("#events") == before
    operator.page.click("#pause")
    wait_until(lambda: operator.page.wait_for_timeout(50) or operator.text("#events") != before, what="they go on")


# The room has been open for three months.
LONG_OPEN = """(() => {
    const parse = JSON.parse;
    JSON.parse = (...values) => {
        const message = parse(...values);
        if (message?.at !== undefined) message.at += 90 * 86_400_000;
        return message;
    };
})()"""


def test_when_something_happened_stands_beside_it_also_after_months(crowd, operators):
    operator = operators(crowd, script=LONG_OPEN)
    event = operator.page.locator("#events li", has=operator.page.locator("time:text-matches('^2[0-9]{3}:')")).first
    widths = "time => [time.scrollWidth, time.clientWidth]"
    wanted, given = event.locator("time").evaluate(widths)
    assert wanted <= given, "it is written over what happened"


def test_delays_are_shown_as_a_histogram_beside_the_papers_table(crowd, operators):
    operator = operators(crowd)
    operator.choose("Blue Otter")
    operator.page.locator("#latency-body .histogram rect").first.wait_for(state="attached")
    operator.says("#latency-who", "Blue Otter")
    table = operator.page.query_selector("#latency-body .scroll")
    assert "Histogram of" in operator.page.locator(".histogram").get_attribute("aria-label")
    mean = operator.page.get_by_role("rowheader", name="Mean")
    means = operator.page.locator("#latency-body tr").filter(has=mean).inner_text()
    assert means.split()[-1] == "70.40" and len(means.split()) == 4
    assert "One way" in operator.text("#latency-body")
    operator.choose("Red Fox")
    operator.says("#latency-who", "Red Fox")
    assert table.evaluate("table => table.isConnected"), "it keeps the focus, and how far it was scrolled"


def test_the_qr_code_is_shown_when_asked_for_and_forgotten_after(crowd, operators):
    operator = operators(crowd)
    operator.wait_names("Red Fox", "Blue Otter", "Green Heron")
    code = crowd.ticket()["code"].replace("-", "")
    assert code not in operator.page.content()
    operator.page.click("#show-ticket")
    operator.says("#ticket-url", code)
    assert operator.page.locator("#ticket-code").evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
    operator.page.keyboard.press("Escape")
    operator.page.wait_for_function("() => document.getElementById('ticket-url').textContent === ''")
    assert code not in operator.page.content()


# Which of these the bar hides, though they have the focus; each was scrolled there before.
BEHIND = """(ids) => ids.filter((id) => {
    const element = document.getElementById(id);
    const place = () => element.getBoundingClientRect();
    scrollBy(0, place().top - 10);
    element.focus();
    const { left, right, top, bottom } = place();
    const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return !element.contains(seen);
})"""


def test_everything_is_done_by_keyboard_alone(crowd, operators):
    operator = operators(crowd)
    operator.wait_names("Red Fox", "Blue Otter", "Green Heron")
    keyboard, page = operator.page.keyboard, operator.page
    focused = lambda: page.evaluate("document.activeElement.id || document.activeElement.textContent")
    for expected in ("show-ticket", "lock", "mark", "show-keys"):
        keyboard.press("Tab")
        assert focused() == expected
    keyboard.press("Tab")
    assert focused() == "P1Red Fox", "the table is one stop, however many play"
    keyboard.press("ArrowDown")
    keyboard.press("ArrowDown")
    operator.says("#chosen-name", "Green Heron")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", "the focus is seen"
    page.emulate_media(forced_colors="active")
    marks = page.locator("#rows th").evaluate_all("all => all.map((one) => getComputedStyle(one).borderInlineStartColor)")
    assert marks[0] == marks[1] != marks[2], "and who is chosen, in the reader's own colours, too"
    page.emulate_media(forced_colors="none")
    keyboard.press("Tab")
    assert focused() == "rezero"
    keyboard.press("r")
    keyboard.type("Grey Heron")
    keyboard.press("Enter")
    operator.wait_names("Red Fox", "Blue Otter", "Grey Heron")
    keyboard.press("r")
    keyboard.type("Green Heron")
    keyboard.press("Enter")
    operator.wait_names("Red Fox", "Blue Otter", "Green Heron")
    keyboard.press("k")
    operator.says("#question-title", "Kick Green Heron?")
    assert focused() != "question-yes", "nobody is kicked by leaning on a key"
    keyboard.press("Escape")
    keyboard.press("?")
    assert page.locator("#keys").is_visible() and "identify" in operator.text("#keys-list")
    page.get_by_label("Use these single keys").uncheck()
    keyboard.press("Escape")
    # What gets the focus behind the bar comes out from there.
    for height in (480, 620):
        page.set_viewport_size({"width": 853, "height": height})
        assert page.evaluate(BEHIND, ["rezero", "kick", "pause"]) == [], f"at a height of {height}"
    keyboard.press("k")
    page.wait_for_timeout(200)
    assert not page.locator("#question").is_visible()


def test_three_phones_are_watched_named_found_and_sent_away_by_the_operator(room, phones, operators, screenshots):
    made = []
    for _ in range(3):
        made.append(phones(room.phone_url()).start())
        wait_until(lambda: len(room.peers()) == len(made), what="the phone is seated")
    operator = operators(room)
    operator.wait_names(*[peer["name"] for peer in room.peers()])
    second = room.peers()[1]["name"]
    link = operator.row(second).locator("td").nth(1)
    wait_until(lambda: operator.polled() and "wss · loss n/a" in link.inner_text(), what="no loss: over TCP it is delay")
    operator.choose(second)
    operator.says("#chosen-figures", "n/a (TCP): a loss shows as delay")
    operator.says("#chosen-figures", "allowed")
    made[1].tilt(pitch=0.5)
    operator.page.wait_for_function("""() => {
        const label = document.getElementById("attitude").getAttribute("aria-label");
        return Math.abs(Number(/top edge (\\d+)° up/.exec(label)?.[1]) - 29) <= 2; }""")
    operator.page.click("#identify")
    made[1].page.locator("#cover").wait_for(state="visible")
    operator.page.screenshot(path=screenshots / "operator-three-phones.png")
    operator.page.click("#rename")
    operator.page.fill("#question-field input", "Anna")
    operator.page.click("#question-yes")
    made[1].page.get_by_role("heading", name="Anna").wait_for()
    operator.page.click("#kick")
    operator.page.fill("#question-field input", "The next player, please")
    operator.page.click("#question-yes")
    made[1].page.locator("#trouble-text", has_text="The next player, please").wait_for()
    wait_until(lambda: len(operator.polled()) == 2, what="its row is gone")
    operator.page.locator("#rows .is-chosen button").focus()
    room.cli("kick", operator.page.inner_text("#rows .is-chosen .number"))
    wait_until(lambda: len(operator.polled()) == 1, what="the next row is gone")
    assert operator.page.evaluate("document.activeElement.matches('#rows button')"), "the focus is at who stays"


@pytest.mark.parametrize("size,scheme", [
    ((1180, 820), "light"), ((1180, 820), "dark"), ((820, 1180), "light"), ((390, 844), "dark")])
def test_nothing_runs_over_the_edge_of_a_tablet_or_a_phone(crowd, operators, screenshots, size, scheme):
    operator = operators(crowd, viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    operator.choose("Red Fox")
    operator.page.locator(".histogram").wait_for(state="attached")
    operator.says("#events", "Blue Otter")
    operator.page.screenshot(path=screenshots / f"operator-{size[0]}x{size[1]}-{scheme}.png", full_page=True)
    assert operator.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    small = operator.page.evaluate(
        "[...document.querySelectorAll('button, .chip')].filter(one => one.checkVisibility())"
        ".map(one => [one.textContent, one.getBoundingClientRect().height]).filter(([, height]) => height < 36)")
    assert small == [], "what is touched is large enough"


def test_the_operator_lets_in_declines_and_kicks_and_names_stay_text(host, operators):
    room = host("--policy", "ask", name="<b>Door</b>")
    operator = operators(room)
    operator.says("#room-name", "<b>Door</b>")
    assert operator.page.locator("#room-name b").count() == 0
    wicked = "<script>window.hit=1</script><img src=x onerror=hit=1>"
    controllers = [Native(room, name, str(DEMO / "toss.csv"), loop=True) for name in (wicked, "Grey Goose")]
    try:
        operator.page.get_by_role("button", name="Accept all").wait_for()
        operator.page.get_by_role("button", name="Decline Grey Goose").click()
        operator.page.get_by_role("button", name=f"Accept {wicked}").click()
        operator.wait_names(wicked)
        operator.says("#live", "joined")
        operator.says("#events", f"{wicked} asks to join")
        wait_until(lambda: controllers[1].process.poll() is not None, what="the declined one was told")
        assert room.command(task="status")["status"]["waiting"] == []
        operator.page.click("#kick")
        operator.says("#question-title", f"Kick {wicked}?")
        assert room.peers(), "it asks first"
        operator.page.fill("#question-field input", "Enough <i>now</i>")
        operator.page.click("#question-yes")
        operator.wait_names()
        operator.says("#live", "left")
        assert operator.page.locator("#nobody").is_visible()
        # Its link's own goodbye, which has no room for words, may overtake the operator's.
        told = lambda: Path(controllers[0].log).read_text()
        wait_until(lambda: "Enough" in told() or "The operator removed" in told(), what="the kicked one was told")
        assert operator.page.evaluate("window.hit") is None
        assert operator.page.locator("main script, main img[src=x]").count() == 0
    finally:
        for controller in controllers:
            controller.close()


def test_a_button_lets_in_whom_it_stands_beside_whatever_others_are_called(host, operators):
    """The second is called as the first one's id begins: said by name, it would be the first, or either."""
    room = host("--policy", "ask")
    controllers = [Native(room, "Grey Goose", str(DEMO / "toss.csv"), loop=True)]
    try:
        first = wait_until(lambda: room.command(task="status")["status"]["newcomers"], what="the first asks")[0]["controller"]
        operator = operators(room)
        operator.page.get_by_role("button", name="Accept Grey Goose").focus()
        controllers.append(Native(room, first[:8], str(DEMO / "toss.csv"), loop=True))
        operator.page.get_by_role("button", name=f"Accept {first[:8]}").wait_for()
        focused = lambda: operator.page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent")
        assert focused() == "Accept Grey Goose", "who comes takes nobody's focus"
        operator.page.get_by_role("button", name=f"Accept {first[:8]}").click()
        wait_until(lambda: [peer["name"] for peer in room.peers()] == [first[:8]], what="the second has its seat")
        assert room.peers()[0]["controller"] != first
        # The next row has the focus, which two keys let in; then who plays.
        wait_until(lambda: operator.polled() and focused().startswith("Grey Goose"), what=focused)
        operator.page.keyboard.press("Tab")
        operator.page.keyboard.press("Enter")
        wait_until(lambda: len(room.peers()) == 2, what="the first has its seat")
        operator.page.wait_for_function("() => document.activeElement.matches('#rows .is-chosen button')")
    finally:
        for controller in controllers:
            controller.close()


def test_a_controller_that_falls_silent_is_told_of_in_plain_words(host, operators):
    room = host("--idle", "2")
    operator = operators(room)
    controller = Native(room, "Sleepy Bear", str(DEMO / "toss.csv"), loop=True)
    try:
        operator.wait_names("Sleepy Bear")
        controller.process.kill()
        operator.says("#troubles-list", "P1 Sleepy Bear: silent for")
        operator.says("#troubles-list", "is its screen locked, its Wi-Fi off, its program closed?")
        operator.says("#live", "is lost")
    finally:
        controller.close()


def test_when_the_host_is_gone_the_page_says_so_and_comes_back_by_itself(host, operators):
    room = host()
    operator = operators(room)
    operator.says("#room-name", "Living Room")
    room.kill()
    operator.page.get_by_text("The host does not answer; trying again…").wait_for()
    room.start()
    operator.page.locator("#no-answer").wait_for(state="hidden")
    operator.page.click("#lock")
    operator.says("#facts", "locked: nobody new")


@pytest.mark.parametrize("language", ["en", "ar"])
def test_a_poster_is_printed_in_the_operators_language_on_one_sheet_and_forgotten(crowd, operators, screenshots, language):
    words = sentences(language)
    operator = operators(crowd, locale=language)
    operator.wait_names("Red Fox", "Blue Otter", "Green Heron")
    page = operator.page
    page.evaluate("void (window.print = () => { window.printed = true; })")
    page.click("#show-ticket")
    page.click("#ticket-print")
    wait_until(lambda: page.evaluate("window.printed"), what="printing")
    page.emulate_media(media="print")
    poster = page.inner_text(".poster")
    assert words["poster.phone"] in poster and words["lobby.scan"] in poster
    assert crowd.typed_code() in poster and f":{crowd.port}/" in poster
    assert page.inner_html("#poster-room") == '<bdi translate="no">Music Room</bdi>'
    assert not page.locator("#players").is_visible() and not page.locator("#ticket").is_visible()
    page.screenshot(path=screenshots / f"poster-{language}.png")
    assert page.pdf(format="A4").count(b"/Type /Page\n") == 1, "one sheet"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.getElementById('poster-code').hasAttribute('src')") is False
    assert page.evaluate("document.getElementById('poster-typed').textContent") == ""
