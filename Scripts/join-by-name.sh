#!/usr/bin/env bash
# Joins a room by its name over real sockets and a real Avahi daemon, kills its host, starts it again, and looks
# whether the controller got its seat back. As root on two hosts in network namespaces, else on one by loopback.
#
#   join-by-name.sh PROGRAM [ROOM NAME]        PROGRAM: the built `roomful`
set -euo pipefail
program=$1
name=${2:-"Léa's \"Room\" No. 1 🎮"}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d /tmp/roomful-name-XXXXXX)
lan=rn$(( $$ % 100000 ))
pids=()
isRoot=$([ "$(id -u)" -eq 0 ] && echo yes || echo no)

finish() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    if [ $isRoot = yes ]; then "$here/lan.sh" down "$lan" >/dev/null 2>&1 || true
    else "$here/avahi-loopback.sh" stop "$work/avahi" >/dev/null 2>&1 || true; fi
    rm -rf "$work"
}
trap finish EXIT
fail() {
    echo "FAILED: $*" >&2
    for file in "$work"/*.out; do echo "-- $file" >&2; tail -20 "$file" >&2; done
    exit 1
}
until_said() { # FILE PATTERN COUNT
    for _ in $(seq 600); do
        [ "$(grep -cE "$2" "$1" 2>/dev/null || true)" -ge "$3" ] && return
        sleep 0.1
    done
    fail "waited a minute for \"$2\" ($3 times) in $1"
}

unset XDG_RUNTIME_DIR
if [ $isRoot = yes ]; then
    "$here/lan.sh" up "$lan" 2 >/dev/null
    on() { local machine=$1; shift; "$here/lan.sh" in "$lan" "$machine" env "$@"; }
else
    eval "$("$here/avahi-loopback.sh" start "$work/avahi")"
    on() { shift; env "$@"; }
fi

host() { # OUTPUT
    on 1 ROOMFUL_STATE="$work/host" "$program" host "$name" --seats 2 --policy code --code-file "$work/ticket" >"$1" 2>&1 &
    pids+=($!)
}
host_pid() { pgrep -f -- "^$program host .*--code-file $work/ticket" | head -1; }

host "$work/host.out"
until_said "$work/host.out" 'with 2 seats' 1
for _ in $(seq 100); do
    on 2 "$program" browse --for 500ms >"$work/browse.out" 2>&1 && grep -qF "$name" "$work/browse.out" && break
done
grep -qF "$name" "$work/browse.out" || fail "the other machine does not see the room"

# A stranger without a ticket and without a terminal is stopped; an unknown name lists what is there.
on 2 ROOMFUL_STATE="$work/stranger" "$program" join "$name" --as Stranger --replay "$here/../Recordings/demo/tilt.csv" \
    >"$work/stranger.out" 2>&1 </dev/null && fail "a room that nobody vouches for was joined"
on 2 ROOMFUL_STATE="$work/stranger" "$program" join "No Such Room" --as Stranger \
    --replay "$here/../Recordings/demo/tilt.csv" >"$work/unknown.out" 2>&1 </dev/null && fail "an unknown room was joined"
grep -qF "$name" "$work/unknown.out" || fail "the error does not list the rooms that are there"

on 2 ROOMFUL_STATE="$work/blue" "$program" join "$name" --as Blue --replay "$here/../Recordings/demo/toss.csv" --loop \
    --code-file "$work/ticket" >"$work/join.out" 2>&1 &
pids+=($!)
until_said "$work/join.out" 'Blue has seat 1, drives player P1' 1
until_said "$work/host.out" 'P1 free-fall' 1
until_said "$work/join.out" '^haptic' 1
for _ in $(seq 100); do
    on 1 ROOMFUL_STATE="$work/host" "$program" peers Blue >"$work/peers.out" 2>&1 || true
    grep -q 'locked\|coarse' "$work/peers.out" && break
done
grep -q 'locked\|coarse' "$work/peers.out" || fail "the clock is not known"

kill -9 "$(host_pid)"
sleep 1
host "$work/host2.out"
until_said "$work/join.out" 'Blue has seat 1, drives player P1' 2
until_said "$work/host2.out" 'P1 free-fall' 1

# Red comes, plays and goes: what it counted itself stands against the host's closing table.
on 2 ROOMFUL_STATE="$work/red" "$program" join "$name" --as Red --replay "$here/../Recordings/demo/tilt.csv" --rate 400 \
    --code-file "$work/ticket" >"$work/red.out" 2>&1 || fail "Red could not play"
samples=$(sed -nE 's/^([0-9]+) samples: .*/\1/p' "$work/red.out")
kill -INT "$(host_pid)"
until_said "$work/host2.out" '^PLAYER ' 1
until_said "$work/host2.out" '^P2 +Red ' 1
awk -v samples="$samples" '
    $1 == "PLAYER" { for (column = 1; column <= 12; column++) heading[$column] = column }
    $1 == "P2" && $2 == "Red" && NF >= 15 { counted = $heading["DELIVERED"] + $heading["LATE"] }
    END { exit !(samples > 0 && counted == samples) }' "$work/host2.out" || fail "Red sent $samples samples; the table says otherwise"
# Its goodbye takes effect after a second (RFC 6762, 10.1); without one its records would last for two minutes.
for _ in $(seq 10); do
    on 2 "$program" browse --for 2s >"$work/after.out" 2>&1 || true
    grep -qF "$name" "$work/after.out" || break
done
grep -qF "$name" "$work/after.out" && fail "the room is still advertised"
echo "joined by name, came back to seat 1 after the host was killed, and left nothing behind"
