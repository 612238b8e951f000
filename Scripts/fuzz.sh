#!/usr/bin/env bash
# Fuzzes what strangers and seated controllers can send: Scripts/fuzz.sh [SECONDS for each target, default 60]
#
# Two targets at a time. Exits with 1 when one traps, breaks a promise or touches memory that is not its own; the input
# stays in .build-fuzz/findings. See Fuzz/README.md.
#
#   FUZZ_TARGETS   which to run; default "Outer Inner Control Calls Script"
set -euo pipefail
cd "$(dirname "$0")/.."

seconds="${1:-60}"
read -ra targets <<<"${FUZZ_TARGETS:-Outer Inner Control Calls Script}"
build=.build-fuzz
support=Tests/SessionCoordinatorTests/Support
# Without this a crashing child would spend minutes on its own backtrace.
export SWIFT_BACKTRACE=enable=no
# Memory is watched by AddressSanitizer; leaks in one-shot inputs are none of a parser's.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
mkdir -p "$build/findings" "$build/modules"

# Optimised, yet with the assertions in which the cores check their own laws.
flags=(-O -assert-config Debug -swift-version 6 -package-name roomful -parse-as-library -use-ld=lld
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility -sanitize=fuzzer,address -I "$build/modules")

is_current() { # PRODUCT SOURCES...: no source is newer
    [[ -e $1 && -z $(find "${@:2}" -newer "$1" -print -quit) ]]
}

make_module() { # MODULE FOLDER: compiles a core, if anything changed since
    local object="$build/modules/$1.o" sources
    mapfile -t sources < <(find "$2" -name '*.swift' | sort)
    is_current "$object" Scripts/fuzz.sh Sources/Protocol "$2" && return
    echo "building $1"
    swiftc "${flags[@]}" -wmo -enable-testing -module-name "$1" -emit-module \
        -emit-module-path "$build/modules/$1.swiftmodule" -c "${sources[@]}" -o "$object"
}

make_target() { # TARGET: links Fuzz/TARGET.swift, and what lies in Fuzz/TARGET, with the cores
    local program="$build/$1" sources=("Fuzz/$1.swift")
    # What is announced is read by PeerDiscovery, of which these parts alone need no Avahi.
    if [[ $1 == Calls ]]; then
        sources+=(Sources/PeerDiscovery/Naming/*.swift Sources/PeerDiscovery/Pads/PadRecord.swift)
    fi
    # A script's room is the tests' own, with the same independent books.
    if [[ $1 == Script ]]; then
        sources+=(Fuzz/Script/*.swift)
        local name
        for name in Books DeviceClock Guest HostedRoom Pad PeerTruth RecordingSink SampleOrder SentEntry+Reading TestCipher \
            Truth; do
            sources+=("$support/$name.swift")
        done
    fi
    is_current "$program" "${sources[@]}" "$build"/modules/*.o && return
    echo "building $1"
    swiftc "${flags[@]}" -wmo -module-name "Fuzz$1" "${sources[@]}" "$build"/modules/*.o -o "$program"
}

fuzz() { # TARGET: runs it on its corpus, learning into a copy
    local name corpus log length dictionary=()
    name="$(tr '[:upper:]' '[:lower:]' <<<"$1")"
    corpus="$build/corpus/$name"
    log="$build/$name.log"
    case $name in outer) length=1300 ;; inner) length=1175 ;; control | calls) length=4096 ;; *) length=600 ;; esac
    [[ -e Fuzz/$name.dict ]] && dictionary=(-dict="Fuzz/$name.dict")
    mkdir -p "$corpus"
    if ! "$build/$1" -max_total_time="$seconds" -max_len="$length" -timeout=10 -rss_limit_mb=1024 -detect_leaks=0 \
        -print_final_stats=1 -artifact_prefix="$build/findings/$name-" "${dictionary[@]}" \
        "$corpus" "Fuzz/Corpus/$name" >"$log" 2>&1; then
        tail -40 "$log"
        if [[ " ${ROOMFUL_FUZZ_REPORTED:-} " == *" $1 "* ]] && "$build/$1" -runs=0 -detect_leaks=0 \
            "Fuzz/Corpus/$name" >>"$log" 2>&1; then
            echo "$name: FINDING, reported only; the corpus passes, the input is in $build/findings" >&2
            return 0
        fi
        echo "$name: FAILED; the input is in $build/findings" >&2
        return 1
    fi
    local count rate
    count="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    rate="$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")"
    echo "$name: $count inputs, $rate a second, no finding"
}

make_module WireProtocol Sources/Protocol
make_module SessionCoordinator Sources/SessionCoordinator
make_module ControllerSession Sources/ControllerSession
make_module InputMerge Sources/InputMerge
for target in "${targets[@]}"; do make_target "$target"; done

failed=0
for ((first = 0; first < ${#targets[@]}; first += 2)); do
    running=()
    for target in "${targets[@]:first:2}"; do
        fuzz "$target" &
        running+=($!)
    done
    for process in "${running[@]}"; do wait "$process" || failed=1; done
done
exit "$failed"
