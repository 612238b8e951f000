"""Rooms in a site: a real NATS server, and nats-py as the client of somebody else."""
import asyncio
import importlib.util
import json
import os
import signal
import socket
import subprocess

import jsonschema
import pytest
from rooms import ROOT, desktop
from site_broker import NoAnswer, Witness
from site_rooms import caught_up, connected, whole
from waiting import PATIENCE, until

CHECKER = importlib.util.spec_from_file_location("checker", ROOT / "Scripts/check-events-schema.py")
checker = importlib.util.module_from_spec(CHECKER)
CHECKER.loader.exec_module(checker)
SCHEMA = jsonschema.Draft202012Validator(json.loads((ROOT / "Documentation/events.schema.json").read_text()))


def test_a_reader_reads_what_is_documented_and_goes_on_by_number(site, host, plays):
    room = host("Hall", *site.host)
    connected(room)
    plays("Hall")
    reader = Witness(site, "reader", "arcade")
    first = reader.read(until=lambda records: any(record["event"]["type"] == "gesture" for _, record in records))
    # It is another program, hours later: it knows one number.
    room.happen(40)
    caught_up(room)
    second = reader.read(first=first[-1][0] + 1)
    numbers = [number for number, _ in first + second]
    assert numbers == list(range(1, len(numbers) + 1)), "each record once, in order"
    events, gaps = whole(first + second)
    assert gaps == [] and sorted(events) == list(range(len(events)))
    for _, record in first + second:
        assert {"v", "room", "name", "host", "opened", "n", "event"} == set(record)
        assert (record["v"], record["name"], record["host"]) == (1, "Hall", socket.gethostname())
        assert list(checker.complaints(SCHEMA, record["event"], None)) == []
    told = room.told()
    assert {number: events[number] for number in told if number in events} == {n: e for n, e in told.items() if n in events}
    assert len(events) >= 41


def test_each_role_may_what_it_must_and_no_more(site, host, plays):
    room = host("Hall", *site.host)
    connected(room)
    plays("Hall")
    identity = room.ask({"task": "status"})[0]["status"]["room"]
    before = len(Witness(site, "reader", "arcade").read())

    def tries(role, *attempts, refused=0):
        witness = Witness(site, role, "arcade")

        async def work(client):
            answers = []
            for attempt in attempts:
                answers.append(await attempt(client))
                await client.flush()
            # The client tells of errors in a task of its own.
            deadline = asyncio.get_running_loop().time() + PATIENCE
            while len(witness.errors) < refused and asyncio.get_running_loop().time() < deadline:
                await asyncio.sleep(0.02)
            return answers

        return witness.run(work), [error.lower() for error in witness.errors]

    async def publish(client):
        await client.publish(f"rf.arcade.{identity}.events", b'{"n":1}')

    async def ask(client, task="lock", patience=2):
        try:
            question = json.dumps({"task": task}).encode()
            return json.loads((await client.request(f"rf.arcade.{identity}.ask", question, timeout=patience)).data)
        except NoAnswer:
            return None

    async def listen(client):
        await client.subscribe(f"rf.arcade.{identity}.ask")
        await client.subscribe("_INBOX_operator.>")

    async def delete(client):
        try:
            await client.request("$JS.API.STREAM.DELETE.RF_arcade_EVENTS", b"", timeout=1)
        except NoAnswer:
            return None
        return "deleted"

    for role in ("reader", "game"):
        (_, answer, _, gone), errors = tries(role, publish, ask, listen, delete, refused=4)
        assert answer is None and gone is None
        for subject in (f"{identity}.events", f"{identity}.ask", "_inbox_operator", "stream.delete"):
            assert any("permissions violation" in error and subject in error for error in errors), (role, subject, errors)
    (answer, gone), errors = tries("operator", lambda client: ask(client, patience=PATIENCE), delete)
    assert answer == {} and gone is None, "the operator's command is carried out, the stream is nobody's to delete"
    assert room.ask({"task": "status"})[0]["status"]["isLocked"]
    (answer,), _ = tries("operator", lambda client: ask(client, "nonsense", PATIENCE))
    assert "no command" in answer["error"]["message"]

    async def elsewhere(client):
        await client.publish("rf.museum.x.events", b"{}")
        await client.publish(f"rf.arcade.{identity}.ask", b'{"task":"stop"}')

    _, errors = tries("host", elsewhere, refused=2)
    assert len([error for error in errors if "permissions violation" in error]) == 2, errors
    assert room.process.poll() is None
    # What was tried has left nothing in the stream: the lock is the only event that came.
    caught_up(room)
    events, gaps = whole(Witness(site, "reader", "arcade").read())
    assert gaps == [] and all("type" in event for event in events.values()) and len(events) >= before


def test_a_game_gets_motion_for_as_long_as_it_asks(site, host, plays):
    room = host("Hall", *site.host)
    connected(room)
    plays("Hall")
    identity = room.ask({"task": "status"})[0]["status"]["room"]

    async def work(client):
        motion = await client.subscribe(f"rf.arcade.{identity}.motion.*")
        with pytest.raises(NoAnswer):
            await motion.next_msg(timeout=1)
        await client.publish(f"rf.arcade.{identity}.want", b"")
        return [await motion.next_msg(timeout=PATIENCE) for _ in range(20)]

    messages = Witness(site, "game", "arcade").run(work)
    for message in messages:
        event = json.loads(message.data)
        assert list(checker.complaints(SCHEMA, event, None)) == [] and event["type"] == "motion"
        assert message.subject.endswith(f".motion.{event['player']}")


def test_operators_reach_every_room_from_anywhere(site, host, plays, roomful, folder):
    halls = [host("Hall", *site.host), host("Attic", *site.host)]
    for room in halls:
        connected(room)
    plays("Hall", "Blue")
    plays("Attic", "Red")
    operator = site.flags("operator")

    def listed():
        code, out, err = roomful("site", "--json", *operator)
        assert code == 0, err
        return {each["room"]["name"]: each["room"] for each in json.loads(out)}

    # A room that stands still just while it is listened for is not heard: it is asked for again.
    rooms = {}
    until(lambda: rooms.update(listed()) or [room["playing"] for room in rooms.values()] == [1, 1])
    assert rooms["Hall"]["players"][0]["name"] == "Blue" and rooms["Attic"]["seats"] == 4
    until(lambda: "Attic" in (out := roomful("site", *operator)[1]) and "1/4" in out)

    def here():
        _, out, _ = roomful("peers", "--site", "--json", *operator)
        return {each["name"]: each["peers"][0]["name"] for each in json.loads(out)}

    until(lambda: here() == {"Hall": "Blue", "Attic": "Red"}, here)
    # The rooms' own machines say what became of it.
    assert roomful("kick", "Red", "--site", "--room", "Attic", *operator)[0] == 0
    until(lambda: "nobody is here" in halls[1].status())
    assert "Blue" in halls[0].status()
    assert roomful("lock", "--site", "--room", rooms["Hall"]["room"][:8], *operator)[0] == 0
    until(lambda: listed().get("Hall", {}).get("isLocked"))
    code, _, err = roomful("lock", "--site", *operator)
    assert code == 2 and "Attic" in err and "Hall" in err
    code, _, err = roomful("lock", "--site", "--room", "Cellar", *operator)
    assert code == 1 and '"Hall"' in err
    code, _, err = roomful("kick", "Nobody", "--site", "--room", "Hall", *operator)
    assert code == 1 and "nobody is called" in err
    code, _, err = roomful("record", "start", folder / "never.mcap", "--site", "--room", "Hall", *operator)
    assert code != 0 and "own machine" in err and not (folder / "never.mcap").exists()
    # The broker's no is not waited for as long as an answer might be.
    code, _, err = roomful("invite", "Red", "--timeout", "5min", "--site", "--room", "Hall", *site.flags("reader"))
    assert code == 1 and "may not" in err, err
    # A room that closes says so; one that dies is silent.
    halls[1].process.terminate()
    assert halls[1].process.wait(PATIENCE) is not None
    until(lambda: set(listed()) == {"Hall"}, listed)
    halls[0].process.kill()
    halls[0].process.wait()
    until(lambda: "Hall: silent" in (out := roomful("site", *operator)[1]) and "Attic" not in out)


def test_a_lesson_whose_host_is_killed_can_be_ended_and_ends_where_the_room_opens_anew(site, host, plays, started, folder):
    room = host("Hall", *site.host)
    connected(room)
    for name in ("Blue", "Red"):
        plays("Hall", name)
    until(lambda: all(name in room.status() for name in ("Blue", "Red")))
    lessons = [
        started("teach", "circle", "--times", "16", "--player", name, "--site", "--room", "Hall", *site.flags("operator"))
        for name in ("Blue", "Red")]
    for lesson in lessons:
        assert lesson.stdout.readline().startswith("1 of 16")
    room.process.kill()
    room.process.wait()
    lessons[0].send_signal(signal.SIGINT)
    # The broker may not have noticed yet that the host is gone.
    ended, said = lessons[0].wait(PATIENCE), lessons[0].stdout.read()
    assert (ended == 1 and "answers nobody" in said) or (ended == 3 and "did not answer in time" in said), (ended, said)
    for left in (folder / "Hall.ticket", next(room.state.rglob("*.sock"))):
        left.unlink()
    connected(host("Hall", *site.host))
    assert lessons[1].wait(PATIENCE) == 1 and "the room has closed" in lessons[1].stdout.read()


def test_another_machines_own_address_is_not_opened_on_this_one(site, host, roomful, folder):
    """At 127.0.0.1 of this machine somebody else listens, who would be told the token."""
    for name, more in (("Hall", ()), ("Attic", ("--url", "https://play.example.org"))):
        connected(host(name, *site.host, *more))
    shown = desktop(folder)
    page = lambda name: roomful("open", "--site", "--room", name, *site.flags("operator"), **shown)
    code, out, _ = page("Attic")
    assert code == 0 and "on its machine:   https://localhost:" in out and "for games there:  https://localhost:" in out
    opened = folder / "opened.html"
    until(lambda: opened.exists() and "url=https://play.example.org/operator/#t=" in opened.read_text())
    opened.unlink()
    links = json.loads(roomful("open", "--json", "--site", "--room", "Hall", *site.flags("operator"))[1])["pages"]
    code, _, err = page("Hall")
    if all("//127.0.0.1:" in link or "//localhost:" in link for link in links):
        assert code == 1 and "its own machine alone" in err and not opened.exists()
    else:
        assert code == 0
        until(lambda: opened.exists() and links[1] in opened.read_text())


def test_two_sites_on_one_broker_hear_nothing_of_each_other(brokers, host, roomful):
    broker = brokers()
    rooms = {name: host(name, "--site", broker.url, "--site-name", site) for name, site in (("Hall", "one"), ("Attic", "two"))}
    for room in rooms.values():
        connected(room)
        room.happen(4)
        caught_up(room)
    for site, name in (("one", "Hall"), ("two", "Attic")):
        assert {record["name"] for _, record in Witness(broker, site=site).read()} == {name}
        heard = lambda: json.loads(roomful("site", "--json", "--broker", broker.url, "--site-name", site)[1])
        assert [each["room"]["name"] for each in until(heard)] == [name]


def test_the_documented_example_reads_and_resumes(site, host, folder):
    room = host("Hall", *site.host)
    connected(room)
    room.happen(6)
    caught_up(room)
    user, password = (site.folder / "site/reader.credentials").read_text().strip().split(":")
    example = [os.environ.get("ROOMFUL_PYTHON") or str(ROOT / ".build-venv/bin/python"), str(ROOT / "Examples/python/site_events.py")]

    def run(first, last):
        process = subprocess.Popen(
            [*example, site.url, "arcade"], stdout=subprocess.PIPE, text=True, cwd=folder,
            env=os.environ | {"SITE_USER": user, "SITE_PASSWORD": password})
        try:
            lines = [process.stdout.readline().split() for _ in range(first, last + 1)]
            # It notes the number once it has dealt with the record.
            until(lambda: (folder / "site_events.place").read_text() == str(last))
            return lines
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    lines = run(1, 7)
    room.happen(4)
    lines += run(8, 11)
    assert [int(line[0]) for line in lines] == list(range(1, 12))
    assert lines[0][1:] == ["Hall", "hello"] and lines[1][1:] == ["Hall", "room", "locked"]
