"""The page's half of the motion link, and what it makes of a sensor: rules with time moved by hand, no room needed."""

MODULES = """
    const { Link } = await import("/phone/link/link.js");
    const { QueueingDelay } = await import("/phone/link/delay.js");
    const { ByteWriter } = await import("/phone/wire/bytes.js");
    const { SensorHealth } = await import("/phone/sensor/health.js");
    const { SignVote } = await import("/phone/sensor/sign.js");
    const { MotionSensor } = await import("/phone/sensor/motion-sensor.js");
    const { Haptics } = await import("/phone/haptics.js");
    const { ButtonLog } = await import("/phone/sensor/button-log.js");
    const { MotionMixer } = await import("/phone/sensor/mixer.js");
    const { isSent, readTicket, tidyCode } = await import("/phone/ticket.js");
    const declaration = {
        stream: 0, measures: ["acceleration", "rotationRate", "buttons"], accelerationRange: 156.9064,
        rotationRange: 34.90658503988659,
    };
    const sample = (time) => ({ time, acceleration: [0, 0, 9.8], rotationRate: [0, 0, 0], buttons: 0 });
    const drain = (link, now) => {
        const sent = [];
        for (let bytes; (bytes = link.nextDatagram(now));) sent.push(bytes);
        return sent;
    };
    /** The runs of a datagram's only stream block, which stands last. */
    const runs = (bytes) => {
        const view = new DataView(bytes.buffer);
        for (let at = 17; at < bytes.length; at += 3 + view.getUint16(at + 1)) {
            if (view.getUint8(at) !== 1) continue;
            const found = { epoch: view.getUint8(at + 4), floor: view.getUint32(at + 6), indexes: [] };
            const end = at + 3 + view.getUint16(at + 1);
            for (let run = at + 10; run < end;) {
                const count = view.getUint8(run + 4);
                for (let place = 0; place < count; place += 1) found.indexes.push(view.getUint32(run) + place);
                run += 13 + 17 * count;
            }
            return found;
        }
        return null;
    };
    const feedback = (connection, write) => {
        const writer = new ByteWriter(1200);
        writer.u8(0x14); writer.u32(connection); writer.u32(0); writer.i64(0);
        write(writer);
        return writer.written;
    };
    const acknowledge = (connection, epoch, cumulative, bitmap = []) => feedback(connection, (writer) => {
        writer.u8(2); writer.u16(6 + bitmap.length); writer.u8(0); writer.u8(epoch); writer.u32(cumulative);
        writer.put(bitmap);
    });
"""


def test_each_sample_is_sent_once_and_held_until_it_is_acknowledged(run):
    told = run("""
        const link = new Link([declaration]);
        link.open(7, false, 0);
        const sent = [];
        for (let i = 0; i < 3; i += 1) {
            link.append(0, sample(i * 16667), i * 17);
            sent.push(runs(drain(link, i * 17)[0]).indexes);
        }
        const before = link.streams[0].heldCount;
        link.receive(acknowledge(7, 0, 2), 60);
        return [sent, before, link.streams[0].heldCount, drain(link, 70).length];
    """)
    assert told == [[[0], [1], [2]], 3, 1, 0]


def test_what_later_samples_have_passed_for_half_a_second_was_thrown_away_and_is_sent_again(run):
    told = run("""
        const link = new Link([declaration]);
        link.open(7, false, 0);
        for (let i = 0; i < 4; i += 1) link.append(0, sample(i * 16667), 0);
        drain(link, 0);
        link.receive(acknowledge(7, 0, 1, [0b10]), 200);
        const early = drain(link, 210).filter(runs).length;
        link.receive(acknowledge(7, 0, 1, [0b10]), 600);
        return [early, runs(drain(link, 600)[0]).indexes];
    """)
    assert told == [0, [1, 2]]


def test_a_new_connection_to_a_host_that_knows_us_repeats_what_it_has_not_confirmed_under_its_old_indexes(run):
    told = run("""
        const link = new Link([declaration]);
        link.open(7, false, 0);
        for (let i = 0; i < 5; i += 1) link.append(0, sample(i * 16667), i);
        drain(link, 5);
        link.receive(acknowledge(7, 0, 3), 6);
        link.send(new Uint8Array([5]));
        link.open(8, true, 100);
        const [bytes] = drain(link, 100);
        return [runs(bytes), new DataView(bytes.buffer).getUint32(5), link.outbox.first];
    """)
    assert told == [{"epoch": 0, "floor": 3, "indexes": [3, 4]}, 0, 0]


def test_a_host_that_forgot_us_gets_a_new_stream_epoch_with_what_is_held_numbered_from_0(run):
    told = run("""
        const link = new Link([declaration]);
        link.open(7, false, 0);
        for (let i = 0; i < 5; i += 1) link.append(0, sample(i * 16667), i);
        drain(link, 5);
        link.receive(acknowledge(7, 0, 3), 6);
        link.open(8, false, 100);
        return runs(drain(link, 100)[0]);
    """)
    assert told == {"epoch": 1, "floor": 0, "indexes": [0, 1]}


def test_what_is_sampled_before_there_is_a_seat_or_after_it_was_given_up_is_nobody_s(run):
    """A shake made while the phone waits to be let in is not kept for later."""
    told = run("""
        const link = new Link([declaration]);
        const before = [link.append(0, sample(0), 0), link.append(0, sample(16667), 17)];
        link.open(7, false, 100);
        const own = link.append(0, sample(116667), 117);
        const first = runs(drain(link, 117)[0]);
        link.goodbye("left");
        drain(link, 120);
        return [before, own, first, link.append(0, sample(133333), 134)];
    """)
    assert told[0] == [False, False]
    assert told[1] is True
    assert told[2] == {"epoch": 0, "floor": 0, "indexes": [0]}
    assert told[3] is False


def test_samples_are_held_ten_seconds_and_4096_at_most_then_the_floor_says_that_they_never_come(run):
    """Taken while there is a seat, and sent when its connection is back."""
    told = run("""
        const old = new Link([declaration]);
        old.open(6, false, 0);
        for (let i = 0; i < 10; i += 1) old.append(0, sample(i * 16667), i);
        old.open(7, true, 10_005);
        const aged = runs(drain(old, 10_005)[0]);
        const full = new Link([declaration]);
        full.open(6, false, 0);
        for (let i = 0; i < 5000; i += 1) full.append(0, sample(i * 200), 1);
        full.open(7, true, 2);
        const datagrams = drain(full, 2);
        return [aged, runs(datagrams[0]).floor, datagrams.flatMap((bytes) => runs(bytes).indexes).length,
            Math.max(...datagrams.map((bytes) => bytes.length)), full.streams[0].counts.abandoned];
    """)
    assert told[0] == {"epoch": 0, "floor": 5, "indexes": [5, 6, 7, 8, 9]}
    assert told[1:3] == [904, 4096]
    assert told[3] <= 1200
    assert told[4] == 904


def test_a_probe_is_answered_in_the_next_datagram_with_the_moment_it_came(run):
    told = run("""
        const link = new Link([declaration]);
        link.open(7, false, 0);
        drain(link, 0);
        const quiet = drain(link, 100).length;
        link.receive(feedback(7, (w) => { w.u8(3); w.u16(2); w.u16(513); }), 120.5);
        const [bytes] = drain(link, 121.25);
        const view = new DataView(bytes.buffer);
        return [quiet, view.getUint8(17), view.getUint16(20), Number(view.getBigInt64(22)), Number(view.getBigInt64(9)),
            drain(link, 122).length];
    """)
    assert told == [0, 4, 513, 120_500_000, 121_250_000, 0]


def test_a_link_with_nothing_to_say_shows_that_it_lives_at_least_every_500_ms(run):
    told = run("""
        const link = new Link([declaration]);
        link.open(7, false, 0);
        const times = [];
        for (let now = 0; now < 3000; now += 50) if (drain(link, now).length) times.push(now);
        return Math.max(...times.map((time, place) => time - (times[place - 1] ?? 0)));
    """)
    assert told <= 500


def test_clocks_that_drift_apart_for_hours_are_no_lateness_and_lateness_is_told_all_the_same(run):
    told = run("""
        return [0, 50, -50, 190].map((ppm) => {
            const delay = new QueueingDelay();
            let now = 0, most = 0;
            for (; now < 8 * 3_600_000; now += 200) most = Math.max(most, delay.add(now * (1 - ppm / 1e6), now));
            return [Math.round(most), Math.round(delay.smooth), Math.round(delay.add(now * (1 - ppm / 1e6) - 300, now))];
        });
    """)
    assert told == [[0, 0, 300]] * 4


def test_a_host_whose_clock_stood_still_while_a_phone_rested_is_not_late_afterwards(run):
    told = run("""
        const link = new Link([declaration]);
        link.open(7, false, 0);
        drain(link, 0);
        const identify = (id) => feedback(7, (w) => { w.u8(5); w.u16(5); w.u32(id); w.u8(4); });
        const before = link.receive(identify(0), 5)[0].late;
        link.goodbye("paused");
        drain(link, 10);
        link.resume(600_000);
        return [before, link.receive(identify(1), 600_005)[0].late];
    """)
    assert told == [0, 0]


def test_messages_are_acted_on_once_and_in_order_and_every_one_gets_a_receipt(run):
    told = run("""
        const link = new Link([declaration]);
        link.open(7, false, 0);
        drain(link, 0);
        const identify = (id) => feedback(7, (w) => { w.u8(5); w.u16(5); w.u32(id); w.u8(4); });
        const acted = [1, 0, 0, 1].map((id) => link.receive(identify(id), 5).length);
        const [bytes] = drain(link, 6);
        return [acted, new DataView(bytes.buffer).getUint8(17), new DataView(bytes.buffer).getUint32(20)];
    """)
    assert told == [[0, 1, 0, 1], 6, 2]


def test_any_bytes_from_the_host_are_survived(run):
    assert run("""
        const link = new Link([declaration]);
        link.open(7, false, 0);
        for (let i = 0; i < 20_000; i += 1) {
            const bytes = crypto.getRandomValues(new Uint8Array(Math.random() * 80));
            if (i % 2 && bytes.length > 17) bytes.set([0x14, 0, 0, 0, 7, 0, 0, 0, 0]);
            link.receive(bytes, i);
            if (link.state !== "open") link.open(7, true, i);
        }
        return true;
    """)


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


def test_a_ticket_is_read_from_the_fragment_and_a_code_however_it_is_typed(run):
    told = run("""
        return [
            readTicket("#v=1&i=ABEiM0RVZneImaq7zN3u_w&p=x&c=7KQM2X9D&r=Living%20Room%20%2B%20Garden"),
            readTicket("#v=2&i=x"), readTicket(""), readTicket("#v=1"), readTicket("#v=1&i=x&r=Hall"),
            tidyCode(" 7kqm-2x9d "), tidyCode("7oqm 2xlI"), tidyCode("７ｋｑｍー２ｘ９Ｄ"), tidyCode("۷KQM–۲X۹D"), tidyCode("٧KQM−٢X٩D"),
        ];
    """)
    assert told == [
        {"roomID": "00112233445566778899aabbccddeeff", "code": "7KQM-2X9D", "room": "Living Room + Garden"},
        None, None, None, None, "7KQM-2X9D", "70QM-2X11", *["7KQM-2X9D"] * 3,
    ]


def test_who_is_sent_is_told_which_room_keeps_the_seat_and_for_whom(run):
    """And by nothing less than all of it: whoever makes up an address sends nobody."""
    told = run("""
        const room = "i=ABEiM0RVZneImaq7zN3u_w", k = "ab".repeat(16), t = "cd".repeat(32);
        const own = { controllerIn: () => k, room: () => ({ secret: "x" }) };
        const other = { controllerIn: () => "ef".repeat(16), room: () => ({ secret: "x" }) };
        const nobody = { controllerIn: () => "ef".repeat(16), room: () => ({}) };
        const links = [`${room}&t=${t}&k=${k}`, `${room}&k=${k}`, `${room}&t=${t}`, `t=${t}&k=${k}`, `i=A&k=${k}`,
            `${room}&t=x&k=${k}`, `${room}&t=${t}&k=x`];
        return links.map((link) => {
            const ticket = readTicket("#v=1&" + link) ?? {};
            const begins = [own, other, nobody].map((store) => isSent(ticket, store));
            return [Boolean(ticket.pass), Boolean(ticket.controller), begins];
        });
    """)
    assert told == [
        [True, True, [True, False, True]],
        [False, True, [True, False, False]],
        [False, False, [False] * 3],
        [False, False, [False] * 3],
        [False, False, [False] * 3],
        [False, True, [True, False, False]],
        [False, False, [False] * 3],
    ]


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
        for (let time = 90; time <= 260; time += 10) mixer.feel(felt(time));
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
        mixer.madeUntil = start;
        // The sensor answered, and is held back until its sign is known.
        log.tap(1, start + 100);
        mixer.make(start + 400);
        const early = taken.length;
        for (let time = 0; time < 400; time += 20) mixer.feel({ time: Math.floor((start + time) * 1000), acceleration: [0, 0, 9.8] });
        const held = taken.filter((sample) => sample.buttons === 2).length;
        const felt = taken.length;
        mixer.feltAt = start + 400;
        for (let now = start + 400; now <= start + 1000; now += 10) mixer.make(now);
        const idle = taken.length - felt;
        log.tap(3, start + 1010);
        for (let now = start + 1000; now < start + 1400; now += 10) mixer.make(now);
        const dead = taken.slice(felt);
        // The page stands still for 600 ms with a button down: what the sensor said meanwhile comes only after it.
        log.press(5, start + 1400);
        mixer.feel({ time: Math.floor((start + 1400) * 1000), acceleration: [0, 0, 9.7] });
        mixer.feltAt = start + 1400;
        mixer.make(start + 1410);
        const before = taken.length;
        mixer.make(start + 2000);
        const madeUp = taken.length - before;
        for (let time = 1420; time < 2000; time += 20) mixer.feel({ time: Math.floor((start + time) * 1000), acceleration: [0, 0, 9.7] });
        const late = taken.length - before;
        return [early, held, idle, dead.filter((sample) => sample.buttons === 8).length, dead.at(-1).buttons,
            dead.every((sample) => sample.acceleration[2] === 9.8), dead.length, madeUp, late];
    """)
    assert told[0] == 0, "nothing is made up before it has spoken"
    assert 4 <= told[1] <= 6, "the press stands where it was"
    assert told[2] == 0, "nothing is repeated while no button says anything"
    assert 5 <= told[3] <= 8 and told[4] == 0 and told[5] and told[6] < 15
    assert told[7:] == [0, 29], "every reading that waited is taken, and none was made up in its place"


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
