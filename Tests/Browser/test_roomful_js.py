"""The module for games, `/roomful.js`, against a real room."""

import signal
import time

import pytest
from native import Native, push, recording
from pages import SLEEP, SOCKETS, heard, wait_heard


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


def test_a_command_that_was_answered_is_forgotten(host, joined):
    """A screen asks every second, for days."""
    page = joined(host())
    wait_heard(page, "room.status === 'live'")
    page.evaluate("""async () => {
        window.commands = [];
        for (let number = 0; number < 50; number++) {
            const command = { task: "status" };
            commands.push(new WeakRef(command));
            await room.send(command);
        }
    }""")
    devtools = page.context.new_cdp_session(page)
    devtools.send("HeapProfiler.enable")
    devtools.send("HeapProfiler.collectGarbage")
    kept = page.evaluate("commands.filter((command) => command.deref()).length")
    assert kept <= 1, f"{kept} of 50 are kept"


def test_however_fast_a_game_commands_each_is_carried_out_in_its_order_until_too_many_wait(host, joined):
    page = joined(host())
    wait_heard(page, "room.status === 'live'")
    page.evaluate("""() => {
        window.answered = [];
        const note = (number) => ({ code }) => answered.push([number, code]);
        for (let number = 0; number < 1200; number++) room.send({ task: "play", who: "Otto" }).catch(note(number));
    }""")
    answered = wait_heard(page, "answered.length === 1200 && answered")
    # 64 are on their way and 1,024 wait: the rest hears so at once, and can be said again.
    assert [number for number, code in answered if code == "tooOften"] == list(range(64 + 1024, 1200))
    assert [number for number, code in answered if code == "notFound"] == list(range(64 + 1024))
    assert page.evaluate("room.send({ task: 'status' }).then(({ status }) => status.name)") == "Living Room"


def test_a_command_that_waited_too_long_behind_others_is_given_up_and_never_said(host, joined):
    page = joined(host())
    wait_heard(page, "room.status === 'live'")
    told = page.evaluate("""async () => {
        const { Pace } = await import("/common/pace.js");
        const pace = new Pace({ perSecond: 400, atOnce: 1, waiting: 2, patience: 300, late: () => new Error("late") });
        const begun = [];
        let answer;
        const first = pace.run(() => { begun.push("first"); return new Promise((resolve) => answer = resolve); });
        const stale = ["second", "third"].map((name) => pace.run(async () => begun.push(name)));
        const wasFull = pace.isFull;
        const ends = await Promise.all(stale.map((one) => one.catch(({ message }) => message)));
        const fresh = pace.run(async () => { begun.push("fresh"); return "done"; });
        answer("answered");
        return { wasFull, ends, isFull: pace.isFull, answers: await Promise.all([first, fresh]), begun };
    }""")
    assert told == {"wasFull": True, "ends": ["late", "late"], "isFull": False, "answers": ["answered", "done"],
                    "begun": ["first", "fresh"]}


REFUSING = "window.WebSocket = class { constructor() { setTimeout(() => this.onclose?.(), 5); } close() {} send() {} };"
REFUSING += "delete AbortSignal.timeout;"  # Older ones do not have it.


def test_where_websocket_is_refused_it_uses_streams_and_posts(host, joined):
    """As on iPhones, whose wss to a certificate that was clicked through fails."""
    room = host()
    page = joined(room, {"motion": True}, script=REFUSING)
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


def test_a_type_that_no_event_has_is_told_in_plain_words_and_not_asked_for_again(host, joined):
    page = joined(host(), {"types": ["gestures"]})
    wait_heard(page, "room.status === 'refused'")
    [error] = heard(page, "error")
    assert error["message"].startswith('no event is of type "gestures"')


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
    page = joined(room, script=SOCKETS)
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
    page = joined(room, script=SOCKETS)
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
    # Its wish is said to a request as well, where the host is ready in that moment.
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


# Sockets that fail, as long as there are `failures`, and how many streams stand in for them.
FAILING = """
    window.failures = window.streams = 0;
    window.WebSocket = class extends WebSocket {
        constructor(url) { super(failures-- > 0 ? String(url).replace("/api/", "/away/") : url); }
    };
    window.EventSource = class extends EventSource {
        constructor(url) {
            super(url);
            streams += 1;
        }
    };
"""


def test_a_stream_stands_in_for_a_socket_that_has_opened_only_where_the_host_answers_and_refuses_one(host, joined):
    page = joined(host(), script=SOCKETS + FAILING)
    wait_heard(page, "room.status === 'live'")
    for failures, streams in ((1, 0), (2, 1)):
        page.evaluate(f"heard.length = 0; failures = {failures}; sockets.forEach((socket) => socket.close())")
        wait_heard(page, "heard.some((event) => event.type === 'hello')")
        assert page.evaluate("streams") == streams


def test_its_clock_is_the_rooms_also_after_the_hosts_machine_slept_and_its_own_did_not(host, joined):
    page = joined(host(), script=SOCKETS + SLEEP)
    wait_heard(page, "room.status === 'live'")
    before = page.evaluate("room.now()")
    page.evaluate("slept = 600_000; sockets.forEach((socket) => socket.close())")
    wait_heard(page, "heard.filter((event) => event.type === 'hello').length === 2")
    assert page.evaluate("room.now()") < before + 300_000


# What a page does now and then it does ten times as often.
OFTEN = "(() => { const every = setInterval; window.setInterval = (work, time) => every(work, time / 10); })();"


@pytest.mark.parametrize("drift", [5_000, -5_000])
def test_its_clock_is_the_rooms_also_after_days_in_which_the_two_drifted_apart(host, joined, drift):
    room = host()
    page = joined(room, script=SLEEP + OFTEN)
    wait_heard(page, "room.status === 'live'")
    page.evaluate(f"slept = {drift}")
    wait_heard(page, "room.send({ task: 'status' }).then(({ status }) => Math.abs(room.now() - status.uptimeMs) < 200)")
    before = page.evaluate("room.now()")
    room.cli("lock")
    locked = wait_heard(page, "heard.find((event) => event.state === 'locked')")
    assert before - 200 < locked["at"] < page.evaluate("room.now()") + 200


def test_a_host_that_vanishes_without_a_word_is_missed_also_by_a_stream(host, joined):
    room = host()
    page = joined(room, script=REFUSING + OFTEN)
    wait_heard(page, "room.status === 'live'")
    room.process.send_signal(signal.SIGSTOP)
    try:
        wait_heard(page, "room.status === 'reconnecting'")
    finally:
        room.process.send_signal(signal.SIGCONT)
    wait_heard(page, "room.status === 'live'")


def test_its_clock_stays_the_rooms_where_the_greeting_of_a_return_comes_late(host, joined):
    late = "window.late = 0; window.WebSocket = class extends WebSocket {"
    late += " set onmessage(take) { super.onmessage = (event) => late ? setTimeout(take, late, event) : take(event); } };"
    page = joined(host(), script=SOCKETS + late)
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
