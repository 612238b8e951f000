#!/usr/bin/env bash
# Everything that says whether Roomful works: installs what is missing, builds once, and runs all checks, the test
# suites last. Exits with 1 if anything failed; the last lines are the test runner's own summaries.
#
#   ROOMFUL_FUZZ_SECONDS      for each of five fuzz targets, two at a time; default 60
#   ROOMFUL_EVENING_SECONDS   for simulated evenings; default 60
set -euo pipefail
cd "$(dirname "$0")/.."
Scripts/install-dependencies.sh --tests
export PATH="$PATH:/opt/swift/usr/bin"
# Tests that need discovery fail without it, instead of standing aside. A test's crashing child needs no backtrace.
export ROOMFUL_REQUIRE_AVAHI=1 SWIFT_BACKTRACE=enable=no
python=.build-venv/bin/python
work=$(mktemp -d /tmp/roomful-test-XXXXXX)
trap 'rm -rf "$work"' EXIT
failed=()

step() { printf '\n== %s\n' "$*"; }
check() { "$@" || { failed+=("$*"); echo "FAILED: $*"; }; }

step "one debug build"
swift build --build-tests
program=$(swift build --show-bin-path)/roomful

step "the wire format, by a script that knows only the document"
check $python Scripts/check-wire-format.py

step "the README shows the examples as they are"
check $python Scripts/check-readme.py

step "the tests that documents name are there"
filters() { swift test list --skip-build | $python Scripts/check-filters.py; }
check filters

step "the walls of the house, and the public interface"
check $python Scripts/check-house.py

step "no memory for a datagram, in an optimised build"
allocations() { swift build -c release --product AllocationCheck && .build/release/AllocationCheck; }
check allocations

step "a minute of simulated evenings, in an optimised build"
evenings() { swift build -c release --product EveningCheck && .build/release/EveningCheck --seconds "${ROOMFUL_EVENING_SECONDS:-60}"; }
check evenings

step "fuzzing what strangers send"
# What exploring whole scripts finds is as often a gap of the harness's own truth as a fault of the core: it is shown, and
# only what the committed corpus breaks fails the run.
check env ROOMFUL_FUZZ_REPORTED=Script Scripts/fuzz.sh "${ROOMFUL_FUZZ_SECONDS:-60}"

step "the demo, on a machine without libsodium; its events as the schema says"
demo() { ROOMFUL_NO_SODIUM=1 Scripts/demo.sh --program "$program" --events "$work/events" >"$work/demo"; }
check demo
tail -n 16 "$work/demo"
check grep -q 'sealing: swift-crypto' "$work/demo"
check $python Scripts/check-events-schema.py <"$work/events"

step "sealing without libsodium"
check env ROOMFUL_NO_SODIUM=1 swift test --skip-build \
    --filter 'RoomfulTests.(CipherTests|SealVectorTests|JoiningTests)'

# What is simulated takes both cores; what uses real sockets and daemons would starve beside it, and runs one by one.
step "the pure suites"
real='RoomfulTests|PeerDiscoveryTests'
pure_suites() { swift test --skip-build --skip "$real" 2>&1 | tee "$work/pure"; }
check pure_suites

# Those that wait for daemons' probing and announcing in networks of their own sleep most of the time: they run beside the
# others, each of the two one test after another.
step "the suites of sockets, files and daemons"
networks='RoomfulTests.(NameTests|ForgeryTests|BackendTests|DaemonDeathTests|ByNameTests|DoctorProgramTests|CallingProgramTests)/|PeerDiscoveryTests'
# Two `swift test` of one build folder wait for each other; the program that they run does not.
tests=$(swift build --show-bin-path)/roomfulPackageTests.xctest
(
    "$tests" --testing-library swift-testing --no-parallel --filter "$networks" >"$work/networks" 2>&1 &&
        echo 0 >"$work/networks-rc" || echo 1 >"$work/networks-rc"
) &
beside=$!
real_suites() { swift test --skip-build --no-parallel --filter RoomfulTests --skip "$networks" 2>&1 | tee "$work/real"; }
check real_suites
wait "$beside" || true
cat "$work/networks"
check test "$(cat "$work/networks-rc")" = 0

# The pages as a phone, an operator and a game have them, in the browser that the script above installed.
step "the pages, in a real browser"
browser() { ROOMFUL_PROGRAM=$program $python -m pytest -q Tests/Browser; }
check browser

step "summary"
for what in "${failed[@]}"; do echo "FAILED: $what"; done
[ ${#failed[@]} -gt 0 ] || echo "all checks passed"
for run in pure networks real; do
    grep -E 'Test run with [1-9][0-9]* tests' "$work/$run" | tail -n 1 || { failed+=("$run"); echo "the $run suites did not finish"; }
done
[ ${#failed[@]} -eq 0 ]
