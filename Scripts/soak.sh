#!/usr/bin/env bash
# The long trials: fleets of simulated controllers on bad networks, in an optimised build, all on this machine's own
# loopback device. Each must end with books equal to the truth, memory flat, and the descriptors that it began with.
#
#   Scripts/soak.sh [--program FILE]     ROOMFUL_SOAK_MINUTES of the longest trial; default 10
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PATH:/opt/swift/usr/bin" SWIFT_BACKTRACE=enable=no
minutes=${ROOMFUL_SOAK_MINUTES:-10}
network="loss=5%,burst=3,delay=20±10ms,reorder=1%,dup=0.5%"
if [ "${1:-}" = --program ]; then
    program=$2
else
    swift build -c release --product roomful
    program=$(swift build -c release --show-bin-path)/roomful
fi
work=$(mktemp -d /tmp/roomful-soak-XXXXXX)
export ROOMFUL_STATE=$work/state
unset XDG_RUNTIME_DIR
host=
trap 'if [ -n "$host" ]; then kill "$host" 2>/dev/null || true; fi; rm -rf "$work"' EXIT
failed=0

# trial NAME CONTROLLERS RATE SECONDS NETWORK
trial() {
    printf '\n== %s: %s controllers at %s Hz for %s s, "%s"\n' "$1" "$2" "$3" "$4" "$5"
    "$program" host Soak --seats "$2" --discovery none --json >"$work/events" 2>"$work/said" &
    host=$!
    for _ in $(seq 100); do "$program" peers >/dev/null 2>&1 && break; sleep 0.1; done
    "$program" lab fleet --room Soak --controllers "$2" --rate "$3" --for "$4s" --seed 7 --network "$5" \
        --report "$work/$1.json" >"$work/$1.txt" || { failed=1; echo "FAILED: $1"; }
    grep -v 'samples/s confirmed' "$work/$1.txt" || true
    kill "$host"
    wait "$host" || { failed=1; echo "FAILED: the host ended with $?"; }
    host=
}

trial hundred 100 100 60 "loss=20%,delay=20±10ms"
trial hall 200 100 60 "$network"
trial thousand 1000 30 60 "$network"
trial long 100 50 $((minutes * 60)) "$network"
[ $failed -eq 0 ] && printf '\nall trials held\n'
exit $failed
