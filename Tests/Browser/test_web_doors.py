"""Who may come in by the web's doors: tokens, origins, hosts and proxies."""

import json
import urllib.request

import pytest
from hosted_room import PATIENCE
from web_client import TRUSTING, Pad, answer, ask
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

# Tokens


def test_any_user_of_this_machine_and_any_proxy_on_it_needs_the_games_token(room):
    commands, status = room.local + "/api/commands", {"task": "status"}
    game = {"Authorization": "Bearer " + room.game_token}
    assert ask(commands, status)[0] == 401 and ask(room.local + "/api/events")[0] == 401
    with connect(room.local.replace("http", "ws") + "/api/events") as socket_:
        socket_.send("{}")
        assert json.loads(socket_.recv(PATIENCE))["error"]["code"] == "wrongToken"
    assert ask(commands, status, **game)[0] == 200
    assert ask(commands, status, Host="games.local", **game)[0] == 421, "a proxy that rewrites nothing"
    links = room.json("open", "--print")
    assert links["game"] == room.game_link() and "gamePage" not in links


def test_where_a_game_is_played_open_prints_its_page_as_host_does_and_says_the_rooms_own_place_to_programs(host):
    room = host("--play", "cube")
    assert f"for games here:   {room.game_link('/game/')}\n" in room.cli("open", "--print")
    links = room.json("open", "--print")
    assert (links["game"], links["gamePage"]) == (room.game_link(), room.game_link("/game/"))


def test_a_door_that_was_opened_takes_games_without_a_token_and_nothing_that_was_passed_on(host):
    room = host("--open-loopback")
    commands, status = room.local + "/api/commands", {"task": "status"}
    assert ask(commands, status)[0] == 200
    for name in ("Via", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP"):
        assert ask(commands, status, **{name: "192.0.2.1"})[0] == 401, name
    assert ask(commands, {"task": "lock"})[0] == 403, "never the operator's tasks"
    assert room.json("open", "--print")["game"] == room.local + "/"
    with connect(room.local.replace("http", "ws") + "/api/events") as game:
        game.send(json.dumps({"token": ""}))
        assert json.loads(game.recv(PATIENCE))["type"] == "hello"
        game.send(json.dumps({"id": 1, "task": "ticket"}))
        assert answer(game, 1)["error"]["code"] == "notAllowed", "an empty token is no token"


def test_another_machine_needs_the_games_token_and_the_operator_his_own_everywhere(room):
    status = {"task": "status"}
    assert ask(room.base + "/api/commands", status)[0] == 401
    assert ask(room.base + "/api/commands", status, Authorization="Bearer wrong")[0] == 401
    game = {"Authorization": "Bearer " + room.game_token}
    operates = {"Authorization": "Bearer " + room.token("operator")}
    assert ask(room.base + "/api/commands", status, **game)[0] == 200
    for base in (room.base, room.local):
        assert ask(base + "/api/commands", {"task": "lock"}, **game)[0] == 403
        # Whoever shows the game's token may show the room's QR code; who may come in stays the operator's.
        assert ask(base + "/api/commands", {"task": "ticket"}, **game)[0] == 200
        assert ask(base + "/api/commands", {"task": "pages"}, **game)[0] == 403
        assert ask(base + "/api/commands", {"task": "lock"}, **operates)[0] == 200
    assert ask(room.local + "/api/commands", {"task": "lock"})[0] == 401


def test_tokens_stay_the_same_over_a_restart(room):
    before = (room.game_token, room.token("operator"))
    room.kill()
    room.start()
    assert before == (room.game_token, room.token("operator"))
    assert ask(room.base + "/api/commands", {"task": "lock"}, Authorization="Bearer " + before[1])[0] == 200


def test_a_streams_id_is_good_once(room):
    game = {"Authorization": "Bearer " + room.game_token}
    assert ask(room.base + "/api/events", {})[0] == 401
    _, _, answer = ask(room.base + "/api/events", {"after": 0}, **game)
    url = room.base + "/api/events?stream=" + answer["stream"]
    with urllib.request.urlopen(url, timeout=PATIENCE, context=TRUSTING) as stream:
        assert stream.status == 200
    assert ask(url)[0] == 410
    assert ask(room.base + "/api/events")[0] == 401, "without an id it needs a token"


def test_a_websocket_with_a_wrong_token_is_told_and_closed(room):
    with connect(room.base.replace("http", "ws") + "/api/events", ssl=TRUSTING) as socket:
        socket.send(json.dumps({"token": "wrong"}))
        assert json.loads(socket.recv(PATIENCE))["error"]["code"] == "wrongToken"
        with pytest.raises(ConnectionClosed):
            socket.recv(PATIENCE)


# Origins and hosts


@pytest.mark.parametrize("path", ["/api/controller", "/api/events"])
def test_a_page_of_another_origin_gets_no_websocket(room, path):
    with pytest.raises(InvalidStatus):
        connect(room.base.replace("http", "ws") + path, origin="https://evil.example", ssl=TRUSTING)


def test_a_program_without_an_origin_is_no_phone(room):
    with pytest.raises(InvalidStatus):
        connect(room.base.replace("http", "ws") + "/api/controller", ssl=TRUSTING)


def test_a_name_that_is_not_this_machines_is_turned_away(room):
    for base in (room.base, room.local):
        assert ask(base + "/", Host="evil.example")[0] == 421
        assert ask(base + "/api/commands", {"task": "status"}, Host="evil.example:80")[0] == 421


def test_a_wrong_code_is_refused_and_says_so(room):
    pad = Pad(room, code="00000000")
    assert pad.seat["type"] == "refused" and pad.seat["reason"] == "wrongCode"


# Reverse proxy, by hand: the loopback door takes a proxy's phones


def test_a_proxy_that_ends_the_tls_brings_phones_to_the_loopback_door_by_the_origin_of_url(host):
    room = host("--url", "https://play.example.org")
    base = room.local.replace("http", "ws") + "/api/controller"
    with pytest.raises(InvalidStatus):
        connect(base, origin="https://other.example.org", additional_headers={})
    with connect(base, origin="https://play.example.org") as phone:
        assert json.loads(phone.recv(PATIENCE))["type"] == "hello"
