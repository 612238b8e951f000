#!/usr/bin/env bash
# Runs the tests under ThreadSanitizer, then under AddressSanitizer: Scripts/sanitize.sh [thread] [address]
#
# With the latter goes UndefinedBehaviorSanitizer, over what is written in C and C++, which traps there: Swift has none for
# itself on Linux, and traps by itself where C would go on.
# What is simulated takes all cores; what uses real sockets and daemons runs one by one. Exits with 1 if anything failed
# or was reported. A first build takes ten minutes for each sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- thread address
# A failing child would spend minutes on its own backtrace.
export SWIFT_BACKTRACE=enable=no
# What a program takes of memory says nothing there.
export ROOMFUL_SANITIZED=1
export TSAN_OPTIONS="suppressions=$PWD/Scripts/tsan-suppressions.txt halt_on_error=0 ${TSAN_OPTIONS:-}"
# Swift's runtime keeps what it made once; that is no leak.
export ASAN_OPTIONS="suppressions=$PWD/Scripts/asan-suppressions.txt detect_leaks=0 ${ASAN_OPTIONS:-}"

real='RoomfulTests|PeerDiscoveryTests'
failed=0
for sanitizer in "$@"; do
    build=(--sanitize="$sanitizer" --scratch-path ".build-${sanitizer:0:1}san")
    if [ "$sanitizer" = address ]; then
        build+=(-Xcc -fsanitize=undefined -Xcc -fsanitize-trap=all)
        build+=(-Xcc "-fsanitize-ignorelist=$PWD/Scripts/ubsan-ignored.txt")
    fi
    swift build --build-tests "${build[@]}"
    swift test --skip-build "${build[@]}" --skip "$real" || failed=1
    swift test --skip-build "${build[@]}" --no-parallel --filter "$real" || failed=1
done
exit "$failed"
