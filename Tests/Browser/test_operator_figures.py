"""What the operator's page reckons by itself: figures, memory, spread of delays, a device in space."""

import pytest


@pytest.fixture(scope="module")
def reckon(browser, pages_server):
    """Evaluates an expression with all that a module of the page exports: `reckon("figures/format", "percent(0.083)")`."""
    page = browser.new_page()
    page.goto(f"{pages_server}/operator/index.html")

    def evaluate(module, expression):
        return page.evaluate(
            "async ([path, expression]) => { const all = await import(path);"
            " return Function(...Object.keys(all), `return (${expression})`)(...Object.values(all)); }",
            [f"/operator/{module}.js", expression])

    yield evaluate
    page.close()


def test_figures_bear_their_units_and_what_is_not_known_is_no_zero(reckon):
    written = reckon("figures/format", "[0.254, 12.34, 4200, null].map(milliseconds)")
    assert written == ["0.25 ms", "12.3 ms", "4.2 s", "–"]
    assert reckon("figures/format", "[0.083, 0.5, 0, null].map(percent)") == ["8.3 %", "50 %", "0 %", "–"]
    assert reckon("figures/format", "count(null)") == "unknown"
    assert reckon("figures/format", "lossOf({ missing: null, expected: null })") is None
    assert reckon("figures/format", "moment(3723400)") == "1:02:03.4"


def test_percentiles_keep_their_order_among_words_from_right_to_left(reckon):
    told = reckon("view/chosen", """figures({ transport: "udp", link: "good", clock: { state: "locked" }, datagrams: {}, samples: {},
        delay: { p50Ms: 1, p95Ms: 2, p99Ms: 3 } }).find(([term]) => term === "Delay one way")[1]""")
    assert told == "\u2068p50 1.00 ms, p95 2.00 ms, p99 3.00 ms\u2069"


def test_only_a_colour_ever_reaches_a_style(reckon):
    assert reckon("figures/format", "color('red;background:url(x)')") == "#888888"
    assert reckon("figures/format", "['#0072b2', '#f0e442'].map(inkOn)") == ["#ffffff", "#000000"]


def test_a_ring_keeps_the_newest_and_never_grows(reckon):
    assert reckon("figures/ring", """(() => { const ring = new Ring(3, 2);
        for (let i = 0; i < 100_000; i++) ring.push(i, -i);
        return [ring.count, ring.at(0, 0), ring.at(2, 1)]; })()""") == [3, 99_999, -99_997]


def test_delays_are_counted_in_equal_bins_and_none_is_left_out(reckon):
    assert reckon("figures/histogram", """(() => {
        const { counts, width } = bins(Array.from({ length: 1000 }, (_, i) => i % 97));
        return [counts.reduce((a, b) => a + b), counts.length >= 8 && counts.length <= 40, width > 0];
    })()""") == [1000, True, True]
    assert reckon("figures/histogram", "bins([5, 5, 5]).counts.reduce((a, b) => a + b)") == 3
    assert reckon("figures/histogram", "bins([])") is None


def test_the_papers_own_figures_stand_beside_ours(reckon):
    columns = reckon("figures/histogram", """paperColumns({ paper: { frames: 1000, outliers: 8, meanMs: 0.1, p95Ms: 2,
        maximumMs: 9, minimumMs: -3, standardDeviationMs: 1.5 }, medianOneWayMs: 20, delay: { p50Ms: 5 } })""")
    assert [column["figures"] for column in columns] == [
        [0.1, 2, 9, -3, 1.5], [20.1, 22, 29, 17, 1.5], [70.4, 73.2, 82.2, 52.2, 3.7]]
    assert columns[0]["n"] == 992


def test_a_second_without_arrivals_is_a_hole_in_the_line(reckon):
    assert reckon("figures/sparkline", "sparkPath([1, 2, null, 2], 59, 22, 2)") == "M56.0 11.0L57.0 1.0M59.0 1.0h0.1"


def test_the_device_shows_the_side_that_its_attitude_turns_to_the_viewer(reckon):
    kinds = lambda attitude: reckon("figures/device", f"facesOf({attitude}).map(face => face.kind)")
    assert "screen" in kinds("[1, 0, 0, 0]") and "back" not in kinds("[1, 0, 0, 0]"), "flat on a table"
    assert "back" in kinds("[0, 0, 1, 0]"), "face down"
    assert kinds("[Math.SQRT1_2, Math.SQRT1_2, 0, 0]") == ["screen", "top"], "upright, read by who holds it"


def test_events_become_sentences_and_those_that_are_not_for_reading_none(reckon):
    name = "(player) => `P${player} Blue`"
    assert reckon("data/event-words", f"words({{ type: 'verdict', gesture: 'jump', order: [[1], [2, 3]] }}, {name})") \
        == "Jump, in order: P1 Blue, P2 Blue = P3 Blue"
    lesson = "type: 'teaching', player: 1, gesture: 'ring', state: 'example', shown: 2, times: 3"
    assert reckon("data/event-words", f"words({{ {lesson}, alike: null }}, {name})") \
        == "P1 Blue teaches \u2068ring\u2069: 2 of 3 shown"
    assert reckon("data/event-words", f"words({{ {lesson}, alike: 'circle' }}, {name})") \
        == "P1 Blue teaches \u2068ring\u2069: 2 of 3 shown; it is much like \u2068circle\u2069"
    assert reckon("data/event-words", f"words({{ type: 'gesture', phase: 'changed' }}, {name})") is None
    assert reckon("data/event-words", f"announcement({{ type: 'gesture', phase: 'began' }}, {name})") is None


def test_a_trouble_is_told_when_it_stood_for_three_polls_and_its_figures_may_change(reckon):
    assert reckon("data/patience", """(() => { const patience = new Patience();
        const poll = (...faults) => patience.standing([{ controller: "c1", faults }])[0].length;
        const silent = (timeMs) => ({ code: "silent", timeMs });
        return [poll(silent(900)), poll(silent(2000)), poll(silent(3000), { code: "clock", clock: "coarse" }), poll(),
            poll(silent(3000))]; })()""") == [0, 0, 1, 0, 0]


def test_a_machine_that_stood_still_is_told_of_by_its_longest_standstill_or_by_all_of_them(reckon):
    assert reckon("data/same-trouble", "machineWords(undefined)") is None
    assert reckon("data/same-trouble", "machineWords({ longestMs: 3000, agoMs: 20000, totalMs: 3000 })") \
        .startswith("The room’s machine stood still for 3.0 s")
    assert "for 7.0 s of the last minute" in reckon(
        "data/same-trouble", "machineWords({ longestMs: 95, agoMs: 20, totalMs: 7000 })")


def test_a_token_is_read_out_of_a_whole_link(reckon):
    token = "aB3-_" + "x" * 38
    assert reckon("data/access", f"tokenIn(' {token} ')") == token
    assert reckon("data/access", f"tokenIn('https://host:1/operator/#t={token}')") == token
    assert reckon("data/access", "tokenIn('Otto')") is None


def test_what_is_wrong_with_many_is_one_sentence_whose_figures_span_all(reckon):
    assert reckon("data/same-trouble", """together([
        { player: 9, name: "Ann", faults: [{ code: "new", words: "of a kind to come" }, { code: "late", figure: 12 }] },
        { player: 3, name: "Bea", faults: [{ code: "streamSilent", stream: 2, timeMs: 2000 }] },
        { player: 4, name: "Cid", faults: [{ code: "streamSilent", stream: 2, timeMs: 900 }] }])""") == [
        {"players": [3, 4], "name": None, "others": 0, "text": "no sample of stream 2 for 900.0 ms to 2.0 s, though the "
         "link lives: is the sensor on?"},
        {"players": [9], "name": "Ann", "text": "\u2068of a kind to come\u2069", "others": 1}]
    assert reckon("data/same-trouble", "numbers([1, 2, 3, 7])") == "P1–P3, P7"
