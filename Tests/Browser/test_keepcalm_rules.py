"""KeepCalm's rules, each for itself: times are moved by hand, as rules.js has no clock. Times in ms of the game."""

import pytest

# What all of them begin with: `runner` of a seed whose item of number 0 is of the wanted kind, which is at it at 4500.
PREPARE = """
    const { Game, Runner, itemKind, items, rules } = await import("/games/keepcalm/rules.js");
    const seedWith = (...kinds) => {
        for (let seed = 0; ; seed++) if (kinds.every((kind, number) => itemKind(seed, number) === kind)) return seed;
    };
    const runnerWith = (...kinds) => new Runner(seedWith(...kinds));
    const seen = ({ coins, jumps }) => ({ coins, jumps });
"""


@pytest.fixture(scope="module")
def rule(browser):
    """Runs a script in the page that has the rules."""
    from game_screen import GameScreens
    from hosted_room import HostedRoom

    room, screens = HostedRoom().start(), GameScreens(browser)
    page = screens.open(room, "/games/keepcalm/")
    yield lambda script: page.evaluate(f"async () => {{ {PREPARE} {script} }}")
    screens.close()
    room.close()


def test_of_a_hundred_items_eighty_are_bananas_ten_blueberries_seven_cherries_and_three_poo(rule):
    counts = rule("""
        const counts = { banana: 0, blueberry: 0, cherry: 0, poo: 0 };
        for (let place = 0; place < 100_000; place++) counts[itemKind(place % 200, Math.floor(place / 200))]++;
        return counts;""")
    for kind, share in {"banana": 80, "blueberry": 10, "cherry": 7, "poo": 3}.items():
        assert counts[kind] / 1000 == pytest.approx(share, abs=0.4)


@pytest.mark.parametrize("kind, coins, jumps", [
    ("banana", 1, 29), ("blueberry", 0, 30), ("cherry", 0, 29), ("poo", -10, 24)])
def test_what_is_taken_in_the_air_counts_and_the_jump_costs_one(rule, kind, coins, jumps):
    assert rule(f"""
        const runner = runnerWith("{kind}");
        runner.jump(4400); runner.step(5000);
        return seen(runner);""") == {"coins": coins, "jumps": jumps}


def test_who_stays_on_the_ground_takes_nothing(rule):
    assert rule("""
        const runner = runnerWith("poo");
        runner.step(7000);
        return seen(runner);""") == {"coins": 0, "jumps": 30}


def test_a_jump_lasts_400_ms_and_another_one_meanwhile_is_none(rule):
    assert rule("""
        const runner = new Runner(1), heights = [];
        for (const time of [1000, 1100, 1399, 1400]) runner.jump(time);
        for (const time of [999, 1000, 1200, 1399, 1799, 1801]) {
            runner.step(time);
            heights.push(runner.height > 0 ? 1 : 0);
        }
        return [heights, runner.jumps];""") == [[0, 0, 1, 1, 1, 0], 28]


@pytest.mark.parametrize("jump, coins", [(3940, 0), (3960, 1), (4500, 1), (4640, 1), (4660, 0)])
def test_an_item_can_be_taken_from_150_ms_before_until_150_ms_after_it_is_at_the_runner(rule, jump, coins):
    assert rule(f"""
        const runner = runnerWith("banana");
        runner.jump({jump}); runner.step(6000);
        return runner.coins;""") == coins


def test_a_cherry_lets_what_is_in_sight_come_half_as_fast_again_for_10_s(rule):
    """Taken 150 ms before it is at the runner: what is then 3150 ms away comes after 2100 ms."""
    assert rule("""
        const runner = runnerWith("cherry", "banana");
        runner.jump(4300); runner.step(4350);
        const speeds = [runner.speed, runner.fastUntil];
        runner.jump(6300); runner.step(14349);
        speeds.push(runner.coins, runner.speed);
        runner.step(14351);
        return [...speeds, runner.speed];""") == [1.5, 14350, 1, 1.5, 1]


def test_at_0_jumps_it_is_over_on_landing_and_the_last_jump_may_still_take_something(rule):
    assert rule("""
        const last = runnerWith("banana"), saved = runnerWith("blueberry");
        return [last, saved].map((runner) => {
            runner.jumps = 1;
            runner.step(4400); runner.jump(4400); runner.step(4799);
            const inAir = [runner.jumps, runner.isOver];
            runner.step(4800);
            return [...inAir, runner.coins, runner.isOver];
        });""") == [[0, False, 1, True], [1, False, 0, False]]


def test_who_does_not_jump_for_60_s_is_asleep(rule):
    assert rule("""
        const runner = new Runner(1);
        runner.jump(1000); runner.step(60_999);
        const before = runner.isOver;
        runner.step(61_000);
        return [before, runner.isOver, runner.isAsleep];""") == [False, True, True]


def test_a_jump_counts_when_it_happened_though_the_news_of_it_comes_late(rule):
    """The same game whether its jumps are told in time or up to 2 s later; what comes later still is dropped."""
    assert rule("""
        const told = runnerWith("banana", "banana"), late = runnerWith("banana", "banana");
        told.jump(4400); told.jump(7400); told.step(9000);
        late.step(6300); late.jump(4400); late.step(9000); late.jump(7400);
        const same = JSON.stringify(told) === JSON.stringify(late);
        return [same, told.coins, late.jump(6999), late.jumps];""") == [True, 2, False, 28]


def test_how_often_the_screen_is_painted_changes_nothing(rule):
    results = rule("""
        const play = (interval) => {
            const runner = new Runner(7), wishes = Array.from({ length: 60 }, (_, number) => 4400 + number * 3000);
            for (let time = interval; !runner.isOver; time += interval) {
                while (wishes[0] < time) runner.jump(wishes.shift());
                runner.step(time);
            }
            return [runner.coins, runner.jumps, runner.log.length, Math.round(runner.log.at(-1).time)];
        };
        return [1000, 333.3, 16.67, 1].map(play);""")
    assert results == [results[0]] * 4


def test_alone_each_has_a_runner_of_its_own_and_the_same_items_and_together_all_drive_player_1(rule):
    assert rule("""
        const play = (together) => {
            const game = new Game({ seed: seedWith("banana", "banana"), players: [3, 1, 2], together });
            game.jump(3, 4400); game.jump(2, 4450); game.jump(2, 7400); game.jump(9, 7400);
            game.step(9000);
            return game.ranking.map(({ player, score }) => [player, score, game.runners.get(player).jumps]);
        };
        return [play(false), play(true)];""") == [[[2, 2, 28], [3, 1, 29], [1, 0, 30]], [[1, 2, 28]]]
