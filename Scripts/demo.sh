#!/usr/bin/env bash
# Hosts a room, lets three controllers find it by its name through a real Avahi daemon and replay real recordings,
# and shows who sat where, what they did, and what became of every datagram.
set -euo pipefail
cd "$(dirname "$0")/.."
Scripts/install-dependencies.sh
export PATH="$PATH:/opt/swift/usr/bin"
echo "building (the first time takes some minutes)"
swift build --product roomful
roomful=$(swift build --show-bin-path)/roomful

work=$(mktemp -d /tmp/roomful-demo-XXXXXX)
pids=()
finish() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    Scripts/avahi-loopback.sh stop "$work/avahi" >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT

# The machine's own daemon if it answers, else one of ours.
if ! timeout 5 "$roomful" browse --for 500ms >/dev/null 2>&1; then
    eval "$(Scripts/avahi-loopback.sh start "$work/avahi")"
fi
unset XDG_RUNTIME_DIR
room="Living Room $$"

echo
echo "== the room"
ROOMFUL_STATE=$work/host "$roomful" host "$room" --seats 3 --game demo --code-file "$work/ticket" >"$work/host.out" &
host=$!
pids+=("$host")
for _ in $(seq 100); do
    [ -s "$work/ticket" ] && ROOMFUL_STATE=$work/host "$roomful" peers >/dev/null 2>&1 && break
    kill -0 "$host" 2>/dev/null || { echo "the host did not start" >&2; exit 1; }
    sleep 0.1
done
cat "$work/host.out"

echo
echo "== found by name"
"$roomful" browse --for 2s

echo
echo "== three controllers join by name, and replay for 17 seconds"
tail -n +6 -f "$work/host.out" --pid="$host" &
pids+=($!)
controllers=()
for what in jump tilt shake; do
    ROOMFUL_STATE=$work/$what "$roomful" join "$room" --as "${what^}er" --replay "Recordings/demo/$what.csv" \
        --code-file "$work/ticket" >"$work/$what.out" 2>&1 &
    controllers+=($!)
    pids+=($!)
done
sleep 8
echo "-- after 8 seconds, by: roomful peers"
ROOMFUL_STATE=$work/host "$roomful" peers
for pid in "${controllers[@]}"; do wait "$pid" || { cat "$work"/*.out; echo "a controller failed" >&2; exit 1; }; done

ROOMFUL_STATE=$work/host "$roomful" stop
wait "$host" || { echo "the host did not end well" >&2; exit 1; }
sleep 0.3
echo
echo "== what the controllers say"
for what in jump tilt shake; do printf '%-6s ' "$what"; head -1 "$work/$what.out"; printf '       '; tail -1 "$work/$what.out"; done
grep -q '^The books add up' "$work/host.out" || { echo "the books do not add up" >&2; exit 1; }
gestures=$(grep -cE 'keepcalm-jump|tilt,|shake,' "$work/host.out")
echo
echo "$gestures gestures of three players; every datagram and every sample is accounted for."
