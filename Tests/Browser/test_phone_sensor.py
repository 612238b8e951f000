"""What a phone's page makes of a sensor and of buttons, and of what is to be felt: by hand, no room needed."""

MODULES = """
    const { SensorHealth } = await import("/phone/sensor/health.js");
    const { SignVote } = await import("/phone/sensor/sign.js");
    const { MotionSensor } = await import("/phone/sensor/motion-sensor.js");
    const { Haptics } = await import("/phone/haptics.js");
    const { ButtonLog } = await import("/phone/sensor/button-log.js");
    const { MotionMixer } = await import("/phone/sensor/mixer.js");
"""


def test_the_sign_is_what_most_still_readings_say_against_the_orientation(run):
    told = run("""
        const found = (sign, beta, gamma, up, turning = 0) => {
            const vote = new SignVote();
            vote.orient({ beta, gamma }, 0);
            for (let i = 0; i < 31; i += 1) vote.read(up.map((v) => sign * v * 9.8), turning, i);
            return vote.sign;
        };
        return [
            found(1, 0, 0, [0, 0, 1]), found(-1, 0, 0, [0, 0, 1]), found(-1, 90, 0, [0, 1, 0]), found(1, 0, 90, [-1, 0, 0]),
            found(-1, 0, 0, [0, 0, 1], 3), found(1, null, null, [0, 0, 1]),
        ];
    """)
    assert told == [1, -1, -1, 1, 0, 0]


def test_null_members_leave_out_the_reading_or_the_rotation_and_never_become_zeros_in_disguise(run):
    told = run("""
        const taken = [];
        const sensor = new MotionSensor(1, (sample) => taken.push(sample));
        const event = (timeStamp, force, rate) => ({ timeStamp, accelerationIncludingGravity: force, rotationRate: rate });
        const [xyz, abc] = [{ x: 1, y: 2, z: 3 }, { alpha: 180, beta: 90, gamma: 0 }];
        const read = [
            sensor.read(event(1, null, abc), 1), sensor.read(event(2, { x: 1, y: null, z: 3 }, abc), 2),
            sensor.read(event(3, xyz, null), 3), sensor.isMeasured.rotationRate,
            sensor.read(event(4, xyz, { alpha: 1, beta: null, gamma: 1 }), 4), sensor.isMeasured.rotationRate,
            sensor.read(event(5, xyz, abc), 5), sensor.isMeasured.rotationRate, sensor.read(event(6, xyz, null), 6),
        ];
        return [read, taken.map(({ time, rotationRate }) => [time, rotationRate[0].toFixed(3), rotationRate[1].toFixed(3)])];
    """)
    assert told[0] == [False, False, True, False, True, False, True, True, False]
    assert told[1] == [[3000, "0.000", "0.000"], [4000, "0.000", "0.000"], [5000, "3.142", "1.571"]]


def test_readings_wait_for_the_sign_only_until_it_is_known_or_given_up_and_none_is_lost(run):
    told = run("""
        const feed = (known, orientation) => {
            const taken = [];
            const sensor = new MotionSensor(known, (sample) => taken.push(sample.acceleration[2]));
            const counts = [];
            for (let i = 1; i <= 60; i += 1) {
                if (orientation) sensor.vote.orient({ beta: 0, gamma: 0 }, i * 16);
                sensor.read({ timeStamp: i * 16, accelerationIncludingGravity: { x: 0, y: 0, z: -9.8 }, rotationRate: null }, i);
                counts.push(taken.length);
            }
            return [counts[0], counts.findIndex((count) => count > 0) + 1, counts[59], taken[0], taken[59]];
        };
        return [feed(-1, false), feed(undefined, true), feed(undefined, false)];
    """)
    assert told == [[1, 1, 60, 9.8, 9.8], [0, 31, 60, 9.8, 9.8], [0, 20, 60, -9.8, -9.8]]


def test_gaps_stalls_and_the_coarseness_of_a_sensor_are_measured(run):
    told = run("""
        const health = new SensorHealth();
        let time = 1000;
        for (let i = 0; i < 200; i += 1) {
            time += i === 100 ? 183.4 : 16.7;
            health.read(time, time + (i === 50 ? 240 : 3), [(i % 37) / 10, 0, 9.8], [(i % 23) / 5, 0, 0]);
        }
        return health.report;
    """)
    assert told == {
        "rate": 59.9, "gaps": 1, "longestGap": 183.4, "stalls": 1, "longestStall": 240, "accelerationStep": 0.1,
        "rotationStep": 0.1, "timeStep": 0.1,
    }


def test_each_haptic_is_answered_by_what_became_of_it(run):
    told = run("""
        const haptic = (intensity, duration, timeToLive) => ({ id: 1, intensity, sharpness: 0.5, duration, timeToLive });
        const flashes = [];
        Object.defineProperty(navigator, "vibrate", { value: () => false, configurable: true });
        const haptics = new Haptics({ flash: (duration) => flashes.push(duration) });
        const unseen = new Haptics({ flash: () => false });
        const outcomes = [
            haptics.play(haptic(1, 300, 500), 501), haptics.play(haptic(0.8, 300, 500), 20),
            haptics.play(haptic(0.4, 300, 500), 20), haptics.play(haptic(1, 9000, 0), 5000),
            unseen.play(haptic(1, 300, 500), 0),
        ].map(({ outcome, playedAt }) => [outcome, playedAt > 0]);
        Object.defineProperty(document, "hidden", { get: () => true, configurable: true });
        outcomes.push([haptics.play(haptic(1, 100, 0), 0).outcome, false]);
        delete document.hidden;
        return [outcomes, flashes];
    """)
    # What nobody saw or heard was not played: a flash too soon after the last, and one that would hide words.
    assert told[0] == [["expired", False], ["played", True], ["busy", False], ["busy", False], ["busy", False],
                       ["notAllowed", False]]
    assert told[1] == [300], "what cannot vibrate flashes, and no more than three times a second"


def test_a_flash_that_would_hide_words_says_that_it_was_not_seen(run):
    told = run("""
        const { Cover } = await import("/phone/show/cover.js");
        document.body.innerHTML = '<div id="cover" hidden><p id="cover-text"></p></div><p id="announcement"></p>';
        const cover = new Cover();
        const flashes = [cover.flash(100, 1)];
        cover.show("Go!", 10_000, { isFlash: false, opacity: 1 });
        flashes.push(cover.flash(100, 1));
        const text = document.getElementById("cover-text").textContent;
        document.body.replaceChildren();
        return [flashes, text];
    """)
    assert told == [[True, False], "Go!"]


def test_samples_of_the_sensor_say_which_buttons_were_down_as_they_were_read(run):
    told = run("""
        const taken = [];
        const log = new ButtonLog();
        const mixer = new MotionMixer(log, (sample) => taken.push(sample));
        const felt = (time) => ({ time: time * 1000, acceleration: [0, 9.8, 0], rotationRate: [0, 0, 0] });
        log.press(1, 105);
        log.press(1, 107);
        log.press(4, 125);
        log.release(1, 165);
        log.release(4, 230);
        // Read long before they are handed over, as until the sensor's sign is known.
        for (let time = 90; time <= 260; time += 10) mixer.feel(felt(time), time + 1000);
        return [taken.map(({ time, buttons }) => [time / 1000, buttons]), taken.every((sample) => sample.acceleration[1] === 9.8)];
    """)
    down = dict(map(tuple, told[0]))
    assert [down[time] for time in (100, 110, 120, 130, 200, 210, 220, 230, 260)] == [0, 2, 2, 18, 18, 16, 16, 0, 0], "100 ms at least"
    assert told[1], "the sensor's own reading"


def test_without_a_sensor_samples_tell_of_buttons_alone(run):
    told = run("""
        const taken = [];
        const log = new ButtonLog();
        const mixer = new MotionMixer(log, (sample) => taken.push(sample));
        mixer.isAlone = true;
        mixer.madeUntil = 1000;
        log.tap(0, 1050);
        for (let now = 1000; now <= 1300; now += 7) mixer.make(now);
        return taken;
    """)
    times = [sample["time"] for sample in told]
    assert all("acceleration" not in sample for sample in told) and all(16_000 <= b - a <= 17_000 for a, b in zip(times, times[1:]))
    down = [sample["time"] for sample in told if sample["buttons"]]
    assert down[0] - 1_050_000 < 17_000 and 80_000 < down[-1] - down[0] < 110_000


def test_a_sensor_that_falls_silent_keeps_no_button_from_being_heard_and_one_that_has_not_spoken_is_waited_for(run):
    told = run("""
        const taken = [];
        const log = new ButtonLog();
        const mixer = new MotionMixer(log, (sample) => taken.push(sample));
        const start = performance.now();
        const feel = (time, now, z) => mixer.feel({ time: Math.floor((start + time) * 1000), acceleration: [0, 0, z] }, now);
        mixer.madeUntil = start;
        // The sensor answered, and is held back until its sign is known.
        log.tap(1, start + 100);
        mixer.make(start + 400);
        const early = taken.length;
        for (let time = 0; time < 400; time += 20) feel(time, start + 400, 9.8);
        mixer.make(start + 410);
        const held = taken.filter((sample) => sample.buttons === 2).length;
        const felt = taken.length;
        for (let now = start + 420; now <= start + 1000; now += 10) mixer.make(now);
        const idle = taken.length - felt;
        log.tap(3, start + 1010);
        for (let now = start + 1000; now < start + 1400; now += 10) mixer.make(now);
        const dead = taken.slice(felt);
        // The page stands still for 600 ms with a button down: what the sensor said meanwhile comes only after it.
        log.press(5, start + 1400);
        feel(1400, start + 1400, 9.7);
        mixer.make(start + 1410);
        const before = taken.length;
        mixer.make(start + 2000);
        const madeUp = taken.length - before;
        for (let time = 1420; time < 2000; time += 20) feel(time, start + 2000, 9.7);
        mixer.make(start + 2010);
        const late = taken.length - before;
        return [early, held, idle, dead.filter((sample) => sample.buttons === 8).length, dead.at(-1).buttons,
            dead.every((sample) => sample.acceleration[2] === 9.8), dead.length, madeUp, late];
    """)
    assert told[0] == 0, "nothing is made up before it has spoken"
    assert 4 <= told[1] <= 6, "the press stands where it was"
    assert told[2] == 0, "nothing is repeated while no button says anything"
    assert 5 <= told[3] <= 8 and told[4] == 0 and told[5] and told[6] < 15
    assert told[7:] == [0, 29], "every reading that waited is taken, and none was made up in its place"


def test_a_sensor_that_has_stopped_is_told_until_it_speaks_again_and_its_silence_counts_only_while_somebody_looks(run):
    told = run("""
        const mixer = new MotionMixer(new ButtonLog(), () => {}), told = [];
        mixer.stopped = (hasStopped) => told.push(hasStopped);
        const start = mixer.madeUntil = performance.now();
        const felt = (time) => mixer.feel({ time: Math.floor((start + time) * 1000), acceleration: [0, 0, 9.8] }, start + time);
        const pass = (from, to) => {
            for (let time = from; time <= to; time += 10) mixer.make(start + time);
            return told.join();
        };
        const seen = [pass(0, 4_000)];
        felt(4_000);
        seen.push(pass(4_000, 6_900), pass(6_900, 7_100));
        felt(7_100);
        seen.push(told.join());
        mixer.letGo(start + 7_100);
        seen.push(pass(7_100, 20_000));
        mixer.resume(start + 20_000);
        return [...seen, pass(20_000, 22_900), pass(22_900, 23_100)];
    """)
    assert told == ["", "", "true", "true,false", "true,false", "true,false", "true,false,true"]


def test_who_hammers_on_a_button_leaves_no_row_of_presses_and_a_page_out_of_sight_lets_go(run):
    told = run("""
        const log = new ButtonLog();
        for (let now = 0; now < 3000; now += 33) log.tap(0, now);
        const waiting = log.presses.length;
        const alone = [];
        const mixer = new MotionMixer(log, (sample) => alone.push(sample.buttons));
        mixer.isAlone = true;
        log.press(2, 3300);
        mixer.madeUntil = 3300;
        mixer.make(3350);
        log.press(4, 3360);
        mixer.letGo(3400);
        mixer.make(3500);
        mixer.make(3510);
        return [waiting, alone.some((bits) => bits & 4), alone.some((bits) => bits & 16), alone.at(-1), log.presses.length];
    """)
    assert told[0] <= 30 and told[1:] == [True, False, 0, 0], told


def test_a_press_that_no_sample_saw_is_seen_by_the_next_one(run):
    """A page that stood still for a second, and a sensor that did; and the pause between two presses of one button."""
    told = run("""
        const taken = [];
        const log = new ButtonLog();
        const mixer = new MotionMixer(log, (sample) => taken.push(sample));
        mixer.isAlone = true;
        mixer.madeUntil = 1000;
        mixer.make(1050);
        log.tap(2, 1100);
        mixer.make(2100);
        mixer.make(2200);
        mixer.make(2210);
        const log2 = new ButtonLog();
        log2.tap(0, 0);
        log2.press(0, 101);
        const bits = [];
        for (let time = 0; time < 300; time += 15) bits.push(log2.at(time));
        log2.release(0, 300);
        return [taken.filter((sample) => sample.buttons === 4).length, taken.at(-1).buttons, bits.join(""), log2.at(310), log2.at(500), log2.presses.length];
    """)
    assert told[0] == 1 and told[1] == 0
    assert "1001" in told[2] or "10001" in told[2] or "101" in told[2], told[2]
    assert told[2].strip("1").strip("0") == "", "one pause"
    assert told[3:] == [0, 0, 0]


def test_a_button_goes_down_when_the_finger_does_wherever_the_browser_says_so(run):
    told = run("""
        const { momentOf } = await import("/phone/sensor/button-log.js");
        return [800, 1000, 0, 1001, 1.7e12, -5, undefined].map((timeStamp) => momentOf({ timeStamp }, 1000));
    """)
    assert told == [800] + [1000] * 6, "what was not, will be, or is counted from elsewhere was heard just now"


def test_for_a_time_in_which_the_page_stood_still_no_sample_says_that_nothing_was_pressed(run):
    """It may hear of the finger before its timer or a little after; the samples around say when it came down all the same."""
    told = run("""
        const around = (stall, hears) => {
            const taken = [];
            const log = new ButtonLog();
            const mixer = new MotionMixer(log, (sample) => taken.push(sample));
            mixer.isAlone = true;
            mixer.madeUntil = 1000;
            let now = 1000;
            for (; now < 1200; now += 16) mixer.make(now);
            const asleep = now - 16;
            const [touched, woken] = [asleep + stall / 2, asleep + stall];
            const touch = () => log.press(3, touched, woken + 1);
            if (hears === "first") touch();
            mixer.make(woken);
            if (hears === "soon") mixer.make(woken + 1);
            if (hears !== "first") touch();
            for (now = woken + 16; now < woken + 500; now += 16) mixer.make(now);
            const first = taken.findIndex(({ buttons }) => buttons === 8);
            const [before, shown] = [taken[first - 1].time / 1000, taken[first].time / 1000];
            const times = taken.map(({ time }) => time);
            return [before <= touched && touched <= shown, shown - before, times.every((time, i) => !i || time > times[i - 1])];
        };
        return [300, 80, 45].flatMap((stall) => ["first", "then", "soon"].map((hears) => [stall, ...around(stall, hears)]));
    """)
    for stall, is_right, unseen, rises in told:
        assert is_right and rises, (stall, told)
        assert unseen > stall - 17 if stall > 60 else unseen < 17, "a long one shows as a gap, a short one is filled in"


def test_on_a_page_whose_turns_are_all_late_a_sample_waits_for_touches_and_not_for_the_next_turn(run):
    """As of a weak phone at 25 frames a second. Each turn's touch is heard just after it; timers are moved by hand."""
    told = run("""
        const [set, clear] = [window.setTimeout, window.clearTimeout];
        let [now, timers] = [1000, []];
        window.setTimeout = (act, after) => timers.push({ act, at: now + after }) && timers.at(-1);
        window.clearTimeout = (timer) => { timers = timers.filter((one) => one !== timer); };
        const pass = (until) => {
            for (const timer of timers.filter(({ at }) => at <= until)) {
                now = Math.max(now, timer.at);
                window.clearTimeout(timer);
                timer.act();
            }
            now = until;
        };
        const around = (turn, isSensorFirst) => {
            const [taken, handed] = [[], new Map()];
            const log = new ButtonLog();
            const mixer = new MotionMixer(log, (sample) => taken.push({ ...sample, waited: now - handed.get(sample.time) }));
            const emit = mixer.emit.bind(mixer);
            mixer.emit = (sample) => { handed.set(sample.time, now); emit(sample); };
            mixer.isAlone = true;
            mixer.madeUntil = now;
            for (let turns = 0; turns < 20; turns += 1) {
                pass(now + turn);
                mixer.make(now);
            }
            const touched = now + 1;
            if (isSensorFirst) now += turn;  // Before the timers that are due.
            else pass(now + turn);
            mixer.make(now);
            pass(now + 2);
            log.press(3, touched, now);
            pass(now + 100);
            const isRight = ({ time, buttons }) => (buttons === 8) === (time / 1000 >= touched);
            return [taken.length, taken.every(isRight), Math.max(...taken.map(({ waited }) => waited))];
        };
        const told = [34, 40, 50, 100].flatMap((turn) => [false, true].map((isFirst) => [turn, isFirst, ...around(turn, isFirst)]));
        Object.assign(window, { setTimeout: set, clearTimeout: clear });
        return told;
    """)
    for turn, is_first, count, is_right, waited in told:
        assert count >= 21 and is_right, (turn, is_first, told)
        assert is_first or waited <= 9, (turn, told)


def test_a_button_that_goes_up_and_down_while_the_page_stands_still_is_seen_to_go_up(run):
    told = run("""
        const log = new ButtonLog();
        log.press(0, 0);
        const bits = [log.at(10)];
        // All of this is heard at 400.
        log.release(0, 150);
        log.press(0, 250, 400);
        bits.push(log.at(400), log.at(417));
        log.release(0, 430);
        return [...bits, log.at(490), log.at(510)];
    """)
    assert told == [1, 0, 1, 1, 0], "and the second press lasts as long as people see it"


def test_a_virtual_phone_makes_up_no_motion_for_a_time_in_which_its_page_stood_still(run):
    told = run("""
        const { Pad } = await import("/phone/pad.js");
        const felt = [];
        const pad = new Pad(document.createElement("div"), { feel: (sample) => felt.push(sample) }, new ButtonLog());
        pad.sampledAt = 1000;
        for (let now = 1000; now < 1200; now += 16) pad.make(now);
        const before = felt.length;
        pad.turn({ yaw: 1 });
        pad.make(1500);
        const [last, first] = [felt[before - 1], felt[before]];
        return [before, felt.length - before, first.rotationRate[2] * (first.time - last.time) / 1e6, pad.now.yaw];
    """)
    assert told[0] == 11 and told[1] == 1
    assert abs(told[2] - told[3]) < 1e-3 and told[3] > 0.8, "it turned in that time"
