#!/usr/bin/env bash
# Installs the Debian package on a Debian 12 that has never seen Swift, plays the demo there, removes the package, and looks
# at what is left. Needs root, debootstrap and a way to Debian's mirror; touches nothing outside of a folder in /tmp.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    cat <<'TEXT'
usage: try-package.sh [--no-recommends] PACKAGE.deb

--no-recommends   without avahi-daemon, libavahi-core7 and libsodium23: the demo must say what is missing
TEXT
}
recommends=yes
[ "${1:-}" != --no-recommends ] || { recommends=no; shift; }
package=$(realpath "${1:?$(usage)}")
die() { echo "try-package.sh: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || die "needs root, for debootstrap and chroot"
command -v debootstrap >/dev/null || { apt-get update -q && apt-get install -qy --no-install-recommends debootstrap; } >/dev/null

root=$(mktemp -d /tmp/roomful-package-XXXXXX)
finish() {
    umount "$root/proc" 2>/dev/null || true
    umount --recursive --lazy "$root/dev" 2>/dev/null || true
    rm -rf --one-file-system "$root"
}
trap finish EXIT
step() { printf '== %s\n' "$*"; }
# A network with nothing but a loopback interface, processes and a /run of their own.
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb DEBIAN_FRONTEND=noninteractive "$@"; }
files() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./var/lib/dpkg -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/apt \) -prune -o -print | sort); }

step "a Debian 12, made by debootstrap"
debootstrap --variant=minbase bookworm "$root" >"$root.log" 2>&1 || { tail -n 5 "$root.log" >&2; die "debootstrap failed"; }
rm -f "$root.log"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev" && mount --make-rslave "$root/dev"
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
for each in /etc/apt/apt.conf.d/*proxy* /etc/apt/apt.conf; do [ ! -f "$each" ] || cp "$each" "$root/etc/apt/apt.conf.d/"; done
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
inside apt-get update -q >/dev/null
# What the package depends on comes before the clock runs, so that a slow mirror is not measured; the package does not.
needed=$(dpkg-deb -f "$package" Depends | sed 's/([^)]*)//g; s/,//g')
[ $recommends = no ] || needed+=" $(dpkg-deb -f "$package" Recommends | sed 's/,//g') iproute2 dbus"
inside apt-get install -qy --no-install-recommends $needed >/dev/null
files >"$root/tmp/before"

step "apt install ./${package##*/}, and the demo"
cp "$package" "$root/tmp/roomful.deb"
begun=$(date +%s)
inside apt-get install -qy --no-install-recommends /tmp/roomful.deb >/dev/null
! inside sh -c 'command -v swift || command -v swiftc' || die "there is a Swift toolchain in here: this proves nothing"
inside roomful --version
unshare --net --mount -- bash -c "ip link set lo up multicast on; exec chroot '$root' /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb roomful demo" |
    tail -n 12
echo "from apt install to the demo's end: $(($(date +%s) - begun)) s"
inside test -s /usr/share/roomful/site/documentation/index.html
inside sh -c 'test -s /usr/share/man/man1/roomful.1.gz && roomful config print > /tmp/rooms.toml && roomful config check /tmp/rooms.toml'

step "apt purge roomful"
inside apt-get purge -qy roomful >/dev/null
files >"$root/tmp/after"
if ! diff "$root/tmp/before" "$root/tmp/after"; then die "this is left of it"; fi
echo "nothing is left of it"
