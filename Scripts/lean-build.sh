#!/usr/bin/env bash
# One build of everything, tests too, where it is thrown away afterwards (CI): Scripts/lean-build.sh [MORE FOR swift build].
# It takes two thirds of what `swift build --build-tests` takes, and lies in .build/release.
#
# - No index, no debug information, nothing optimised but what computes for long (Package.swift).
# - In release configuration: with DEBUG every program checks anew at each start how its options are defined, which takes
#   twice as long as all else of a short command, and the tests start it again and again. Assertions stay.
# - Each module in one piece, and what it is to others written by who compiles it: a third less work, though no module is
#   ready sooner. lld takes half the time.
# - A fifth of what is left is BoringSSL in C++, twice, and more than half of that reads the same headers for each of 526
#   files: they are read once for each of the two.
# - SwiftPM looks XCTest's tests up in the index, for a runner that it writes. There are none: a runner of Swift Testing
#   alone takes its place. `swift test --filter` needs SwiftPM's, so who calls this removes it: Tests/XCTMain.swift.
set -euo pipefail
cd "$(dirname "$0")/.."
export ROOMFUL_LEAN_BUILD=1
swift package resolve

lean=$PWD/.build/lean
mkdir -p "$lean"
real=$(dirname "$(readlink -f "$(command -v swift)")")/clang
# NAME HEADERS... ARGUMENTS OF CLANG: the flags are those of the build, or clang refuses the result. What was read by the same
# words stays, or all of C would be compiled anew each time.
headers() {
    local words=("$real" -O0 -DSWIFT_PACKAGE=1 -fblocks -fPIC -g0 -fno-omit-frame-pointer -w -std=c++17
        -fpch-instantiate-templates "${@:3}" -x c++-header "$lean/$1.hh" -o "$lean/$1.pch")
    local headers
    headers=$(printf '#include <%s>\n' memory algorithm utility type_traits initializer_list limits iterator array atomic \
        optional variant bitset functional string_view cstdlib cstring cstdint ctime cerrno cinttypes cstdarg cstdio assert.h
        for header in $2; do echo "#include <$1_$header.h>"; done)
    { "$real" --version; echo "${words[@]}"; echo "$headers"; cat "$PWD/Package.resolved"; } >"$lean/$1.new"
    # It is refused where a header is another by now, though all words are the same.
    if ! cmp -s "$lean/$1.new" "$lean/$1.words" ||
        ! "${words[@]:0:10}" "${@:3}" -include-pch "$lean/$1.pch" -x c++ -fsyntax-only /dev/null 2>/dev/null; then
        rm -f "$lean/$1.words"
        echo "$headers" >"$lean/$1.hh"
        "${words[@]}"
        mv "$lean/$1.new" "$lean/$1.words"
    fi
}
checkouts=$PWD/.build/checkouts
boring='base mem bio asn1t asn1 bn ec_key ec ecdsa evp err x509 x509v3 pkcs7 pkcs8 pem rsa dsa obj thread pool sha2 sha hkdf
    rand cipher aead bytestring stack span'
headers standard ''
headers CNIOBoringSSL "$boring ssl hpke" -I "$checkouts/swift-nio-ssl/Sources/CNIOBoringSSL/include" \
    -D_GNU_SOURCE -D_POSIX_C_SOURCE=200112L -D_DARWIN_C_SOURCE
headers CCryptoBoringSSL "$boring" -I "$checkouts/swift-crypto/Sources/CCryptoBoringSSL/include"
cat >"$lean/clang.new" <<END
#!/bin/sh
case \$* in
*/CNIOBoringSSL/*.cc' -o '*) exec "$real" -include-pch "$lean/CNIOBoringSSL.pch" "\$@" ;;
*/CCryptoBoringSSL/*.cc' -o '*) exec "$real" -include-pch "$lean/CCryptoBoringSSL.pch" "\$@" ;;
*.cc' -o '* | *.cpp' -o '*) exec "$real" -include-pch "$lean/standard.pch" "\$@" ;;
*) exec "$real" "\$@" ;;
esac
END
chmod +x "$lean/clang.new"
# All of C is compiled anew after a compiler that changed, or seems to have.
cmp -s "$lean/clang.new" "$lean/clang" && rm "$lean/clang.new" || mv "$lean/clang.new" "$lean/clang"

printf '%s\n' 'import Testing' '' '@main struct Runner {' \
    '    static func main() async { await Testing.__swiftPMEntryPoint() as Never }' '}' >Tests/XCTMain.swift
swift=()
for flag in -Onone -enable-testing -whole-module-optimization -num-threads 2 -no-emit-module-separately-wmo -use-ld=lld; do
    swift+=(-Xswiftc "$flag")
done
CC=$lean/clang exec swift build --build-tests -c release --disable-index-store -debug-info-format none \
    -Xcc -O0 "${swift[@]}" "$@"
