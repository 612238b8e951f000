#!/usr/bin/env bash
# Runs a fuzz target on its corpus, learning into a copy: Fuzz/run.sh TARGET SECONDS, in the folder above.
set -euo pipefail
target=$1 seconds=$2
build=.build-fuzz
name="$(tr '[:upper:]' '[:lower:]' <<<"$target")"
log="$build/$name.log"
case $name in outer) length=1300 ;; inner) length=1175 ;; control | calls | doors | files | recording) length=4096 ;; *) length=600 ;; esac
dictionary=()
[[ ! -e Fuzz/$name.dict ]] || dictionary=(-dict="Fuzz/$name.dict")
mkdir -p "$build/corpus/$name" "$build/findings"
touch "$build/$name.begun"
# Without this a crashing child would spend minutes on its own backtrace.
export SWIFT_BACKTRACE=enable=no
# Memory is watched by AddressSanitizer; leaks in one-shot inputs are none of a parser's. Where each piece of memory was
# asked for is not kept, which takes a third of the time: a finding's input shows it, run again with malloc_context_size=30.
export ASAN_OPTIONS="detect_leaks=0:malloc_context_size=0:${ASAN_OPTIONS:-}"

if ! "$build/$target" -max_total_time="$seconds" -runs="${FUZZ_RUNS:--1}" -max_len="$length" -timeout=60 -rss_limit_mb=1024 -detect_leaks=0 \
    -print_final_stats=1 -artifact_prefix="$build/findings/$name-" "${dictionary[@]}" \
    "$build/corpus/$name" "Fuzz/Corpus/$name" >"$log" 2>&1; then
    tail -40 "$log"
    # What is kept of a run elsewhere may be its last lines alone: what happened, and the input itself.
    grep -m1 -hE 'Fatal error|ERROR: |SUMMARY' "$log" | sed "s/^/$name: /" >&2 || true
    for input in $(find "$build/findings" -name "$name-*" -newer "$build/$name.begun"); do
        echo "$name: $(basename "$input") $(head -c 1500 "$input" | base64 -w 0)" >&2
    done
    echo "$name: FAILED; the input is in $build/findings" >&2
    exit 1
fi
count="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
rate="$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")"
echo "$name: $count inputs, $rate a second, no finding"
