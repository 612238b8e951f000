"""The module for games, `/roomful.js`, against a real room."""

import time

import pytest
from native import Native, Together, push, recording

# A page of the room that joins by hand; what it heard is in `heard`.
JOIN = """async (options) => {
    const { join } = await import("/roomful.js");
    window.heard = [];
    const begun = performance.now();
    window.room = join(options);
    room.on("*", (event) => heard.push(event));
    room.on("hello", () => { window.greetedWithin ??= performance.now() - begun; });
    room.on("status", (status) => heard.push({ type: "status", status }));
    room.on("error", (error) => heard.push({ type: "error", message: error.message }));
}"""


def heard(page, kind):
    return page.evaluate("(kind) => heard.filter((event) => event.type === kind)", kind)


def wait_heard(page, script):
    """Waits until this is true in the page, which forbids what Playwright's own wait needs."""
    from hosted_room import wait_until

    return wait_until(lambda: page.evaluate(script), what=script)


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


def test_it_knows_who_is_here_how_they_hold_it_and_what_they_do(host, joined):
    room = host()
    page = joined(room, {"motion": True})
    native = Native(room, "Blue Otter", recording(room.folder, 60, lambda t: push(t, range(3, 60, 4))))
    try:
        wait_heard(page, "heard.some((event) => event.gesture === 'keepcalm-jump')")
        player = page.evaluate("room.players.get(1)")
        assert (player["name"], player["state"]) == ("Blue Otter", "joined")
        assert page.evaluate("room.state(1).attitude[0]") == pytest.approx(1, abs=0.05)
        assert page.evaluate("room.state(2)") is None
        assert len(heard(page, "motion")) > 20
        # Its clock is the room's: what an operator does between two readings of it happens between them. It is behind
        # by as long as the room's greeting took to come, at most.
        before = page.evaluate("room.now()")
        room.cli("lock")
        locked = wait_heard(page, "heard.find((event) => event.state === 'locked')")
        assert before <= locked["at"] <= page.evaluate("room.now() + greetedWithin")
        assert page.evaluate("room.send({ task: 'peers' }).then((answer) => answer.peers.length)") == 1
        room.cli("kick", "P1")
        wait_heard(page, "room.players.size === 0")
    finally:
        native.close()


def test_a_refused_command_says_why_and_whom_it_may_have_meant(host, joined):
    page = joined(host())
    wait_heard(page, "room.status === 'live'")
    refusal = page.evaluate("""room.send({ task: "play", who: "Otto", intensity: 1 }).then(() => null,
        ({ name, code, message }) => ({ name, code, message }))""")
    assert refusal == {"name": "RoomError", "code": "notFound", "message": "nobody is here"}
    kick = "room.send({ task: 'kick', who: 'P1' }).catch((error) => error.code)"
    assert page.evaluate(kick) == "notAllowed"


def test_where_websocket_is_refused_it_uses_streams_and_posts(host, joined):
    """As on iPhones, whose wss to a certificate that was clicked through fails."""
    room = host()
    refusing = "window.WebSocket = class { constructor() { setTimeout(() => this.onclose?.(), 5); } close() {} send() {} };"
    refusing += "delete AbortSignal.timeout;"  # Older ones do not have it.
    page = joined(room, {"motion": True}, script=refusing)
    wait_heard(page, "room.status === 'live'")
    native = Native(room, "Blue Otter", recording(room.folder, 60, lambda t: push(t, range(2, 60, 4))))
    try:
        wait_heard(page, "heard.some((event) => event.gesture === 'keepcalm-jump')")
        play = "room.send({ task: 'play', who: 'P1', intensity: 1 }).then(() => 'done')"
        answers = []
        assert room.felt(lambda: answers.append(page.evaluate(play)))["outcome"] == "played"
        assert set(answers) == {"done"}
    finally:
        native.close()


def test_a_wrong_token_is_told_in_plain_words_and_not_tried_again(host, joined):
    room = host()
    page = joined(room, {"token": "wrong"}, base=room.base)
    wait_heard(page, "room.status === 'refused'")
    [error] = heard(page, "error")
    assert error["message"].startswith("The token is missing or wrong")


def test_a_game_that_does_not_listen_finds_a_missing_token_in_its_console(host, browser, tmp_path):
    (tmp_path / "index.html").write_text('<script type="module">import { join } from "/roomful.js"; join();</script>')
    room = host("--serve", str(tmp_path))
    context = browser.new_context()
    page = context.new_page()
    with page.expect_console_message(lambda message: message.text.startswith("roomful.js: ")) as told:
        page.goto(room.local + "/game/")
    assert "Open the page by its whole link" in told.value.text
    context.close()


def test_a_link_with_the_token_counts_also_where_its_page_is_open_already(host, browser):
    room = host()
    context = browser.new_context()
    page = context.new_page()
    page.goto(room.local + "/games/")
    page.wait_for_selector("#people:has-text('whole link')")
    page.goto(room.game_link("/games/"))
    page.wait_for_selector("#people:has-text('Nobody')")
    assert "#" not in page.url
    context.close()


def test_after_a_broken_connection_it_goes_on_where_it_was(host, joined):
    """A lock and an unlock while it was away: both are heard, once, in their order."""
    room = host()
    keep = "window.sockets = []; const Real = WebSocket; window.WebSocket = class extends Real { constructor(address) {"
    keep += " if (window.isAway) throw new Error('away'); super(address); sockets.push(this); } };"
    page = joined(room, script=keep)
    wait_heard(page, "room.status === 'live'")  # What came before it joined is no event to it.
    room.cli("lock")
    wait_heard(page, "heard.some((event) => event.state === 'locked')")
    page.evaluate("sockets.forEach((socket) => socket.close())")
    room.cli("unlock")
    room.cli("lock")
    wait_heard(page, "heard.filter((event) => event.type === 'room').length >= 3")
    assert [event["state"] for event in heard(page, "room")] == ["locked", "unlocked", "locked"]
    numbers = [event["n"] for event in heard(page, "room")]
    assert numbers == sorted(set(numbers))
    assert [event["status"] for event in heard(page, "status")] == ["live", "reconnecting", "live"]


def test_a_handler_that_throws_keeps_no_other_from_hearing_and_the_connection_from_no_return(host, joined):
    room = host()
    keep = "window.sockets = []; const Real = WebSocket; window.WebSocket = class extends Real { constructor(address) {"
    keep += " super(address); sockets.push(this); } };"
    page = joined(room, script=keep)
    wait_heard(page, "room.status === 'live'")
    page.evaluate("""() => {
        window.complaints = [];
        addEventListener("error", (event) => complaints.push(event.error.message));
        for (const type of ["status", "room"]) {
            room.on(type, () => { throw new Error(`${type} went wrong`); });
            room.on(type, () => heard.push({ type: "after the thrower", of: type }));
        }
    }""")
    page.evaluate("sockets.forEach((socket) => socket.close())")
    wait_heard(page, "heard.filter((event) => event.type === 'hello').length === 2")
    room.cli("lock")
    wait_heard(page, "heard.some((event) => event.type === 'room')")
    assert [event["of"] for event in heard(page, "after the thrower")] == ["status", "status", "room"]
    assert page.evaluate("complaints") == ["status went wrong", "status went wrong", "room went wrong"]


def test_it_finds_a_host_that_was_started_again(host, joined):
    room = host()
    keep = "window.said = []; const Real = WebSocket; window.WebSocket = class extends Real {"
    keep += " send(text) { said.push(JSON.parse(text)); super.send(text); } };"
    # It comes back by a stream as well, where the host is ready in the moment that is a stream's.
    keep += " const ask = window.fetch; window.fetch = (to, what) => {"
    keep += " if (what?.body) said.push(JSON.parse(what.body)); return ask(to, what); };"
    page = joined(room, script=keep)
    wait_heard(page, "room.status === 'live'")
    before = page.evaluate("room.hello.openedAt")
    room.kill()
    wait_heard(page, "room.status === 'reconnecting'")
    starting = time.monotonic()
    room.start()
    wait_heard(page, "room.status === 'live'")
    assert page.evaluate("room.hello.openedAt") != before
    wishes = page.evaluate("said.filter((one) => 'after' in one).map(({ after, openedAt }) => [after, openedAt])")
    assert wishes[-1] == [0, before], "of which life its number is, the room hears"
    assert page.evaluate("room.now()") < (time.monotonic() - starting) * 1_000


def test_its_clock_is_the_rooms_also_after_the_hosts_machine_slept_and_its_own_did_not(host, joined):
    keep = "window.sockets = []; const Real = WebSocket; window.WebSocket = class extends Real { constructor(address) {"
    keep += " super(address); sockets.push(this); } };"
    keep += "window.slept = 0; const now = performance.now.bind(performance); performance.now = () => now() + slept;"
    page = joined(host(), script=keep)
    wait_heard(page, "room.status === 'live'")
    before = page.evaluate("room.now()")
    page.evaluate("slept = 600_000; sockets.forEach((socket) => socket.close())")
    wait_heard(page, "heard.filter((event) => event.type === 'hello').length === 2")
    assert page.evaluate("room.now()") < before + 300_000


def test_its_clock_stays_the_rooms_where_the_greeting_of_a_return_comes_late(host, joined):
    keep = "window.late = 0; window.sockets = []; const Real = WebSocket; window.WebSocket = class extends Real {"
    keep += " constructor(address) { super(address); sockets.push(this); }"
    keep += " set onmessage(take) { super.onmessage = (event) => late ? setTimeout(take, late, event) : take(event); } };"
    page = joined(host(), script=keep)
    wait_heard(page, "room.status === 'live'")
    before = page.evaluate("room.now() - performance.now()")
    page.evaluate("late = 800; sockets.forEach((socket) => socket.close())")
    wait_heard(page, "heard.filter((event) => event.type === 'hello').length === 2")
    assert page.evaluate("room.now() - performance.now()") > before - 1


def test_where_all_drive_one_player_it_stays_until_the_last_of_them_has_left(host, joined, phones):
    """Each controller is told of, and holds a seat, by itself: for those who listen, and for those who come later."""
    room = host("--mode", "collaborative", seats=2)
    early = joined(room)
    pair = [phones(room.phone_url()).start() for _ in range(2)]
    for phone in pair:
        phone.seated()
    wait_heard(early, "room.players.get(1)?.controllers.length === 2")
    late = joined(room)
    wait_heard(late, "room.players.get(1)?.controllers.length === 2")
    for page in (early, late):
        page.evaluate("""async () => {
            const { joinCode } = await import("/roomful.js");
            document.body.append(window.door = joinCode(room));
        }""")
        wait_heard(page, "door.shadowRoot.textContent.includes('Every seat is taken')")
    pair[1].page.click("#leave")
    for page in (early, late):
        wait_heard(page, "room.players.get(1)?.controllers.length === 1")
        assert page.evaluate("[room.players.get(1).state, room.players.get(1).name]") == ["joined", pair[0].seated()[1]]
        wait_heard(page, "door.shadowRoot.textContent.includes('1 of 2 seats free')")
    pair[1].page.click("#again")
    pair[1].seated()
    pair[0].page.close(run_before_unload=True)
    room.wait_event(type="player", state="lost")
    for page in (early, late):
        wait_heard(page, "heard.some((event) => event.state === 'lost')")
        assert page.evaluate("room.players.get(1).state") == "joined", "one of two is still here"
    pair[1].page.close(run_before_unload=True)
    for page in (early, late):
        wait_heard(page, "room.players.get(1).state === 'lost'")
    for _ in range(2):
        room.cli("kick", room.peers()[0]["name"])
    for page in (early, late):
        wait_heard(page, "room.players.size === 0")


def test_its_way_in_follows_the_host_to_another_address(room, joined):
    """Without an event, and with the page's half minute made short."""
    page = joined(room)
    page.evaluate("""async () => {
        const { joinCode } = await import("/roomful.js");
        const every = window.setInterval;
        window.setInterval = (work, time) => every(work, time / 100);
        window.place = "192.0.2.50";
        room.send = async () => ({ url: `https://${window.place}:7777/#v=1`, qr: "<svg xmlns='http://www.w3.org/2000/svg'/>" });
        document.body.append(window.door = joinCode(room));
    }""")
    wait_heard(page, "door.shadowRoot.textContent.includes('192.0.2.50')")
    page.evaluate("() => { window.place = '192.0.2.77'; }")
    wait_heard(page, "door.shadowRoot.textContent.includes('192.0.2.77')")
    page.evaluate("() => { room.send = async () => { throw Object.assign(new Error(), { code: 'noAnswer' }); }; }")
    page.wait_for_timeout(1_000)
    assert page.evaluate("!door.shadowRoot.querySelector('.qr').hidden"), "what was shown stays"


LOBBY = """<!doctype html><title>Hop</title><script type="module">
    import { join, lobby } from "/roomful.js";
    window.room = join();
    window.began = null;
    window.door = lobby(room, { gesture: "keepcalm-jump", countdown: 400, begin: (players) => { window.began = players; } });
    document.body.append(door);
</script>"""


def test_its_lobby_says_who_is_ready_counts_down_and_begins_with_them(host, screen, tmp_path):
    """In a maker's own page, which brings no styles. Who leaves is not waited for; another round opens it again."""
    (tmp_path / "index.html").write_text(LOBBY)
    room = host("--serve", str(tmp_path))
    page = screen(room, "/game/#t=" + room.operator_url().partition("#t=")[2])
    page.wait_for_selector("roomful-lobby .prompt:text-is('Nobody is here yet.')")
    page.wait_for_selector("roomful-lobby .qr")
    together = Together(room, ["Blue Otter", "אבי", "Red Panda"])
    try:
        page.wait_for_selector("roomful-lobby li:nth-child(3)")
        together.jumped(1)
        page.wait_for_selector("roomful-lobby li[data-player='1'][data-ready=true]")
        assert page.locator("roomful-lobby li[data-ready=true]").count() == 1
        assert page.locator("roomful-lobby li bdi").nth(1).inner_text() == "אבי"
        assert "Jump to join in!" in page.locator("roomful-lobby .prompt").inner_text()
        room.cli("kick", "P3")
        together.jumped(2)
        page.wait_for_function("() => window.began")
        assert page.evaluate("[began, door.hidden]") == [[1, 2], True]
        page.evaluate("door.open()")
        page.wait_for_selector("roomful-lobby .prompt:text-is('Jump when you are ready!')")
    finally:
        together.close()


def test_its_lobby_begins_nothing_with_nobody(host, screen, tmp_path):
    """The only one who was ready leaves while it counts down: whoever comes next finds it open."""
    (tmp_path / "index.html").write_text(LOBBY.replace("countdown: 400", "countdown: 5_000"))
    room = host("--serve", str(tmp_path))
    page = screen(room, "/game/#t=" + room.operator_url().partition("#t=")[2])
    together = Together(room, ["Blue Otter"])
    try:
        page.wait_for_selector("roomful-lobby li")
        page.clock.install()
        together.jumped(1)
        page.wait_for_function("() => door.dataset.phase === 'countdown'")
        page.evaluate("room.send({ task: 'kick', who: 'P1' }).then(() => null)")
        page.wait_for_selector("roomful-lobby .prompt:text-is('Nobody is here yet.')")
        page.clock.run_for(5_500)
        page.wait_for_timeout(300)  # It looks at the time ten times a second.
        assert page.evaluate("[began, door.hidden]") == [None, False]
    finally:
        together.close()


def test_its_lobby_begins_nothing_while_who_was_ready_is_lost(host, screen, tmp_path):
    """Whose connection broke is still known, and neither counted down for nor waited for."""
    options = "others: 1_000, countdown: 5_000"
    (tmp_path / "index.html").write_text(LOBBY.replace("countdown: 400", options))
    room = host("--serve", str(tmp_path), "--idle", "1500ms")
    page = screen(room, "/game/#t=" + room.operator_url().partition("#t=")[2])
    together = Together(room, ["Blue Otter"])
    try:
        page.wait_for_selector("roomful-lobby li")
        page.clock.install()
        together.jumped(1)
        page.wait_for_function("() => door.dataset.phase === 'countdown'")
        together.natives[0].process.kill()
        page.wait_for_selector("roomful-lobby .prompt:text-is('Nobody is here yet.')")
        assert page.evaluate("[room.players.get(1).state, door.dataset.phase]") == ["lost", "open"]
        page.clock.run_for(6_500)
        page.wait_for_timeout(300)  # It looks at the time ten times a second.
        assert page.evaluate("[began, door.hidden]") == [None, False]
    finally:
        together.close()


def test_a_game_knows_who_waits_for_a_seat_in_which_order_and_what_becomes_of_them(host, joined, phones):
    """Those who listen from the beginning, and those who come later; a name that is code stays a name."""
    room = host("--names", "free", seats=1)
    early = joined(room, {"types": ["gesture"]})
    first = phones(room.phone_url()).start()
    first.seated()
    waiting = [phones(room.phone_url()) for _ in range(2)]
    for place, phone in enumerate(waiting, 1):
        phone.start()
        phone.page.wait_for_selector(f"#status[data-place='{place}']")
    wait_heard(early, "room.queue.length === 2")
    late = joined(room)
    wait_heard(late, "room.queue.length === 2")
    order = early.evaluate("room.queue.map((one) => one.controller)")
    assert late.evaluate("room.queue.map((one) => one.controller)") == order
    room.cli("accept", order[1])
    wait_heard(early, f"room.queue[0].controller === '{order[1]}'")
    room.cli("kick", "P1")
    waiting[1].seated()
    for page in (early, late):
        wait_heard(page, f"room.queue.length === 1 && room.queue[0].controller === '{order[0]}'")
    waiting[0].page.close(run_before_unload=True)
    told = [(event["state"], order.index(event["controller"])) for event in heard(early, "queue")]
    assert told[:4] == [("queued", 0), ("queued", 1), ("called", 1), ("seated", 1)]
    assert set(told[4:]) <= {("lost", 0)}, "who closed the page keeps the place for 30 s"
