#!/usr/bin/env bash
# Makes an evening out of recordings of motion: each file joins a recorded room of its own as a controller, and replays
# there at its own pace, over the sealed link. What comes out is a recording as any room's: for `roomful replay`, `report`
# and `export`.
#
#   Scripts/evening-of.sh [--program FILE] [--about TEXT] EVENING.mcap MOTION.csv[:NAME]…
#
# NAME is one recording of a file that holds several. Columns as `roomful join --replay` reads them.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PATH:/opt/swift/usr/bin"
usage() { sed -nE '/^# Makes/,/^$/s/^# ?//p' "$0" >&2; exit 2; }
roomful='' about=''
while [[ ${1:-} == --* ]]; do
    case $1 in
    --program) roomful=$(realpath "${2:?}"); shift 2 ;;
    --about) about=${2:?}; shift 2 ;;
    *) usage ;;
    esac
done
[ $# -ge 2 ] || usage
evening=$(realpath -m "$1")
shift
if [ -z "$roomful" ]; then
    swift build --product roomful >&2
    roomful=$(swift build --show-bin-path)/roomful
fi

work=$(mktemp -d /tmp/rf-XXXXXX)
unset XDG_RUNTIME_DIR
host=
trap 'if [ -n "$host" ]; then kill "$host" 2>/dev/null || true; fi; wait 2>/dev/null || true; rm -rf "$work"' EXIT
as() { ROOMFUL_STATE="$work/$1" "$roomful" "${@:2}"; }

ROOMFUL_STATE="$work/host" "$roomful" host "$(basename "$evening" .mcap)" --seats $# --policy open --discovery none \
    --http off --code-file "$work/ticket" --record "$evening" \
    --record-description "${about:-recordings of motion, replayed: $*}" >"$work/said" 2>&1 &
host=$!
for _ in $(seq 100); do
    [ ! -s "$work/ticket" ] || break
    kill -0 "$host" 2>/dev/null || { cat "$work/said" >&2; exit 1; }
    sleep 0.1
done
players=()
for motion in "$@"; do
    file=${motion%%:*}
    name=$(basename "$file" .csv)
    more=()
    [ "$file" = "$motion" ] || { name=${motion#*:}; more=(--recording "$name"); }
    as "player-${#players[@]}" join --as "${name:0:63}" --replay "$file" "${more[@]}" --code-file "$work/ticket" \
        >"$work/said-${#players[@]}" 2>&1 &
    players+=($!)
done
failed=0
for number in "${!players[@]}"; do
    wait "${players[$number]}" || { failed=1; tail -n 3 "$work/said-$number" >&2; }
done
as host stop >/dev/null
wait "$host" || failed=1
host=
[ $failed -eq 0 ] || exit 1
as host replay "$evening" --verify
