"""Who was first, over several rooms: `roomful site contest`, beside a schedule that neither rooms nor referee know."""
import json
import random
import signal
import subprocess
import threading
import time

import jsonschema
import pytest
from conftest import PROGRAM
from rooms import ROOT
from site_broker import Witness
from site_rooms import connected
from waiting import PATIENCE, until

SCHEMA = jsonschema.Draft202012Validator(json.loads((ROOT / "Documentation/site-contest.schema.json").read_text()))
PUSH = (0.0, -9.81, 9.81)
JUDGES = ("--contest", "keepcalm-jump", "--idle", "60s")


class Dancer:
    """A player who rests, and pushes for 60 ms when told: 100 samples a second, each with the time at which it was made."""

    def __init__(self, room, name, folder, environment):
        self.room, self.name, self.pushes, self.pushed, self.isOver = room, name, [], [], False
        self.process = subprocess.Popen(
            [PROGRAM, "join", "--code-file", str(folder / f"{room}.ticket"), "--as", name, "--stdin"],
            stdin=subprocess.PIPE, text=True, env=environment | {"ROOMFUL_STATE": str(folder / name)},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.thread = threading.Thread(target=self.dance)
        self.thread.start()

    def dance(self):
        begun, until = time.monotonic(), 0.0
        try:
            while not self.isOver:
                now = time.monotonic()
                if self.pushes and now >= self.pushes[0]:
                    self.pushes.pop(0)
                    self.pushed.append(now)
                    until = now + 0.06
                # A hand is never still.
                force = PUSH if now < until else (random.gauss(0, 0.05), random.gauss(0, 0.05), 9.81 + random.gauss(0, 0.05))
                self.process.stdin.write(json.dumps({"t": now - begun, "acceleration": force, "rotationRate": (0, 0, 0)}) + "\n")
                self.process.stdin.flush()
                time.sleep(0.01)
        except (BrokenPipeError, ValueError):
            pass

    def end(self):
        self.isOver = True
        self.process.kill()
        self.process.wait()
        self.thread.join()


@pytest.fixture
def dances(folder, environment):
    dancers = []

    def join(room, name):
        dancers.append(Dancer(room, name, folder, environment))
        return dancers[-1]

    yield join
    for dancer in dancers:
        dancer.end()


class Referee:
    """`roomful site contest`, and what it has said."""

    def __init__(self, process):
        self.process, self.verdicts, self.words = process, [], []
        for stream, take in ((process.stdout, lambda line: self.verdicts.append(json.loads(line))), (process.stderr, self.words.append)):
            threading.Thread(target=self.read, args=(stream, take), daemon=True).start()

    def read(self, stream, take):
        try:
            for line in stream:
                take(line)
        except ValueError:
            assert stream.closed, line  # When the test ends.

    def says(self, words):
        return until(lambda: any(words in line for line in self.words))

    def gives(self, count):
        until(lambda: len(self.verdicts) >= count, lambda: (len(self.verdicts), self.words))
        return self.verdicts[count - 1]


@pytest.fixture
def judges(site, environment):
    running = []

    def begin(*arguments, role="operator"):
        process = subprocess.Popen(
            [PROGRAM, "site", "contest", *map(str, arguments), *map(str, site.flags(role)), "--json"], text=True, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        running.append(process)
        return Referee(process)

    yield begin
    for process in running:
        process.kill()
        process.wait()


def takes_part(referee, *rooms):
    """Each of these rooms has a clock that is measured, and so many players."""

    def are_ready():
        newest = next((line for line in reversed(referee.words) if "keepcalm-jump in" in line), "")
        return all(f'"{name}"' in newest and f"({count} player" in newest.split(f'"{name}"')[1].split('" on')[0].split(")")[0] + ")" for name, count in rooms) and "not measured" not in newest

    until(are_ready, lambda: referee.words)


def rank(record):
    return [[(who["name"], who["called"]) for who in tied] for tied in record["event"]["order"]]


def test_who_moves_first_in_any_of_the_rooms_is_first(site, host, dances, judges):
    """Three rooms whose clocks began seconds apart; the schedule of the pushes is the truth."""
    dancers = []
    for name, players in (("Hall", ("Ann", "Ben")), ("Loft", ("Cleo",)), ("Yard", ("Dan", "Eve"))):
        connected(host(name, *site.host, *JUDGES))
        dancers += [dances(name, player) for player in players]
    referee = judges("keepcalm-jump", "--window", "400ms")
    takes_part(referee, ("Hall", 2), ("Loft", 1), ("Yard", 2))
    dice = random.Random(26)
    time.sleep(1)
    for number in range(1, 6):
        before = {dancer: len(dancer.pushed) for dancer in dancers}
        dice.shuffle(dancers)
        begin = time.monotonic() + 0.3
        for place, dancer in enumerate(dancers):
            dancer.pushes.append(begin + 0.07 * place)
        record = referee.gives(number)
        until(lambda: all(len(dancer.pushed) > before[dancer] for dancer in dancers))
        assert list(SCHEMA.iter_errors(record)) == []
        assert record["n"] == number and record["event"]["decidedBy"] == "watermark"
        names = {who["called"]: who for tied in record["event"]["order"] for who in tied}
        assert set(names) == {dancer.name for dancer in dancers}
        # As long after the first as the schedule says, within what the verdict says that it knows.
        told = {(known["room"], known["player"]): known for known in record["event"]["evidence"]}
        known = {name: told[who["room"], who["player"]] for name, who in names.items()}
        first = min(dancers, key=lambda dancer: dancer.pushed[-1])
        for dancer in dancers:
            truth = (dancer.pushed[-1] - first.pushed[-1]) * 1_000
            seen = known[dancer.name]["at"] - known[first.name]["at"]
            reach = known[dancer.name]["uncertainty"] + known[first.name]["uncertainty"]
            assert abs(seen - truth) <= reach, (dancer.name, seen, truth, reach)
            assert known[dancer.name]["uncertainty"] < 100, "not by being unsure of everything"
        # Who was so much earlier that the uncertainties cannot hide it, ranks before.
        ranks = {name: place for place, tied in enumerate(rank(record)) for _, name in tied}
        assert ranks[first.name] == 0
        last = max(dancers, key=lambda dancer: dancer.pushed[-1])
        assert ranks[last.name] > 0
        assert record["event"]["winners"] == record["event"]["order"][0]
        time.sleep(1.2)
    # Anybody who may read the site's stream finds the same words there.
    kept = [record for _, record in Witness(site, "reader", "arcade").read() if record["room"] == "contests"]
    assert kept == referee.verdicts


def test_a_room_that_stops_is_not_waited_for_and_one_that_returns_takes_part(site, host, dances, judges):
    hall, loft = (host(name, *site.host, *JUDGES) for name in ("Hall", "Loft"))
    for room in (hall, loft):
        connected(room)
    ann, cleo = dances("Hall", "Ann"), dances("Loft", "Cleo")
    referee = judges("keepcalm-jump")
    takes_part(referee, ("Hall", 1), ("Loft", 1))
    time.sleep(1)
    loft.process.send_signal(signal.SIGSTOP)
    time.sleep(1.5)
    ann.pushes.append(time.monotonic())
    record = referee.gives(1)
    assert rank(record) == [[("Hall", "Ann")]]
    assert {known["reason"] for known in record["event"]["evidence"]} == {"placed", "lost"}
    loft.process.send_signal(signal.SIGCONT)
    time.sleep(3)
    # Its own clock stood still for nobody: it is measured anew, and counts.
    begin = time.monotonic() + 0.2
    cleo.pushes.append(begin)
    ann.pushes.append(begin + 0.08)
    record = referee.gives(2)
    assert rank(record)[0] == [("Loft", "Cleo")], record


def test_the_broker_goes_and_comes_and_numbers_go_on(site, host, dances, judges):
    connected(host("Hall", *site.host, *JUDGES))
    ann = dances("Hall", "Ann")
    referee = judges("keepcalm-jump", "--rounds", "2")
    takes_part(referee, ("Hall", 1))
    time.sleep(1)
    ann.pushes.append(time.monotonic())
    referee.gives(1)
    site.end()
    assert referee.says("trying again")
    site.start()
    until(lambda: sum("keepcalm-jump in" in line and "±" in line for line in referee.words) > 1, lambda: referee.words)
    time.sleep(1)
    ann.pushes.append(time.monotonic())
    assert referee.gives(2)["n"] == 2
    assert referee.process.wait(PATIENCE) == 0, "after so many rounds it ends"


def test_a_verdict_that_the_broker_does_not_take_is_printed_and_said(site, folder, host, dances, judges):
    """A site set up before there were contests: its operators may not put verdicts into the stream."""
    configuration = folder / "broker/site/nats-server.conf"
    former = configuration.read_text().replace(', "rf.arcade.contests.events"', "")
    assert former != configuration.read_text()
    site.end()
    configuration.write_text(former)
    site.start()
    connected(host("Hall", *site.host, *JUDGES))
    ann = dances("Hall", "Ann")
    referee = judges("keepcalm-jump", "--rounds", "1")
    takes_part(referee, ("Hall", 1))
    time.sleep(1)
    ann.pushes.append(time.monotonic())
    assert rank(referee.gives(1)) == [[("Hall", "Ann")]]
    assert referee.says("the verdict is not in the site's stream: this user may not do that"), referee.words


@pytest.mark.parametrize(("arguments", "role", "words"), [
    (("keepcalm-jump", "--room", "Attic"), "operator", 'no room "Attic" is heard'),
    (("somersault",), "operator", '"Hall" does not watch for somersault, but for: '),
    (("keepcalm-jump",), "reader", "this user may not do that"),
])
def test_what_cannot_be_judged_is_said_in_a_sentence(site, host, judges, arguments, role, words):
    connected(host("Hall", *site.host, *JUDGES))
    referee = judges(*arguments, role=role)
    assert referee.says(words), referee.words
    assert referee.process.poll() is None, "it waits: that may change"


@pytest.mark.parametrize(("arguments", "words"), [
    (("jump", "--cap", "0s"), "contest cap is"),
    (("jump", "--window", "soon"), "--window takes a time"),
    (("",), "name a gesture"),
    (("jump", "--rounds", "0"), "--rounds takes a number"),
])
def test_bad_rules_end_the_command(roomful, arguments, words):
    code, _, err = roomful("site", "contest", *arguments)
    assert code != 0 and words in err
