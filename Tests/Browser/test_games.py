"""The bundled games, in a real browser, played by controllers whose motion is made by script."""

import json
import re
import subprocess
import time

import pytest
from hosted_room import HERE, wait_until
from game_screen import SCREEN
from native import Turned, push, recording
from pages import SLEEP, SOCKETS

PACE = 4
SEED = 7


@pytest.fixture
def turned():
    """Controllers that are turned when they are told to: `turned(room, "Blue")`."""
    made = []

    def start(room, name):
        made.append(Turned(room, name))
        return made[-1]

    yield start
    for one in made:
        one.close()


def items_of(page, count):
    """What comes along in a game of this seed."""
    return page.evaluate(
        """async ([seed, count]) => {
            const { itemKind } = await import("/games/keepcalm/rules.js");
            return Array.from({ length: count }, (_, number) => itemKind(seed, number));
        }""", [SEED, count])


def script(kinds, skipped):
    """When to jump, in seconds of the game, to take everything but what is skipped, 0.2 s before it is at the runner;
    and the score that this comes to. Written down from the rules as users know them, not from the game's program."""
    jumps, coins, left = [], 0, 30
    slow_until = fast_until = float("inf")  # A cherry's effect.

    def distance(time):
        return time + 0.5 * max(0, min(time, fast_until) - slow_until)

    for number, kind in enumerate(kinds):
        appears = 3.0 * number
        arrives = next(
            step / 1000 for step in range(int(appears * 1000), 10_000_000)
            if distance(step / 1000) >= distance(appears) + 4.5)
        if number in skipped:
            continue
        jumps.append(arrives - 0.2)
        left -= 1
        if kind == "banana":
            coins += 1
        elif kind == "blueberry":
            left += 1
        elif kind == "cherry":
            assert slow_until == float("inf"), "this script knows of one cherry only"
            slow_until, fast_until = arrives - 0.15, arrives - 0.15 + 10
        else:
            coins, left = coins - 10, max(0, left - 5)
        if left == 0:
            return jumps, coins
    raise AssertionError("there were too few items")


def played(kinds, jumps, until=float("inf")):
    """The score of a runner that jumped at these times, in seconds of the game, by then: the rules once more, by small
    steps, as users know them. A runner is in the air for 0.4 s; what is within 0.15 s of it then is taken."""
    score, left, lands, fast_until, distance, asleep_at = 0, 30, None, 0.0, 0.0, 60.0
    road, jumps, step = [], sorted(jumps), 0
    while True:
        time = step / 1000
        if time >= 3.0 * (step // 3000) and step % 3000 == 0:
            road.append((kinds[step // 3000], distance + 4.5))
        if lands is not None and time >= lands:
            lands = None
            if left == 0:
                return score
        if jumps and time >= jumps[0]:
            jumps.pop(0)
            if lands is None and left > 0:
                left, lands, asleep_at = left - 1, time + 0.4, time + 60
        if time >= min(asleep_at, until):
            return score
        for kind, place in [item for item in road if abs(item[1] - distance) <= 0.15 and lands is not None]:
            road.remove((kind, place))
            score += {"banana": 1, "poo": -10}.get(kind, 0)
            left = max(0, left + {"blueberry": 1, "poo": -5}.get(kind, 0))
            fast_until = time + 10 if kind == "cherry" else fast_until
        distance += 0.001 * (1.5 if time < fast_until else 1)
        step += 1


def jumps_of(events, player):
    """When this player jumped, as a listener of the room's heard it."""
    return [event["at"] for event in events if event["type"] == "gesture" and event["player"] == player
            and event["gesture"] == "keepcalm-jump" and event["phase"] == "began"]


def in_game(jumps, starts):
    """Those of the game that starts then, in its seconds."""
    return [at for at in ((jump - starts) / 1000 * PACE for jump in jumps) if at >= 0]


# What the prompt said and then was made to say, within the time of some frames.
PROMPTS = """async () => {
    const prompt = document.getElementById("prompt");
    const told = [prompt.textContent];
    const seen = new MutationObserver(() => told.push(prompt.textContent));
    seen.observe(prompt, { childList: true, characterData: true, subtree: true });
    for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
    seen.disconnect();
    return told;
}"""


def test_keepcalm_played_to_its_end_by_script_has_the_score_that_its_rules_say(host, screen, together, screenshots):
    """P1 takes 30 jumps' worth of items, one of them poo, and lets two pass; P2 says that it is ready, then sleeps. What
    counts is when the room told a jump: a busy machine brings one later, or not at all."""
    room = host("--play", "keepcalm")
    page = screen(room, f"/game/?seed={SEED}&pace={PACE}&gesture=keepcalm-jump")
    kinds = items_of(page, 60)
    assert kinds[:6] == ["blueberry", "banana", "banana", "cherry", "banana", "poo"]
    jumps, score = script(kinds, skipped={8, 11})
    assert (len(jumps), score) == (26, 13)
    assert played(kinds, jumps) == 13

    players = together(room, "Blue Otter", "Green Heron", interval=0.02)
    page.wait_for_selector('#players [data-number="2"]')
    players.jumped(2)
    page.wait_for_selector('#players [data-number="2"][data-ready="true"]')
    told = page.evaluate(PROMPTS)
    assert all(text != before for before, text in zip(told, told[1:])), "a screen reader hears each second once"
    # P1 says last that it is ready. The countdown takes 3 s of the game's own time from that jump on.
    ready = time.monotonic() + 0.5
    for at in [0, *((3 + jump) / PACE for jump in jumps)]:
        players.jump(at, None, start=ready)
    page.wait_for_selector("body[data-phase=over]")
    results = page.locator("#results li").evaluate_all("all => all.map((one) => [one.dataset.player, one.dataset.score])")
    starts = float(page.locator("body").get_attribute("data-starts-at"))
    told = lambda: in_game(jumps_of(room.events, 1), starts)
    # The page may have heard the last one first.
    wait_until(
        lambda: results == [["1", str(played(kinds, told()))], ["2", "0"]], what=lambda: f"{results} of {told()}")
    assert len(told()) > len(jumps) / 2
    assert page.locator("#over-title").inner_text() == "Blue Otter wins"
    page.screenshot(path=screenshots / "keepcalm-over.png")


def test_together_all_drive_one_runner_and_the_ranking_keeps_initials_and_the_day_alone(host, screen, together):
    """P2 is no lane of its own: P2's jumps take two bananas for everyone. The ranking is there after a reload."""
    room, heard = host("--play", "keepcalm"), []
    page = screen(room, f"/game/?mode=collaborative&seed={SEED}&pace={PACE}&gesture=keepcalm-jump", heard=heard)
    kinds = items_of(page, 30)
    assert kinds[:3] == ["blueberry", "banana", "banana"] and played(kinds, [7.3, 10.3], until=11) == 2
    players = together(room, "Green Heron", "Blue Otter", interval=0.02)
    page.wait_for_selector('#players [data-number="2"]')
    players.jumped(1)
    page.wait_for_selector('#players [data-number="1"][data-ready="true"]')
    ready = time.monotonic() + 0.5
    for at in (0, (3 + 7.3) / PACE, (3 + 10.3) / PACE):
        players.jump(None, at, start=ready)
    page.wait_for_selector("body[data-phase=play]")
    # All that it will hear of. A machine that stood still may have swallowed one: then nobody heard of it.
    wait_until(lambda: page.wait_for_timeout(30) or time.monotonic() > ready + 10.3 / PACE + 1
               and jumps_of(heard, 2) == jumps_of(room.events, 2), what="P2's jumps")
    page.keyboard.press("Escape")
    page.wait_for_selector("body[data-phase=over]")
    [result] = page.locator("#results li").evaluate_all("all => all.map((one) => [one.dataset.score, one.innerText])")
    jumps = in_game(jumps_of(room.events, 2), float(page.locator("body").get_attribute("data-starts-at")))
    score = played(kinds, jumps, until=11)
    assert score > 0 and result[0] == str(score) and "Everyone (2)" in result[1], jumps
    page.fill("#ranking input", "t!x")
    # By the page's clock put forward: a jump takes the field from nobody who types, and leads on once that was a while ago.
    def jumped_later(later):
        page.evaluate("later => { const now = performance.now.bind(performance); performance.now = () => now() + later; }", later)
        since = len(heard)
        players.jumped(1)
        wait_until(lambda: page.wait_for_timeout(100) or jumps_of(heard[since:], 1), what="the page hears the jump")
        return page.get_attribute("body", "data-phase")

    assert jumped_later(5_000) == "over"
    # Where it asks for the room's time meanwhile, the results have not been there for so long.
    wait_until(lambda: jumped_later(11_000) != "over", what="the lobby")
    page.reload()
    day = page.evaluate("new Date().toDateString()")
    assert ranking(page) == [{"initials": "TX", "score": score, "day": day}]
    assert page.evaluate("Object.keys(localStorage)") == ["roomful.keepcalm.ranking"]


def test_the_same_scores_again_are_read_aloud_again(host, screen, natives):
    """Two rounds in which nobody jumps."""
    room = host("--play", "keepcalm")
    page = screen(room, f"/game/?pace={PACE}")
    natives(room, "Blue Otter", HERE.parent.parent / "Recordings/demo/tilt.csv", loop=True)
    page.wait_for_selector('#players [data-number="1"]')
    page.evaluate("""() => {
        window.heard = [];
        const told = document.getElementById("told");
        new MutationObserver(() => { if (told.textContent) heard.push(told.textContent); }).observe(told, { childList: true });
    }""")
    for _ in range(2):
        page.click("#start")
        page.wait_for_selector("body[data-phase=play]")
        page.keyboard.press("Escape")
        page.click("#again")
    first, second = page.evaluate("heard")
    assert first == second and "Blue Otter" in first


def ranking(page):
    """What KeepCalm's page keeps of the best."""
    return json.loads(page.evaluate("localStorage['roomful.keepcalm.ranking'] ?? '[]'"))


def test_the_ranking_is_of_one_day_and_whoever_operates_the_screen_clears_it(host, screen):
    page = screen(host(), "/games/keepcalm/")
    page.wait_for_selector("#prompt:not(:empty)")
    assert page.is_hidden("#clear")
    page.evaluate("""localStorage['roomful.keepcalm.ranking'] = JSON.stringify([
        { initials: "AA", score: 9 }, { initials: "BB", score: 8, day: new Date(Date.now() - 864e5).toDateString() },
        { initials: "CC", score: 7, day: new Date().toDateString() }])""")
    page.reload()
    page.wait_for_selector("#clear")
    assert [entry["initials"] for entry in ranking(page)] == ["CC"]
    page.click("#clear")
    page.wait_for_selector("#told:text-is('The list of the best is empty.')", state="attached")
    assert ranking(page) == [] and page.is_hidden("#clear")


def angles_on(page, player=1):
    """Roll, pitch and yaw in degrees as the cube's page shows them."""
    texts = page.locator(f'[data-player="{player}"] dd').all_inner_texts()
    return [int(text.rstrip("°").replace("−", "-")) if text != "–" else None for text in texts]


def until_angles(page, *wanted, within=4):
    def close():
        shown = angles_on(page)
        return None not in shown and all(abs(a - b) <= within for a, b in zip(shown, wanted))

    wait_until(close, what=lambda: f"angles {wanted} on the page; they are {angles_on(page)}")


def test_the_cube_follows_the_attitude_and_a_re_zero_makes_it_straight_ahead(host, screen, turned, screenshots):
    """Turned up by 40° about x, its pitch is 40°; re-zeroed there, none; turned back by 40°, −40°."""
    room = host("--play", "cube")
    page = screen(room, "/game/")
    page.wait_for_selector("#nobody >> text=No controller yet")
    phone = turned(room, "Blue Otter")
    page.wait_for_selector('[data-player="1"][data-fresh="true"]')
    assert not page.is_visible("#nobody")
    until_angles(page, 0, 0, 0)
    phone.turn(40)
    until_angles(page, 0, 40, 0)
    page.screenshot(path=screenshots / "cube-turned.png")
    page.keyboard.press("R")
    until_angles(page, 0, 0, 0)
    phone.turn(-40)
    until_angles(page, 0, -40, 0)


def test_what_the_viewer_sees_of_a_cube_is_what_its_holder_sees_of_the_phone(host, screen):
    """The top edge points away from the viewer, the right edge to the right; what is raised rises on the screen."""
    page = screen(host(), "/games/cube/")
    seen = lambda attitude, vector: page.evaluate(
        """async ([attitude, vector]) => {
            const { see, turn } = await import("/games/cube/solid.js");
            return see(turn(attitude, vector));
        }""", [attitude, vector])
    flat, raised = [1, 0, 0, 0], [0.9659, 0.2588, 0, 0]  # By 30° about x.
    assert seen(flat, [1, 0, 0])[0] == pytest.approx(1)
    assert seen(flat, [0, 1, 0])[1] < -0.3 and seen(flat, [0, 1, 0])[2] < 0  # Higher up on the screen, and farther.
    assert seen(raised, [0, 1, 0])[1] < seen(flat, [0, 1, 0])[1]
    assert seen(raised, [1, 0, 0])[0] == pytest.approx(1)


def test_a_phone_that_is_raised_and_then_rolled_has_not_been_turned(host, screen):
    """Yaw is of one convention with the room's roll and pitch, as the operator's page shows it, too."""
    page = screen(host(), "/games/cube/")
    shown = page.evaluate("""async () => {
        const { angles } = await import("/games/cube/solid.js");
        return angles({ attitude: [0.853553, 0.353553, 0.353553, 0.146447], tilt: [Math.PI / 4, Math.PI / 4] });
    }""")
    assert shown == pytest.approx([45, 45, 0], abs=0.01)


@pytest.mark.parametrize("game, key, button", [
    ("keepcalm", "C", "#together"), ("keepcalm", "M", "#sound"), ("duel", "S", "#signal")])
def test_the_keys_that_a_game_shows_work_under_caps_lock_too(host, screen, game, key, button):
    page = screen(host(), f"/games/{game}/")
    is_pressed = page.get_attribute(button, "aria-pressed")
    page.keyboard.press(key)
    assert page.get_attribute(button, "aria-pressed") != is_pressed
    page.keyboard.press(key.lower())
    assert page.get_attribute(button, "aria-pressed") == is_pressed


def judged(page, jumps):
    """Order, headline and detail for jumps of [player, at, uncertainty]."""
    return page.evaluate(
        """async (jumps) => {
            const { ranks, words } = await import("/games/duel/judge.js");
            const all = jumps.map(([player, at, uncertainty]) => ({ player, at, uncertainty }));
            const order = ranks(all);
            return [order, ...Object.values(words(order, all))];
        }""", jumps)


def test_a_duel_is_won_only_where_the_times_cannot_overlap(host, screen):
    page = screen(host(), "/games/duel/")
    assert judged(page, [[1, 100, 4], [2, 134, 4]]) == [[[1], [2]], "P1 by 34 ms ± 8", "before P2."]
    assert judged(page, [[2, 100, 20], [1, 134, 20]]) == [
        [[1, 2]], "Too close to call", "P1 and P2: 34 ms apart, known to ± 40. A tie."]
    # Nobody surely precedes P2, whose own time is vague: a place among the first for P2, but no other for P3.
    assert judged(page, [[1, 100, 2], [2, 120, 30], [3, 140, 2]])[0] == [[1, 2], [3]]
    assert judged(page, [[1, 100, None], [2, 900, 5]]) == [
        [[2]], "P2", "Nobody else jumped. Nothing is known of the clock of P1."]


def test_a_duel_counts_from_when_somebody_moved_as_the_rooms_contests_do(host, screen):
    page = screen(host(), "/games/duel/")
    moments = lambda *events: page.evaluate(
        """async (events) => {
            const { jumpOf } = await import("/games/duel/judge.js");
            return events.map((event) => jumpOf({ player: 1, at: 1000, uncertainty: 4, ...event }).at);
        }""", [{"gesture": gesture, **more} for gesture, more in events])
    flew = lambda seconds: {"measures": {"flightTime": seconds}}
    began = lambda seconds: {"measures": {"sinceStart": seconds}}
    assert moments(("jump", flew(0.17)), ("free-fall", flew(0.0625)), ("tap", began(0.0625)), ("jump", {"source": "button"})) \
        == [830, 937.5, 937.5, 1000]
    assert moments(("jump", flew(9)), ("free-fall", flew(9)), ("tap", began(9))) == [750, 750, 890], "and no more than may be"
    assert moments(("swing", began(0.2)), ("rhythm", began(0.2)), ("jump", flew(-1))) == [1000] * 3


def test_who_left_the_ground_before_the_signal_was_too_early_though_it_was_told_after(host, screen, natives):
    room = host()
    page = screen(room, "/games/duel/", script=SOCKETS)
    for name in ("Blue Otter", "Green Heron"):
        natives(room, name, recording(room.folder, 60, lambda t: push(t, [])))
    page.wait_for_selector('#rows [data-player="2"]')
    page.evaluate("""async () => {
        const { join } = await import("/roomful.js");
        const [socket] = sockets;
        const clock = join({ types: [] });
        while (clock.status !== "live") await new Promise((go) => setTimeout(go, 10));
        await new Promise((go) => new MutationObserver(() => { if (document.body.dataset.phase === "go") go(); })
            .observe(document.body, { attributeFilter: ["data-phase"] }));
        const event = { type: "gesture", gesture: "jump", phase: "began", at: clock.now() + 100, uncertainty: 4 };
        for (const more of [{ player: 1, measures: { flightTime: 0.2 } }, { player: 2, source: "button" }]) {
            socket.onmessage({ data: JSON.stringify({ ...event, ...more }) });
        }
    }""")
    page.wait_for_selector('#rows [data-player="1"][data-note="too early"]')
    page.wait_for_selector('#rows [data-player="2"][data-rank="1"]')


@pytest.fixture
def duellists(host, screen, together):
    """A room's duel and two controllers that are fed by one clock: `(page, two)`."""

    def start(*arguments):
        room = host("--play", "duel", *arguments)
        page = screen(room, "/game/?signal=none&gesture=keepcalm-jump")
        two = together(room, "Blue Otter", "Green Heron")
        page.wait_for_selector('#rows [data-player="2"]')
        page.wait_for_selector("body[data-phase=open]")
        # A clock that was measured just now only: its uncertainty is the narrowest once all probes are answered.
        wait_until(lambda: all(peer["clock"]["state"] == "locked" for peer in room.peers()), what="both clocks locked")
        return page, two

    return start


def verdict_on(page, by="page"):
    """The round's, as soon as it is that of the page, or that of the room, which may come a moment after."""
    page.wait_for_function(
        "by => JSON.parse(document.getElementById('stage').dataset.verdict ?? '{}').by === by", arg=by)
    return json.loads(page.get_attribute("#stage", "data-verdict")), page.inner_text("#headline")


def fought(page, two, *delays, by="page"):
    """The verdict on a round in which the page heard of both jumps. It hears for a second from the first on: where a
    machine that stood still brings the other later, the round is fought again."""
    for again in range(5):
        page.wait_for_selector("body[data-phase=open]")
        page.evaluate("delete document.getElementById('stage').dataset.verdict")
        # The buzz of who won the last round must be over: what a controller feels of itself is no motion.
        two.jump(*delays, start=time.monotonic() + (2 if again else 0.2))
        verdict, headline = verdict_on(page, by)
        if sorted(sum(verdict["order"], [])) == [1, 2]:
            return verdict, headline
        page.keyboard.press(" ")
    raise AssertionError(f"of five rounds none heard both; the last: {verdict}, {headline}")


def test_two_who_jump_at_once_tie_and_one_who_jumps_later_loses(duellists, screenshots):
    """10 samples a second leave ± 50 ms and more on each side: what is fed at one moment is too close to call."""
    page, two = duellists()
    verdict, headline = fought(page, two, 0, 0)
    assert (verdict, headline) == ({"order": [[1, 2]], "by": "page"}, "Too close to call")
    page.screenshot(path=screenshots / "duel-tie.png")
    page.keyboard.press(" ")
    verdict, headline = fought(page, two, 0.4, 0)
    assert verdict == {"order": [[2], [1]], "by": "page"}
    assert re.fullmatch(r"P2 by \d+ ms ± \d+", headline)
    assert 200 < int(headline.split()[2]) < 600
    assert page.inner_text('[data-player="2"] .wins') == "1"


def test_where_the_room_judges_its_verdict_counts(duellists):
    """`host --contest` knows whom it had to wait for; who came after its window is ranked behind."""
    page, two = duellists("--contest", "keepcalm-jump", "--contest-pause", "0s", "--tie", "replay")
    verdict, headline = fought(page, two, 0, 0, by="room")
    assert (verdict, headline) == ({"order": [[1, 2]], "by": "room"}, "Too close to call")
    assert "Once more!" in page.inner_text("#detail")
    page.keyboard.press(" ")
    verdict, headline = fought(page, two, 0, 0.4, by="room")
    assert verdict == {"order": [[1], [2]], "by": "room"}


def test_a_game_goes_on_when_its_host_is_started_again(host, browser, natives):
    """The new host has a new clock; the players find their seats, and fall asleep when they should."""
    room = host()
    page = browser.new_page()  # It is right to complain of a host that is gone.
    page.goto(room.game_link("/games/keepcalm/?pace=8"))
    natives(room, "Blue Otter", recording(room.folder, 60, lambda t: push(t, [])))
    page.wait_for_selector('#players [data-number="1"]')
    page.keyboard.press(" ")
    page.wait_for_selector("body[data-phase=play]")
    room.kill()
    page.wait_for_selector("#trouble >> text=does not answer")
    room.start()
    page.wait_for_selector("#trouble", state="hidden")
    page.wait_for_selector("body[data-phase=over]")
    page.close()


@pytest.mark.parametrize("game", ["cube", "duel", "keepcalm"])
def test_a_game_that_is_opened_without_its_token_says_so(host, browser, game):
    page = browser.new_page()  # It is right to complain.
    page.goto(f"{host().local}/games/{game}/")
    page.wait_for_selector("#trouble >> text=The token is missing or wrong")
    page.wait_for_timeout(300)
    assert page.is_visible("#trouble"), "and goes on saying so"
    page.close()


@pytest.mark.parametrize("path, phases", [
    ("/games/duel/", ["ready", "go"]), ("/games/keepcalm/?pace=0.5", ["play"]),
])
def test_a_game_goes_on_after_the_hosts_machine_slept_and_its_own_did_not(host, browser, natives, path, phases):
    """What the page awaits was set by a clock that ran ahead; the room's has gone back."""
    room = host()
    page = browser.new_page()
    page.add_init_script(SOCKETS + SLEEP + """
        window.hellos = 0;
        window.WebSocket = class extends WebSocket {
            constructor(...values) {
                super(...values);
                this.addEventListener("message", ({ data }) => { hellos += JSON.parse(data).type === "hello" ? 1 : 0; });
            }
        };
    """)
    page.goto(room.game_link(path))
    natives(room, "Blue Otter", recording(room.folder, 60, lambda t: push(t, [])))
    page.wait_for_selector('[data-player="1"], [data-number="1"]')
    page.evaluate("slept = 600_000")
    page.wait_for_timeout(500)  # It looks, by the clock that is ahead.
    page.keyboard.press(" ")    # Which begins KeepCalm: its countdown takes 6 s here.
    page.evaluate("sockets.forEach((socket) => socket.close())")
    wait_until(lambda: page.evaluate("hellos") == 2, what="a second greeting")
    for phase in phases:
        page.wait_for_selector(f"body[data-phase={phase}]")
    page.close()


def test_a_phone_in_a_browser_plays_by_a_button_as_by_a_jump(host, screen, phones):
    """Its jump begins KeepCalm and is felt in the hand; and it wins a duel that nobody else fights."""
    room = host("--play", "keepcalm")
    page = screen(room, "/game/?pace=4")
    phone = phones(room.phone_url())
    phone.page.wait_for_selector("#game:has-text('Game: KeepCalm')")
    assert "look up" in phone.page.inner_text("#welcome") and "Living Room" in phone.page.inner_text("#welcome")
    phone.start()
    page.wait_for_selector('#players [data-number="1"]')
    phone.page.click("#buttons summary")
    phone.play("jump", lambda: page.get_attribute("body", "data-phase") == "play")
    assert room.wait_event(type="haptic", player=1)["outcome"] in ("played", "refused")
    page = screen(room, "/games/duel/?signal=none")
    page.wait_for_selector("body[data-phase=open]")
    phone.play("jump", lambda: page.get_attribute("#stage", "data-verdict"))
    verdict, headline = verdict_on(page)
    assert (verdict["order"], headline) == ([[1]], "P1")


def test_jumps_that_were_made_while_the_screen_was_cut_off_begin_no_game_when_it_is_back(host, browser, phones):
    """Whoever made them plays nothing by now, and may have gone."""
    room = host()
    context = browser.new_context()
    context.add_init_script(SOCKETS)
    page = context.new_page()
    page.goto(room.game_link("/games/keepcalm/"))
    phone = phones(room.phone_url()).start()
    page.wait_for_selector('#players [data-number="1"]')
    page.evaluate("isCut = true; sockets.forEach((socket) => socket.close())")
    phone.page.click("#buttons summary")
    phone.play("jump", lambda: room.gesture("jump"))
    phone.page.wait_for_timeout(3_000)
    page.evaluate("isCut = false")
    page.wait_for_selector("#trouble", state="hidden")
    page.wait_for_timeout(500)
    assert page.get_attribute("body", "data-phase") == "lobby"
    assert page.locator('#players [data-ready="true"]').count() == 0
    phone.play("jump", lambda: page.get_attribute("body", "data-phase") == "countdown")
    context.close()


def test_the_big_screen_shows_the_code_that_lets_a_phone_in_where_it_may(host, screen, screenshots):
    """With the operator's token; else it says where the code is to be seen. An independent reader reads it."""
    room = host("--play", "keepcalm")
    token = "#t=" + room.operator_url().partition("#t=")[2]
    for path in ("/games/", "/game/", "/games/cube/", "/games/duel/"):
        page = screen(room, path + token)
        page.wait_for_selector("roomful-join[data-code=shown]")
        code = page.locator("roomful-join .qr").first
        assert code.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
        read = subprocess.run(["zbarimg", "-q", "--raw", "-"], input=code.screenshot(), capture_output=True).stdout
        assert read.decode().strip() == room.operate(task="ticket")["url"], path
        assert room.typed_code() in page.locator("roomful-join .typed").first.inner_text()
        page.screenshot(path=screenshots / f"code-{path.strip('/').replace('/', '-')}.png")
    page = screen(room, "/game/")
    page.wait_for_selector("roomful-join[data-code]")
    assert "phone" in page.inner_text("#prompt")


def test_every_game_is_on_the_list_and_the_token_goes_along(host, browser):
    """From another machine the list is opened once by its whole link; the games behind it need no token in theirs."""
    room = host()
    context = browser.new_context(ignore_https_errors=True, viewport=SCREEN)
    page = context.new_page()
    page.goto(f"{room.base}/games/#t={room.game_token}")
    page.wait_for_selector("h1 >> text=Living Room")
    assert "#" not in page.url
    for name in ("KeepCalm", "Cube", "Duel"):
        page.click(f"main a:has(h2:text-is('{name}'))")
        page.wait_for_selector(f"h1 >> text={name}")
        page.wait_for_timeout(300)
        assert page.is_hidden("#trouble")
        page.go_back()
        page.wait_for_selector("h1 >> text=Living Room")
    context.close()
