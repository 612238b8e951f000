"""The games with 1, 4 and 21 players in the room, and the pictures of it."""

import pytest
from hosted_room import wait_until
from native import Native, lively

NAMES = (
    "Blue Otter,Green Heron,Red Panda,Amber Fox,Violet Wren,Teal Seal,Pink Finch,Grey Wolf,Lime Gecko,Gold Lynx,"
    "Indigo Hare,Coral Crab,Olive Owl,Cyan Tern,Plum Bear,Rust Robin,Mint Mole,Navy Newt,Sand Swan,Jade Jay,Ruby Ram").split(",")


@pytest.fixture(scope="module")
def crowd():
    """A room of 21 that fills as it is asked to: `crowd(4)`."""
    from hosted_room import HostedRoom

    room, natives = HostedRoom(seats=21).start(), []

    def fill(count):
        for place in range(len(natives), count):
            natives.append(Native(room, NAMES[place], lively(room.folder, place)))
        joined = lambda: sum(event["type"] == "player" and event["state"] == "joined" for event in room.events)
        wait_until(lambda: joined() == count, 30, f"{count} players")
        return room

    yield fill
    for native in natives:
        native.process.terminate()
    for native in natives:
        native.close()
    room.close()


@pytest.mark.parametrize("count", [1, 4, 21])
def test_every_game_shows_all_who_play(crowd, screen, screenshots, count):
    room = crowd(count)
    page = screen(room, "/games/keepcalm/?seed=7&pace=4")
    page.wait_for_selector(f'#players [data-number="{count}"]', state="attached")
    page.keyboard.press(" ")  # Where all have jumped already, it has begun by itself.
    page.wait_for_selector("body[data-phase=play]")
    page.wait_for_timeout(2200)
    page.screenshot(path=screenshots / f"keepcalm-{count}.png")
    page.keyboard.press("Escape")
    page.wait_for_selector("body[data-phase=over]")
    assert page.locator("#results li").count() == count
    page.screenshot(path=screenshots / f"keepcalm-{count}-over.png")
    page.close()

    page = screen(room, "/games/cube/")
    page.wait_for_selector(f'[data-player="{count}"][data-fresh="true"]')
    assert page.locator(".cube").count() == count
    page.screenshot(path=screenshots / f"cube-{count}.png")
    page.close()

    page = screen(room, "/games/duel/?signal=none&gesture=keepcalm-jump")
    page.wait_for_selector("body[data-phase=result]", timeout=15_000)
    assert page.locator("#rows li").count() == count
    page.screenshot(path=screenshots / f"duel-{count}.png")
