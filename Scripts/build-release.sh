#!/usr/bin/env bash
# The program as people install it: Scripts/build-release.sh [--scratch-path DIR] [MORE FOR swift build]. DIR counts from
# this repository, and is .build-release where nothing else is said.
# It starts in a third of the time that `swift build -c release` gives it, and an idle room touches half the memory.
#
# - Swift's runtime is inside, and C++'s, which only BoringSSL and that runtime need: the loader has a third fewer names to
#   look up. Nothing is exported that only libraries need.
# - Each function is a section of its own, so that what nobody calls is left out, and what a host calls lies together: the
#   kernel maps 64 KiB around whatever is touched, and that was nearly all code. Who they are says
#   Packaging/order.txt.gz, made by Scripts/order-functions.py; a name that is no more is passed over.
# - Addresses that the loader must move are packed (RELR; glibc 2.36).
# - No debug information.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PATH:/opt/swift/usr/bin"
build=.build-release
if [ "${1:-}" = --scratch-path ]; then
    build=${2:?}
    shift 2
fi
# CI's is thrown away, and looks again at what is true anyhow: it is not what is installed.
unset ROOMFUL_LEAN_BUILD
# Another list is another name: what is linked by it is linked anew.
order=$build/order-$(sha256sum <Packaging/order.txt.gz | cut -c 1-12).txt
if [ ! -e "$order" ]; then
    mkdir -p "$build"
    gzip --decompress --stdout Packaging/order.txt.gz >"$order.$$"
    mv "$order.$$" "$order"
fi
flags=(--static-swift-stdlib -Xswiftc -gnone -Xcc -g0)
flags+=(-Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xswiftc -use-ld=lld)
for flag in -z pack-relative-relocs --no-export-dynamic --no-warn-symbol-ordering "--symbol-ordering-file=$order"; do
    flags+=(-Xlinker "$flag")
done
# In a folder by itself: where both lie, the linker takes the shared one.
cxx=$(cc -print-file-name=libstdc++.a)
[ -e "$cxx" ] || { echo "no libstdc++.a: install libstdc++-12-dev, or what this system calls it" >&2; exit 1; }
mkdir -p "$build/static"
ln -sf "$(readlink -f "$cxx")" "$build/static/libstdc++.a"
flags+=(-Xlinker "-L$(cd "$build/static" && pwd)")
exec swift build -c release --scratch-path "$build" "${flags[@]}" "$@"
