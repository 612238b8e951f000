"""What the QR code says, and who is sent to which seat by an address: no room needed."""

MODULES = 'const { isSent, readTicket, tidyCode } = await import("/phone/ticket.js");'


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
