#!/usr/bin/env bash
# Hosts a room, lets three controllers find it by its name through DNS-SD and replay real recordings over the sealed
# link, and shows who sits where, what they do, and what became of every datagram.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    cat <<'TEXT'
usage: demo.sh [--events FILE] [--report FILE] [--program FILE]

--events   also writes the room's events to FILE, as JSON lines
--report   writes the page about what was played to FILE; else into a folder of its own in /tmp
--program  this `roomful` instead of one that is built now
TEXT
}
events='' report='' roomful=''
while [ $# -gt 0 ]; do
    case $1 in
    --events) events=${2:?}; shift 2 ;;
    --report) report=$(realpath -m "${2:?}"); shift 2 ;;
    --program) roomful=$(realpath "${2:?}"); shift 2 ;;
    *) usage >&2; exit 2 ;;
    esac
done

# A package has brought what it needs.
[ ! -x Scripts/install-dependencies.sh ] || Scripts/install-dependencies.sh
if [ -z "$roomful" ]; then
    export PATH="$PATH:/opt/swift/usr/bin"
    echo "building (the first time takes some minutes)"
    swift build --product roomful
    roomful=$(swift build --show-bin-path)/roomful
fi

work=$(mktemp -d /tmp/roomful-demo-XXXXXX)
pids=()
finish() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    Scripts/avahi-loopback.sh stop "$work/avahi" >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

heading() { printf '\n== %s\n' "$*"; }
fail() {
    echo "demo: $*" >&2
    for file in "$work"/*.err; do [ ! -s "$file" ] || { echo "-- ${file##*/}" >&2; tail -n 20 "$file" >&2; }; done
    exit 1
}
# become NAME COMMAND…: turns this (sub)shell into roomful with a state folder of NAME's own, so that nothing of this
# user's is read or changed, and so that in the background its pid is the program's.
become() { local who=$1; shift; exec env -u XDG_RUNTIME_DIR ROOMFUL_STATE="$work/$who" "$roomful" "$@"; }
as() { (become "$@"); }

# The machine's own daemon if it answers; else one of ours, out of sight of all other rooms; else the responder that every
# room brings.
if ! nearby=$(as stranger browse --discovery daemon --for 1s 2>/dev/null); then
    if daemon=$(Scripts/avahi-loopback.sh start "$work/avahi" --own-network 2>/dev/null); then
        eval "$daemon"
    else
        nearby=$(as stranger browse --for 1s)
    fi
fi
room="Living Room"
! grep -q "^$room" <<<"$nearby" || room="Living Room $$" # Somebody near has one by that name.

heading "a room"
become host host "$room" --seats 3 --game demo --code-file "$work/ticket" --record "$work/demo.mcap" >"$work/host.out" 2>"$work/host.err" &
host=$!
pids+=("$host")
for _ in $(seq 100); do
    ! as host peers >/dev/null 2>&1 || break
    kill -0 "$host" 2>/dev/null || fail "the host did not start"
    sleep 0.1
done
[ -s "$work/ticket" ] || fail "the host wrote no ticket"
tail -n +1 -f "$work/host.out" --pid="$host" &
pids+=($!)
shown=$!
if [ -n "$events" ]; then
    become host events --json --motion --after 0 >"$events" 2>"$work/events.err" &
    pids+=($!)
fi

heading "found by its name"
for _ in $(seq 20); do # Before a room is announced, its name is probed for; on a busy machine that takes seconds.
    as stranger browse --for 1s >"$work/browse.out" 2>"$work/browse.err" || true
    ! grep -q "^$room " "$work/browse.out" || break
done
cat "$work/browse.out"
grep -q "^$room " "$work/browse.out" || fail "the room is not announced"

heading "three controllers join \"$room\" by name, and replay what people did with their phones"
declare -A recordings=([Dropper]=drop [Tilter]=tilt [Tosser]=toss) controllers
names=(Dropper Tilter Tosser)
for name in "${names[@]}"; do
    become "$name" join "$room" --as "$name" --replay "Recordings/demo/${recordings[$name]}.csv" \
        --code-file "$work/ticket" >"$work/$name.out" 2>"$work/$name.err" &
    controllers[$name]=$!
    pids+=($!)
done
sleep 9
heading "meanwhile, for the operator: roomful peers"
as host peers
echo
for name in "${names[@]}"; do wait "${controllers[$name]}" || fail "$name failed"; done

as host stop >"$work/stop.out"
wait "$host" || fail "the host did not end well"
if grep -q "CONTRADICT" "$work/host.out"; then fail "the accounts contradict each other"; fi
wait "$shown" || true
heading "what the controllers saw"
for name in "${names[@]}"; do
    echo "$(head -n 1 "$work/$name.out"); $(grep -c '^haptic' "$work/$name.out" || true) haptics"
    echo "    $(tail -n 1 "$work/$name.out")"
done

# The host's closing table against what each controller counted itself, its goodbyes included.
for name in "${names[@]}"; do
    samples=$(sed -nE 's/^([0-9]+) samples: .*/\1/p' "$work/$name.out")
    datagrams=$(sed -nE 's/^.*; ([0-9]+) datagrams, .*/\1/p' "$work/$name.out")
    awk -v name="$name" -v samples="$samples" -v datagrams="$datagrams" '
        $1 == "PLAYER" { for (column = 1; column <= 12; column++) heading[$column] = column }
        $1 ~ /^P[0-9]+$/ && $2 == name && NF >= 15 {
            found = 1
            numbered = $heading["UNIQUE"] + $heading["MISSING"]
            holds = numbered == datagrams &&
                $heading["DELIVERED"] + $heading["LATE"] + $heading["LOST"] == samples
        }
        END { exit !(found && holds) }' "$work/host.out" || fail "$name sent $samples samples in $datagrams datagrams; the table says otherwise"
done
gestures=$(grep -cE '^ *[0-9.]+ s  P[0-9]+ [a-z-]+, strength ' "$work/host.out" || true)
[ "$gestures" -gt 0 ] || fail "no gesture was seen"
heading "$gestures gestures of three players; every datagram and every sample is accounted for"

heading "played again from its recording: the same events, to the byte"
as stranger replay "$work/demo.mcap" --verify || fail "the recording does not play again to what was played"
[ -n "$report" ] || report=$(mktemp -d /tmp/roomful-report-XXXXXX)/demo.html
as stranger report "$work/demo.mcap" --output "$report"
