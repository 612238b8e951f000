"""A game's way in, on its big screen: the code that `joinCode` shows, and the lobby, who is ready and the countdown."""

import contextlib

import pytest
from native import Together
from pages import SOCKETS, wait_heard

LOBBY = """<!doctype html><title>Hop</title><script type="module">
    import { join, lobby } from "/roomful.js";
    window.room = join();
    window.began = null;
    window.door = lobby(room, { gesture: "keepcalm-jump", OPTIONS, begin: (players) => { window.began = players; } });
    document.body.append(door);
</script>"""


@pytest.fixture
def lobby(host, screen, tmp_path):
    """A maker's own page with a lobby, seen with nobody first, and controllers fed by one clock who come then."""

    @contextlib.contextmanager
    def opened(*names, options, idle="10s"):
        (tmp_path / "index.html").write_text(LOBBY.replace("OPTIONS", options))
        room = host("--serve", str(tmp_path), "--idle", idle)
        page = screen(room, "/game/#t=" + room.token("operator"))
        page.wait_for_selector("roomful-lobby .prompt:text-is('Nobody is here yet.')")
        page.wait_for_selector("roomful-lobby .qr")
        together = Together(room, names)
        try:
            page.wait_for_selector(f"roomful-lobby li:nth-child({len(names)})")
            yield room, page, together
        finally:
            together.close()

    return opened


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
    for code in ("noAnswer", "tooOften"):
        page.evaluate("(code) => { room.send = async () => { throw Object.assign(new Error(), { code }); }; }", code)
        page.wait_for_timeout(1_000)
        assert page.evaluate("!door.shadowRoot.querySelector('.qr').hidden"), "what was shown stays"


def test_a_lobby_that_was_ended_asks_for_no_code_any_more(room, joined):
    page = joined(room, script=SOCKETS)
    page.evaluate("""async () => {
        const { lobby } = await import("/roomful.js");
        const send = room.send.bind(room);
        window.tickets = 0;
        room.send = (command) => {
            if (command.task === "ticket") tickets += 1;
            return send(command);
        };
        document.body.append(window.door = lobby(room));
    }""")
    wait_heard(page, "tickets > 0")
    page.evaluate("door.end(); tickets = 0; sockets.forEach((socket) => socket.close())")
    wait_heard(page, "heard.filter((event) => event.type === 'hello').length === 2")
    assert page.evaluate("tickets") == 0


def test_its_lobby_says_who_is_ready_counts_down_and_begins_with_them(lobby):
    """In a maker's own page, which brings no styles. Who leaves is not waited for; another round opens it again."""
    with lobby("Blue Otter", "אבי", "Red Panda", options="countdown: 400") as (room, page, together):
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


def test_its_lobby_begins_nothing_with_nobody(lobby):
    """The only one who was ready leaves while it counts down: whoever comes next finds it open."""
    with lobby("Blue Otter", options="countdown: 5_000") as (_, page, together):
        page.clock.install()
        together.jumped(1)
        page.wait_for_function("() => door.dataset.phase === 'countdown'")
        page.evaluate("room.send({ task: 'kick', who: 'P1' }).then(() => null)")
        page.wait_for_selector("roomful-lobby .prompt:text-is('Nobody is here yet.')")
        page.clock.run_for(5_500)
        page.wait_for_timeout(300)  # It looks at the time ten times a second.
        assert page.evaluate("[began, door.hidden]") == [None, False]


def test_its_lobby_begins_nothing_while_who_was_ready_is_lost(lobby):
    """Whose connection broke is still known, and neither counted down for nor waited for."""
    options = "others: 1_000, countdown: 5_000"
    with lobby("Blue Otter", options=options, idle="1500ms") as (_, page, together):
        page.clock.install()
        together.jumped(1)
        page.wait_for_function("() => door.dataset.phase === 'countdown'")
        together.natives[0].process.kill()
        page.wait_for_selector("roomful-lobby .prompt:text-is('Nobody is here yet.')")
        assert page.evaluate("[room.players.get(1).state, door.dataset.phase]") == ["lost", "open"]
        page.clock.run_for(6_500)
        page.wait_for_timeout(300)  # It looks at the time ten times a second.
        assert page.evaluate("[began, door.hidden]") == [None, False]
