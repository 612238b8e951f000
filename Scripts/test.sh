#!/usr/bin/env bash
# Everything that says whether Roomful works: installs what is missing, builds once, runs all tests.
set -euo pipefail
cd "$(dirname "$0")/.."
Scripts/install-dependencies.sh --tests
export PATH="$PATH:/opt/swift/usr/bin"
export SWIFT_BACKTRACE=enable=no ROOMFUL_REQUIRE_AVAHI=1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0

step() { printf '\n== %s\n' "$*"; }
check() { "$@" || { status=1; echo "FAILED: $*"; }; }

step "one debug build"
swift build --build-tests

step "the wire format, by a script that knows only the document"
check .build-venv/bin/python Scripts/check-wire-format.py

step "fuzzing what strangers send, shortly"
check Scripts/fuzz.sh "${ROOMFUL_FUZZ_SECONDS:-10}"

step "sealing without libsodium"
ROOMFUL_NO_SODIUM=1 check swift test --skip-build --filter 'RoomfulTests.(CipherTests|SealVectorTests|JoiningTests)'

step "all tests"
swift test --skip-build 2>&1 | tee "$log" || status=1

step "summary"
[ "$status" -eq 0 ] && echo "all checks passed" || echo "SOMETHING FAILED: look above"
grep -E 'Test run with [0-9]+ tests' "$log" | tail -1
exit "$status"
