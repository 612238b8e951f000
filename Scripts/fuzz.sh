#!/usr/bin/env bash
# Fuzzes the wire format: Scripts/fuzz.sh [SECONDS for each target, default 20]
#
# Exits with 1 when a target traps, breaks a promise or touches memory that is not its own; the input stays in
# .build-fuzz/findings. See Fuzz/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds="${1:-20}"
build=.build-fuzz
# Without this a crashing child would spend minutes on its own backtrace.
export SWIFT_BACKTRACE=enable=no
# Memory is watched by AddressSanitizer; leaks in one-shot inputs are none of a parser's.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
mkdir -p "$build/findings"

mapfile -t sources < <(find Sources/Protocol -name '*.swift' | sort)

make_target() { # TARGET: compiles Fuzz/TARGET.swift with the module's sources, if any of them is newer
    local program="$build/$1"
    if [[ -x $program && -z $(find Sources/Protocol "Fuzz/$1.swift" -name '*.swift' -newer "$program") ]]; then
        return
    fi
    echo "building $1"
    swiftc -O -parse-as-library -swift-version 6 -package-name roomful -module-name "Fuzz$1" -use-ld=lld \
        -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
        -enable-upcoming-feature MemberImportVisibility -sanitize=fuzzer,address \
        "${sources[@]}" "Fuzz/$1.swift" -o "$program"
}

fuzz() { # TARGET LENGTH: runs it on its corpus, learning into a copy
    local name corpus log
    name="$(tr '[:upper:]' '[:lower:]' <<<"$1")"
    corpus="$build/corpus/$name"
    log="$build/$name.log"
    mkdir -p "$corpus"
    if ! "$build/$1" -max_total_time="$seconds" -max_len="$2" -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 \
        -artifact_prefix="$build/findings/$name-" "$corpus" "Fuzz/Corpus/$name" >"$log" 2>&1; then
        tail -40 "$log"
        echo "$name: FAILED; the input is in $build/findings" >&2
        return 1
    fi
    local count rate
    count="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    rate="$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")"
    echo "$name: $count inputs, $rate a second, no finding"
}

make_target Outer
make_target Inner
failed=0
fuzz Outer 1300 || failed=1
fuzz Inner 1175 || failed=1
exit "$failed"
