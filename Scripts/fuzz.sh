#!/usr/bin/env bash
# Fuzzes what strangers, guests, files and operators feed: Scripts/fuzz.sh [SECONDS for each target, default 60], or
# Scripts/fuzz.sh --build only compiles.
#
# Two things at a time: one target is tried while another is compiled (Fuzz/Makefile). Exits with 1 when one traps, breaks
# a promise or touches memory that is not its own; the input stays in .build-fuzz/findings. See Fuzz/README.md.
#
#   ROOMFUL_BUILT  the folder of a build that is there already: .build/debug
#   ROOMFUL_LEAN_BUILD  set, without AddressSanitizer, which takes a quarter of the compiling and half of the inputs
#   FUZZ_RUNS      ends a target earlier, after so many inputs: FUZZ_RUNS=100000000 FUZZ_TARGETS="Outer Inner" Scripts/fuzz.sh 3600
#   FUZZ_TARGETS   which to run; default "Doors Files Script Engine Recording Control Calls Outer Inner"
set -euo pipefail
cd "$(dirname "$0")/.."

# What takes longest to compile comes first.
read -ra targets <<<"${FUZZ_TARGETS:-Doors Files Script Engine Recording Control Calls Outer Inner}"
if [[ " ${targets[*]} " == *" Doors "* || " ${targets[*]} " == *" Files "* ]]; then
    # These are linked with the program's own objects.
    [ -n "${ROOMFUL_BUILT:-}" ] || swift build --product roomful
fi
unset MAKEFLAGS
[ "${1:-}" != --build ] || exec make -f Fuzz/Makefile "${targets[@]/#/.build-fuzz/}"
exec make -f Fuzz/Makefile -j2 --keep-going --output-sync SECONDS="${1:-60}" "${targets[@]/#/fuzz-}"
