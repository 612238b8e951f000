"""The page's half of the motion link: rules with time moved by hand, no room needed."""

MODULES = """
    const { Link } = await import("/phone/link/link.js");
    const { QueueingDelay } = await import("/phone/link/delay.js");
    const { ByteWriter } = await import("/phone/wire/bytes.js");
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
    /** A link that has sent five samples, of which three are confirmed. */
    const half = () => {
        const link = new Link([declaration]);
        link.open(7, false, 0);
        for (let i = 0; i < 5; i += 1) link.append(0, sample(i * 16667), i);
        drain(link, 5);
        link.receive(acknowledge(7, 0, 3), 6);
        return link;
    };
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
        const link = half();
        link.send(new Uint8Array([5]));
        link.open(8, true, 100);
        const [bytes] = drain(link, 100);
        return [runs(bytes), new DataView(bytes.buffer).getUint32(5), link.outbox.first];
    """)
    assert told == [{"epoch": 0, "floor": 3, "indexes": [3, 4]}, 0, 0]


def test_a_host_that_forgot_us_gets_a_new_stream_epoch_with_what_is_held_numbered_from_0(run):
    told = run("""
        const link = half();
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


def test_a_clock_that_moves_in_steps_is_told_as_one_with_each_answer(run):
    """By two steps: browsers round up as well, at random."""
    told = run("""
        return [0.1, 1, 1_000 / 60].map((step) => {
            const link = new Link([declaration]);
            link.open(7, false, 0);
            const shown = (now) => Math.floor(now / step) * step;
            for (let now = 0; now < 1_000; now += 0.03) drain(link, shown(now));
            link.receive(feedback(7, (w) => { w.u8(3); w.u16(2); w.u16(513); }), shown(1_000));
            const view = new DataView(drain(link, shown(1_000))[0].buffer);
            return [view.getUint8(17), view.getUint16(18), view.getUint32(30)];
        });
    """)
    assert [(kind, size) for kind, size, _ in told] == [(4, 14)] * 3
    for (_, _, grain), step in zip(told, (0.1, 1, 1_000 / 60)):
        assert abs(grain - 2e6 * step) < 2


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
        return [0, 50, -50, 190, 590].map((ppm) => {
            const delay = new QueueingDelay();
            let now = 0, most = 0;
            for (; now < 8 * 3_600_000; now += 200) most = Math.max(most, delay.add(now * (1 - ppm / 1e6), now));
            return [Math.round(most), Math.round(delay.smooth), Math.round(delay.add(now * (1 - ppm / 1e6) - 300, now))];
        });
    """)
    assert told == [[0, 0, 300]] * 5


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
