#!/usr/bin/env bash
# Makes what people install: a Debian package, and an archive that runs from any folder. Both hold one program with
# Swift's runtime inside, its manual, completions for bash, zsh and fish, the demo's recordings, and the list of what is
# inside with its licences (SPDX), and the documentation's pages. The same sources, toolchain and SOURCE_DATE_EPOCH make
# the same bytes, as far as Package.resolved is the same: it is no part of the sources, so take it from one clone to another.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PATH:/opt/swift/usr/bin" LC_ALL=C TZ=UTC

usage() {
    cat <<'TEXT'
usage: dist.sh [--out DIR] [--program FILE] [--site DIR]

--out      where the packages go; default: dist
--program  a program that was built before, instead of building it now (by Scripts/build-release.sh, or it needs more than the package says)
--site     the documentation's pages, for `roomful docs`, as `make site` made them; default: made of what is built here,
           none with --program
TEXT
}
out=dist program='' site=''
while [ $# -gt 0 ]; do
    case $1 in
    --out) out=${2:?}; shift 2 ;;
    --program) program=$(realpath "${2:?}"); shift 2 ;;
    --site) site=$(realpath "${2:?}"); shift 2 ;;
    *) usage >&2; exit 2 ;;
    esac
done
die() { echo "dist.sh: $*" >&2; exit 1; }
for tool in dpkg-deb strip gzip python3; do command -v "$tool" >/dev/null || die "$tool is missing; on Debian: apt-get install dpkg binutils gzip python3"; done

# The moment that files carry: the last commit's, unless the caller says.
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
export SOURCE_DATE_EPOCH
build=.build-dist
architecture=$(dpkg --print-architecture)

work=$(mktemp -d /tmp/roomful-dist-XXXXXX)
trap 'rm -rf "$work"' EXIT
umask 022

if [ -z "$program" ]; then
    # Some paths get into the program, and SwiftPM tells the compiler whole ones: this folder is /mnt for everyone, where a
    # mount of one's own is allowed.
    at=/mnt
    alone=(unshare --mount)
    [ "$(id -u)" = 0 ] || alone+=(--user --map-root-user)
    # In its shell's own words: $0 is where this folder is to be.
    there='[ "$PWD" = "$0" ] || mount --rbind "$PWD" "$0"; cd "$0"; shift; exec "$@"'
    # Toolchain and caches may lie below /mnt themselves.
    if ! "${alone[@]}" bash -euc "$there" "$at" -- swift --version >/dev/null 2>&1; then
        echo "dist.sh: nothing can be mounted at $at here (unshare --mount): other bytes than elsewhere" >&2
        at=$PWD alone=(env) build=.build-dist-here
    fi
    within() { "${alone[@]}" bash -euc "$there" "$at" -- "$@"; }
    rm -f "$build/release/roomful"
    within Scripts/build-release.sh --scratch-path "$build" --product roomful \
        -Xswiftc -file-prefix-map -Xswiftc "$at=." -Xcc "-ffile-prefix-map=$at=."
    program=$build/release/roomful
    [ -n "$site" ] || { site=$work/site && within env ROOMFUL_BUILT="$build/release" Scripts/make-site.py "$site"; }
fi
# A clone that has built nothing knows no versions yet, and the list of what is inside needs them.
[ -e Package.resolved ] || echo "dist.sh: no Package.resolved here, so the list of what is inside names today's versions:" \
    "take it from the clone that built $program" >&2
[ -e Package.resolved ] && [ -d "$build/checkouts" ] || swift package --scratch-path "$build" resolve
version=$("$program" --version)

# What both packages hold, below a prefix.
tree=$work/tree
install -D -m 755 "$program" "$tree/bin/roomful"
strip --strip-unneeded "$tree/bin/roomful"
Scripts/make-manual.py "$program" "$tree/share/man/man1"
complete() { ROOMFUL_STATE=$work/state "$program" --generate-completion-script "$1"; }
install -d "$tree/share/bash-completion/completions" "$tree/share/zsh/vendor-completions" "$tree/share/fish/vendor_completions.d"
complete bash >"$tree/share/bash-completion/completions/roomful"
complete zsh >"$tree/share/zsh/vendor-completions/_roomful"
complete fish >"$tree/share/fish/vendor_completions.d/roomful.fish"
install -D -m 755 -t "$tree/share/roomful/Scripts" Scripts/demo.sh Scripts/avahi-loopback.sh
install -D -m 644 -t "$tree/share/roomful/Recordings/demo" Recordings/demo/*.csv
install -D -m 644 -t "$tree/share/roomful/Recordings" Recordings/README.md
[ -z "$site" ] || { install -d "$tree/share/roomful" && cp -r --no-preserve=all "$site" "$tree/share/roomful/site"; }
document=$tree/share/doc/roomful
install -D -m 644 -t "$document" README.md Documentation/*.md Documentation/*.schema.json
Scripts/make-spdx.py "$version" "$build" >"$document/roomful.spdx.json"
{
    cat Packaging/copyright
    echo
    Scripts/make-spdx.py "$version" "$build" --texts
} >"$document/copyright"
install -D -m 644 -t "$tree/share/roomful" Packaging/example.toml

dated() { find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; }
mkdir -p "$out"

# The archive.
name=roomful-$version-linux-$architecture
cp -a "$tree" "$work/$name"
cp LICENSE README.md "$work/$name/"
dated "$work/$name"
tar --create --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu "$name" |
    gzip --no-name --best >"$out/$name.tar.gz"

# The Debian package.
root=$work/root
mkdir -p "$root/DEBIAN" "$root/usr"
cp -a "$tree/." "$root/usr/"
find "$root/usr/share/man" -name '*.1' -exec gzip --no-name --best {} +
gzip --no-name --best "$root"/usr/share/doc/roomful/*.schema.json "$root/usr/share/doc/roomful/README.md"
printf 'roomful (%s) unstable; urgency=medium\n\n  * See the history of the sources.\n\n -- The Roomful contributors <roomful@localhost>  %s\n' \
    "$version" "$(date --rfc-email --date="@$SOURCE_DATE_EPOCH")" | gzip --no-name --best >"$root/usr/share/doc/roomful/changelog.gz"
install -d "$root/usr/lib/systemd/system"
"$program" service unit >"$root/usr/lib/systemd/system/roomful@.service"
install -d "$root/usr/lib/sysusers.d"
"$program" service unit --user >"$root/usr/lib/sysusers.d/roomful.conf"
chmod 644 "$root/usr/lib/systemd/system/roomful@.service" "$root/usr/lib/sysusers.d/roomful.conf"
install -m 755 -t "$root/DEBIAN" Packaging/postinst Packaging/prerm Packaging/postrm
size=$(du --apparent-size -sk "$root/usr" | cut -f1)
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@SIZE@/$size/" Packaging/control >"$root/DEBIAN/control"
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
dated "$root"
deb=$out/roomful_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$deb" >/dev/null

(cd "$out" && sha256sum "$name.tar.gz" "${deb##*/}" | tee "roomful-$version-$architecture.sha256")
