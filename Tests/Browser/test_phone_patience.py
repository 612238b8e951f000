"""How patient the page is with a room that does not answer: rules with time moved by hand, no room needed."""

MODULES = """
    const { Patience } = await import("/phone/transport/patience.js");
    const drawing = (value) => new Patience(() => value);
"""


def test_the_first_return_is_soon_and_each_that_follows_within_a_minute_may_wait_twice_as_long(run):
    waits = run("""
        const patience = drawing(0.99), waits = [];
        for (let now = 0; now < 9_000; now += 1_000) {
            waits.push(Math.round(patience.lost(now) / 10) * 10);
            patience.succeeded(now + 500);
        }
        patience.succeeded(9_000);
        return [...waits, Math.round(patience.lost(70_000) / 10) * 10];
    """)
    assert waits == [480, 790, 1580, 3170, 6340, 12670, 15840, 15840, 15840, 480]


def test_those_who_were_lost_together_do_not_come_back_together(run):
    waits = run("""
        return Array.from({ length: 100 }, () => {
            const patience = new Patience();
            patience.lost(0);
            for (let times = 0; times < 4; times += 1) patience.succeeded(1_000), patience.lost(2_000);
            return patience.lost(3_000);
        });
    """)
    assert min(waits) < 1_000 and max(waits) > 4_000 and len(set(waits)) == 100


def test_silence_is_borne_for_longer_where_returns_recur_and_answers_are_waited_for(run):
    assert run("""
        const patience = drawing(0.5), silences = [patience.silence];
        for (let times = 0; times < 4; times += 1) {
            patience.lost(1_000 * times);
            patience.succeeded(1_000 * times + 500);
            silences.push(patience.silence);
        }
        patience.lost(70_000);
        return [...silences, patience.silence];
    """) == [3000, 3000, 6000, 8000, 8000, 3000]


def test_a_room_that_is_slow_is_given_twice_the_time_and_one_that_is_not_there_is_asked_as_before(run):
    assert run("""
        const patience = drawing(0.5), seen = [];
        const note = (wait) => seen.push([wait, patience.stretch, patience.silence]);
        for (const took of [3, 3, 6_500, 3, 3, 3, 3]) note(patience.failed(0, took));
        return seen;
    """) == [[400, 1, 3000], [800, 1, 3000], [1600, 2, 6000], [3200, 1, 3000], [5000, 1, 3000], [5000, 1, 3000],
             [5000, 1, 3000]]
