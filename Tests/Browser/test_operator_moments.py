"""What the operator's page makes of a moment: its mark in the recording, its photo finish, its trace."""

import csv
import re
import time

import pytest
from hosted_room import wait_until
from native import G, leap, recording


def test_the_key_m_marks_the_moment_in_the_recording_and_says_where_none_is_made(host, operators):
    room = host()
    operator = operators(room)
    keyboard = operator.page.keyboard
    operator.says("#facts", "seats")
    keyboard.press("m")
    operator.says("#refusal-text", "record")
    path = f"{room.folder}/evening.mcap"
    room.cli("record", "start", path)
    keyboard.press("m")
    marks = lambda: room.json("record", "status")["marks"]
    wait_until(lambda: marks() == 1, what="the mark")
    operator.page.wait_for_selector("#refusal", state="hidden")
    operator.page.click("#mark")
    wait_until(lambda: marks() == 2, what="the button's mark")
    keyboard.press("?")
    operator.page.get_by_label("Use these single keys").uncheck()
    keyboard.press("Escape")
    keyboard.press("m")
    operator.page.click("#mark")
    wait_until(lambda: marks() == 3, what="the last mark")
    room.cli("record", "stop")
    room.cli("export", path, "--to", "csv", f"{room.folder}/tables")
    with open(f"{room.folder}/tables/marks.csv", newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file)]
    now = operator.page.evaluate("new Date().toLocaleTimeString('en-GB')")
    assert len(texts) == 3 and all(re.fullmatch(r"\d\d:\d\d:\d\d", text) for text in texts), texts
    assert texts == sorted(texts) and texts[-1] <= now or now < texts[0], "the clock on the wall"


# A photo finish as it is seen: whose row it is, from where to where the row and its moment reach, what is written beside it.
FINISH = """(picture) => {
    const number = (element, name) => Number(element.getAttribute(name));
    const all = (kind) => [...picture.querySelectorAll(kind)];
    const span = (box) => [number(box, "x"), number(box, "x") + number(box, "width")];
    const texts = all("text").map((text) => text.textContent);
    return {
        label: picture.getAttribute("aria-label"), shade: all(".shade").map(span),
        rows: all(".sure").map((box, place) => ({
            player: texts[2 * place], time: texts[2 * place + 1], span: span(box), at: number(all(".moved")[place], "x1"),
            isSeen: box.getBoundingClientRect().width > 1 })) };
}"""


def judged(room, operator, two, *delays):
    """The room's verdict on a round in which both moved, and its picture. Where a machine that stood still brings the other
    too late, it is fought again."""
    for again in range(5):
        since = len(room.events)
        two.jump(*delays, start=time.monotonic() + (2 if again else 0.5))
        verdict = room.wait_event(type="verdict", since=since)
        if sum(one["at"] is not None for one in verdict["evidence"]) == 2:
            break
    verdicts = sum(event["type"] == "verdict" for event in room.events)
    pictures = operator.page.locator("#events li[data-type=verdict] svg.finish")
    wait_until(lambda: operator.page.wait_for_timeout(30) or pictures.count() == verdicts, what="its picture")
    return verdict, pictures.first.evaluate(FINISH)


def test_a_verdict_has_its_photo_finish(host, operators, together, screenshots):
    """To scale: each first move as long as it is uncertain, and a shade where nobody can say who was first."""
    room = host("--contest", "keepcalm-jump", "--contest-window", "1s", "--contest-cap", "2s", "--contest-pause", "0s")
    operator = operators(room)
    two = together(room, "Blue Otter", "Green Heron")
    wait_until(lambda: all(peer["clock"]["state"] == "locked" for peer in room.peers()), what="both clocks locked")
    for delays, is_tie in (((0, 0), True), ((0.4, 0), False)):
        verdict, picture = judged(room, operator, two, *delays)
        moves = {f"P{one['player']}": one for one in verdict["evidence"]}
        rows = picture["rows"]
        assert all(row["isSeen"] for row in rows) and "Jump (KeepCalm), in order" in picture["label"]
        earliest = min(moves.values(), key=lambda one: one["at"])["at"]
        from_, to = (f(one["at"] + sign * one["uncertainty"] for one in moves.values()) for f, sign in ((min, -1), (max, 1)))
        left, right = min(row["span"][0] for row in rows), max(row["span"][1] for row in rows)
        x = lambda at: left + (at - from_) / (to - from_) * (right - left)
        for row in rows:
            move = moves[row["player"]]
            assert row["at"] == pytest.approx(x(move["at"]), abs=0.5)
            assert row["span"] == pytest.approx([x(move["at"] - move["uncertainty"]), x(move["at"] + move["uncertainty"])], abs=2)
            after, error = (float(text) for text in re.findall(r"[\d.]+(?= ms)", row["time"]))
            assert after == pytest.approx(move["at"] - earliest, rel=0.01, abs=0.06)
            assert error == pytest.approx(move["uncertainty"], rel=0.01, abs=0.06)
        if is_tie:
            assert verdict["order"] == [[1, 2]]
            [shade] = picture["shade"]
            assert shade in [row["span"] for row in rows], "as long as the move of who was surely there first"
            assert all(row["span"][0] <= shade[1] for row in rows)
            operator.page.screenshot(path=screenshots / "photo-finish.png")
        else:
            assert [row["player"] for row in rows] == ["P2", "P1"] and picture["shade"] == []
            assert rows[0]["span"][1] < rows[1]["span"][0]


# Within which rows of a canvas each of these colours is seen, from 0 at its top to 1; null for nowhere.
SEEN = """([selector, colors]) => {
    const canvas = document.querySelector(selector);
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    const probe = new OffscreenCanvas(1, 1).getContext("2d");
    const root = getComputedStyle(document.documentElement);
    return colors.map((name) => {
        probe.fillStyle = name.startsWith("--") ? root.getPropertyValue(name).trim() : name;
        probe.fillRect(0, 0, 1, 1);
        const wanted = probe.getImageData(0, 0, 1, 1).data;
        const rows = [];
        for (let pixel = 0; pixel < width * height; pixel++) {
            const isSo = [0, 1, 2, 3].every((part) => Math.abs(data[4 * pixel + part] - wanted[part]) < 50);
            if (isSo) rows.push(Math.floor(pixel / width) / height);
        }
        return rows.length ? [rows[0], rows.at(-1)] : null;
    });
}"""
# The words that are written on the trace.
WRITTEN = """(() => {
    window.written = new Set();
    const write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...where) {
        if (this.canvas.id === "trace") written.add(text);
        return write.call(this, text, ...where);
    };
})()"""


def test_traces_show_how_a_player_was_pushed_and_how_it_is_held(host, operators, natives, screenshots):
    room = host()
    for name, force in (("Jumper", lambda t: leap(t, range(2, 600, 3))), ("Sleeper", lambda t: (0, 0, G)),
                        ("Turtle", lambda t: (0, 0, -G))):
        natives(room, name, recording(room.folder, 600, force))
        wait_until(lambda: any(peer["name"] == name for peer in room.peers()), what=f"{name} is seated")
    operator = operators(room, script=WRITTEN)
    operator.wait_names("Jumper", "Sleeper", "Turtle")
    page = operator.page
    seen = lambda selector, *colors: page.evaluate(SEEN, [selector, list(colors)])
    reach = lambda selector, color: seen(selector, color)[0] or [1, 0]
    # Pushed along z, off the ground and at its landing, with more than it falls between; and along nothing else.
    operator.choose("Jumper")
    is_pushed = lambda: reach("#trace", "--axis-z")[1] > 0.85 and reach("#rows tr.is-chosen canvas", "--fg")[0] < 0.4
    wait_until(lambda: page.wait_for_timeout(50) or is_pushed(), what="a push to be seen, large and small")
    [x, y, z] = seen("#trace", "--axis-x", "--axis-y", "--axis-z")
    middle = pytest.approx([0.5, 0.5], abs=0.03)
    assert x in (None, middle) and y == middle and z[0] > 0.15
    # Each gesture where it was seen: a line from top to bottom, and its name.
    wait_until(lambda: page.wait_for_timeout(50) or seen("#trace", "--line")[0] == pytest.approx([0, 1], abs=0.02))
    page.wait_for_function("() => written.has('Jump')")
    page.screenshot(path=screenshots / "traces.png")
    centre = """() => {
        const canvas = document.getElementById("attitude");
        return [...canvas.getContext("2d").getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data.slice(0, 3)];
    }"""
    rgb = lambda color: [int(part, 16) for part in re.findall("..", color.strip("# "))]
    own = lambda name: next(peer["color"] for peer in room.peers() if peer["name"] == name)
    back = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--line')")
    wait_until(lambda: page.wait_for_timeout(50) or page.evaluate(centre) == rgb(own("Jumper")), what="its screen")
    for name, side in (("Sleeper", own("Sleeper")), ("Turtle", back)):
        operator.choose(name)
        is_so = lambda: page.evaluate(centre) == rgb(side) and reach("#trace", "--axis-z")[1] < 0.55
        wait_until(lambda: page.wait_for_timeout(50) or is_so(), what=f"{name} lies still, and shows its side")
        assert reach("#rows tr.is-chosen canvas", "--fg")[0] > 0.7
