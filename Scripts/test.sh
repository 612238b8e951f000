#!/usr/bin/env bash
# Everything that says whether Roomful works: installs what is missing, builds once, and runs all checks, the test
# suites last. Exits with 1 if anything failed; the last lines say how long each step took, what failed, and the test
# runner's own summaries. A test of sockets, programs or pages that failed while all this ran beside it must pass three
# times by itself (Scripts/again.py), and is named as unsteady. With --real only the suites of sockets, files and daemons.
#
#   ROOMFUL_FUZZ_SECONDS      for each of nine fuzz targets, two at a time; default 15
#   ROOMFUL_EVENING_SECONDS   for simulated evenings; default 45
#   ROOMFUL_LEAN_BUILD        set, where what is built is thrown away: by Scripts/lean-build.sh, in two thirds of the time
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
'' | --real) ;;
*) echo "usage: test.sh [--real]; not $1" >&2 && exit 2 ;;
esac
# Where nobody is asked for a password, what only the tests need is installed beside the build.
if [ -n "${ROOMFUL_LEAN_BUILD:-}" ]; then Scripts/install-dependencies.sh; else Scripts/install-dependencies.sh --tests; fi
export PATH="$PATH:/opt/swift/usr/bin"
# Tests that need discovery fail without it, instead of standing aside. A test's crashing child needs no backtrace.
export ROOMFUL_REQUIRE_AVAHI=1 SWIFT_BACKTRACE=enable=no
python=.build-venv/bin/python
work=$(mktemp -d /tmp/roomful-test-XXXXXX)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"; [ -z "${ROOMFUL_LEAN_BUILD:-}" ] || rm -f Tests/XCTMain.swift' EXIT
# Compilers leave folders where temporary files are. SwiftPM's locks lie there, too: where somebody else may build in this
# folder it must be the usual place.
compilers=$work/compilers
mkdir "$compilers"
failed=()
durations=()

end_step() { [ -z "${current:-}" ] || durations+=("$(printf '%5d s  %s' "$((SECONDS - begun))" "$current")"); }
step() {
    end_step
    current=$*
    begun=$SECONDS
    printf '\n== %s\n' "$*"
}
check() { "$@" || { failed+=("$*"); echo "FAILED: $*"; }; }

# Two `swift test` of one build folder wait for each other; the program that they run does not. A shell lets what it puts
# beside itself ignore SIGINT, and so would every program that a test starts and interrupts.
suites() { # NAME ARGUMENTS...: runs test suites one by one, and keeps what they say as NAME
    "${one_by_one[@]}" --event-stream-output-path "$work/$1.events" --event-stream-version 0 "${@:2}" \
        >"$work/$1" 2>&1 || echo $? >"$work/$1-failed"
}
settle() { # NAME swift|pytest RECORD COMMAND...: what failed in it, by itself
    [ -e "$work/$1-failed" ] || return 0
    # 1 says that tests failed; with anything else the run did not come to its end.
    [ "$(cat "$work/$1-failed")" = 1 ] && $python Scripts/again.py "${@:2}" 2>&1 | tee "$work/$1-again"
}

step "one build"
Scripts/install-dependencies.sh --tests >"$work/installed" 2>&1 & installing=$!
# What is fuzzed and needs none of it is compiled beside it, when a processor has nothing else to do.
[ "${1:-}" = --real ] || FUZZ_TARGETS="Engine Recording Script Control Calls Outer Inner" TMPDIR=$compilers \
    nice -n 19 Scripts/fuzz.sh --build >"$work/fuzz-build" 2>&1 & compiling=$!
built=.build/debug
if [ -n "${ROOMFUL_LEAN_BUILD:-}" ]; then
    built=.build/release
    TMPDIR=$compilers Scripts/lean-build.sh
else
    swift build --build-tests
fi
export ROOMFUL_BUILT=$built
wait "$installing" || { cat "$work/installed" && exit 1; }
cat "$work/installed"
then=$SECONDS
program=$PWD/$built/roomful
tests=$PWD/$built/roomfulPackageTests.xctest
at_once=(env --default-signal=INT,QUIT "$tests" --testing-library swift-testing)
one_by_one=("${at_once[@]}" --no-parallel)
by_python=(env --default-signal=INT,QUIT ROOMFUL_PROGRAM="$program" "$python" -m pytest -q)
# What takes longest is named: a lane is as long as its last file.
longest=(--durations=12 --durations-min=8)

# What uses real sockets, files and daemons waits most of its time (for probing, a silence, a grace period): it runs in lanes,
# in each one by one, beside what computes, which gives way to them.
faults='RoomfulTests.(HostFaultTests|NetworkFaultTests|ReaderFaultTests|ScarcityFaultTests|StrangerFaultTests|AliasTests)/'
networks='RoomfulTests.(NameTests|ForgeryTests|BackendTests|DaemonDeathTests)/'
discovery='RoomfulTests.(ByNameTests|DoctorProgramTests|CallingProgramTests)/|PeerDiscoveryTests'
lanes=()
suites sockets --filter RoomfulTests --skip "$faults|$networks|$discovery" & lanes+=($!)
suites faults --filter "$faults" & lanes+=($!)
suites networks --filter "$networks" & lanes+=($!)
suites discovery --filter "$discovery" & lanes+=($!)
program_tests() {
    "${by_python[@]}" -o cache_dir="$work/operations.cache" -n 3 --dist loadfile --no-loadscope-reorder "${longest[@]}" Tests/Operations \
        >"$work/operations" 2>&1 || echo $? >"$work/operations-failed"
}
program_tests & operating=$!
# All of that by itself, and how long it takes.
if [ "${1:-}" = --real ]; then
    wait "${lanes[@]}" "$operating" || true
    (cd "$work" && { grep -hE '^✘ Test .* (recorded an issue|failed after)|^(FAILED|ERROR) Tests/' sockets faults networks \
        discovery operations || true; } && tail -n 1 -q sockets faults networks discovery operations)
    printf '%5d s  the suites of sockets, files and daemons\n' "$((SECONDS - then))"
    ! ls "$work"/*-failed >/dev/null 2>&1 || exit 1
    exit 0
fi

step "the wire format, by a script that knows only the document"
check $python Scripts/check-wire-format.py

step "the README shows the examples as they are"
check $python Scripts/check-readme.py

step "the tests that documents name are there"
filters() { "${at_once[@]}" --list-tests | $python Scripts/check-filters.py; }
check filters

step "the walls of the house, and the public interface"
check $python Scripts/check-house.py

step "the documentation as pages, and where its links lead"
check $python Scripts/make-site.py "$work/site"

step "the sources are laid out as agreed"
check swift format lint --strict --recursive Sources Tests Examples Benchmarks Package.swift

# What computes is optimised: in the one build, where Package.swift sees that it is thrown away, or in one beside it.
checked=()
if [ -n "${ROOMFUL_LEAN_BUILD:-}" ]; then
    checked=(--checked)
else
    step "an optimised build of what computes"
    for product in AllocationCheck EveningCheck SiteCheck; do check nice swift build -c release --product "$product"; done
fi
# One processor's work: beside what follows.
{ nice .build/release/EveningCheck --seconds "${ROOMFUL_EVENING_SECONDS:-45}" && nice .build/release/SiteCheck 1 500; } \
    >"$work/evenings" 2>&1 & playing=$!
nice Scripts/instruction-check.py "${checked[@]}" >"$work/instructions" 2>&1 & counting=$!
# What waits for the clock, as the lanes do.
{
    ROOMFUL_NO_SODIUM=1 Scripts/demo.sh --program "$program" --events "$work/events" --report "$work/demo.html" >"$work/demo"
} & showing=$!
ROOMFUL_NO_SODIUM=1 suites sealing --filter 'RoomfulTests.(CipherTests|SealVectorTests|JoiningTests)' & lanes+=($!)

step "no memory for a datagram"
check nice .build/release/AllocationCheck

{
    # What could not be compiled is told when it is tried again.
    while kill -0 "$compiling" 2>/dev/null; do sleep 1; done
    TMPDIR=$compilers nice Scripts/fuzz.sh "${ROOMFUL_FUZZ_SECONDS:-15}" >"$work/fuzz" 2>&1 || echo $? >"$work/fuzz-failed"
    # By then the lanes wait most of their time.
    NO_COLOR=1 nice "${at_once[@]}" --skip 'RoomfulTests|PeerDiscoveryTests' >"$work/pure" 2>&1
} & computing=$!

step "the demo, on a machine without libsodium, to its end; its events as the schema says"
demo() { wait "$showing"; }
check demo
tail -n 16 "$work/demo"
check grep -q 'sealing: swift-crypto' "$work/demo"
check $python Scripts/check-events-schema.py <"$work/events"

step "the suites of sockets, files and daemons, to their end"
wait "${lanes[@]}" || true
(cd "$work" && cat sockets faults networks discovery sealing)

step "no more instructions a sample than agreed"
instructions() { wait "$counting"; }
check instructions
cat "$work/instructions"

step "the evenings, to their end"
evenings() { wait "$playing"; }
check evenings
tail -n 40 "$work/evenings"

# The pages as a phone, an operator and a game have them, in the browser that the script above installed. Late, when little
# else wants the processor: amid everything a page with 21 players was not loaded within a minute, two times of two.
step "the pages in a real browser, and beside them the last of the program under a service manager"
pages() {
    "${by_python[@]}" -o cache_dir="$work/pages.cache" -n 4 --dist loadfile --no-loadscope-reorder "${longest[@]}" Tests/Browser 2>&1 | tee "$work/pages" ||
        echo $? >"$work/pages-failed"
}
pages
wait "$operating" || true
cat "$work/operations"

step "the pure suites, and fuzzing what strangers, guests, files and operators feed, to their end"
pure_suites() { wait "$computing"; }
check pure_suites
cat "$work/pure"
fuzzed() { [ ! -e "$work/fuzz-failed" ]; }
check fuzzed
cat "$work/fuzz"

step "what failed beside all this, by itself"
check settle sockets swift "$work/sockets.events" "${one_by_one[@]}"
ROOMFUL_NO_SODIUM=1 check settle sealing swift "$work/sealing.events" "${one_by_one[@]}"
for lane in faults networks discovery; do check settle $lane swift "$work/$lane.events" "${one_by_one[@]}"; done
check settle operations pytest "$work/operations.cache" "${by_python[@]}" Tests/Operations
check settle pages pytest "$work/pages.cache" "${by_python[@]}" Tests/Browser

step "summary"
end_step
printf '%s\n' "${durations[@]}"
printf '%5d s  in all\n' "$SECONDS"
[ ${#failed[@]} -eq 0 ] ||
    grep -hE '^✘ Test .* (recorded an issue|failed after)|^(FAILED|ERROR) Tests/' "$work"/{pure,sockets,faults,networks,discovery,sealing,operations,pages} || true
grep -hE '^[a-z]+: |error: ' "$work/fuzz" | grep -v 'no finding' || true
for run in "$work"/*-again; do
    [ ! -e "$run" ] || grep -E '^UNSTEADY: |Test run with [1-9][0-9]* test|^[0-9]+ (passed|failed)' "$run" || true
done
for what in "${failed[@]}"; do echo "FAILED: $what"; done
[ ${#failed[@]} -gt 0 ] || echo "all checks passed"
for run in pure sockets faults networks discovery sealing; do
    grep -E 'Test run with [1-9][0-9]* tests' "$work/$run" | tail -n 1 || { failed+=("$run"); echo "the $run suites did not finish"; }
done
for run in operations pages; do tail -n 1 "$work/$run"; done
[ ${#failed[@]} -eq 0 ]
