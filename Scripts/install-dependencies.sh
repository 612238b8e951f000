#!/usr/bin/env bash
# Installs what Roomful needs beside a Swift toolchain, on Debian 12. Says what it does; does nothing where everything
# is there already.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: install-dependencies.sh [--tests [--engines]]

Installs with apt what building and running Roomful needs; with --tests also what its tests need, and a Python
environment for them in .build-venv; with --engines Firefox and WebKit beside Chromium. Needs root or sudo only if something is missing.
TEXT
}
die() { echo "install-dependencies.sh: $*" >&2; exit 1; }

#         headers to build with                  discovery, with a daemon and without     fast sealing
packages=(libavahi-client-dev libsqlite3-dev     avahi-daemon dbus libavahi-core7         libsodium23)
tests=no
case ${1:-} in
"") ;;
#                        a second opinion  a LAN in one machine   tickets' oracle  scripts
--tests)
    tests=yes packages+=(avahi-utils  iproute2 nftables      openssl          python3 python3-venv)
    #         QR codes' oracles                    a reverse proxy
    packages+=(qrencode zbar-tools librsvg2-bin    nginx-light)
    #         a browser, the same without windows, and letters for them
    packages+=(chromium chromium-headless-shell          fonts-dejavu-core)
    #         a site's broker, and the library by which a room speaks to it (found at run time)
    packages+=(nats-server libnats3.4)
    #         what judges the service's unit; it is not started    what counts instructions    what opens a hotspot
    packages+=(systemd                                              valgrind                    network-manager)
    #         what reads programs' files
    packages+=(binutils)
    ;;
-h | --help) usage; exit 0 ;;
*) usage >&2; exit 2 ;;
esac

case ${2:-} in
"") ;;
#                       other browsers, with their drivers and a screen for one of them
--engines) packages+=(firefox-esr webkit2gtk-driver xvfb) ;;
*) usage >&2; exit 2 ;;
esac

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

install_packages() {
    local sudo=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "become root, or install sudo; missing are: $*"
        sudo=(sudo)
    fi
    # Where it was not there it would take this machine's networks over; the tests start it in one of their own.
    if [[ " $* " = *" network-manager "* && -d /run/systemd/system ]]; then
        echo "NetworkManager will not run here by itself; undo: systemctl unmask NetworkManager"
        "${sudo[@]}" systemctl mask --quiet NetworkManager.service
    fi
    echo "installing from Debian: $*"
    "${sudo[@]}" apt-get update -qq || die "apt-get update failed; is there a network?"
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null ||
        die "apt-get could not install: $*"
}

missing=()
command -v dpkg-query >/dev/null || die "this is no Debian; install by its own means what these are there: ${packages[*]}"
for package in "${packages[@]}"; do is_installed "$package" || missing+=("$package"); done
[ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"

PATH="$PATH:/opt/swift/usr/bin:/opt/swift/bin" command -v swift >/dev/null ||
    die "no Swift toolchain was found: install Swift 6.2 or later from swift.org, and put it into PATH"

if [ $tests = yes ]; then
    venv=$(dirname "$0")/../.build-venv
    requirements=$(dirname "$0")/requirements.txt
    # The copy that the environment was made from says whether it is whole, and whether the list changed since.
    if ! cmp -s "$requirements" "$venv/requirements.txt" || ! "$venv/bin/python" -c '' 2>/dev/null; then
        echo "making a Python environment for the tests in .build-venv"
        rm -rf "$venv"
        # Debian's own interpreter, for which python3-venv was installed; not one that stands before it in PATH.
        /usr/bin/python3 -m venv "$venv"
        "$venv/bin/pip" install -q --disable-pip-version-check --no-deps -r "$requirements" ||
            die "pip could not install what Scripts/requirements.txt lists; is there a network?"
        "$venv/bin/pip" check -q || die "Scripts/requirements.txt is not complete"
        cp "$requirements" "$venv/requirements.txt"
    fi
fi
