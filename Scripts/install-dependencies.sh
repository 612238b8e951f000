#!/usr/bin/env bash
# Installs what Roomful needs beside a Swift toolchain, on Debian 12. Does nothing where everything is there already.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: install-dependencies.sh [--tests]

Installs with apt what building and running Roomful needs; with --tests also what its tests need, and a Python
environment for them in .build-venv. Needs root or sudo only if something is missing.
TEXT
}

packages=(libavahi-client-dev libsqlite3-dev avahi-daemon dbus libsodium23)
case ${1:-} in
"") ;;
--tests) packages+=(avahi-utils iproute2 nftables openssl python3 python3-venv) ;;
*) usage; exit 2 ;;
esac

missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
    echo "installing: ${missing[*]}"
    run=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { echo "become root, or install sudo; missing are: ${missing[*]}" >&2; exit 1; }
        run=(sudo)
    fi
    "${run[@]}" apt-get update -qq
    "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if ! command -v swift >/dev/null && [ ! -x /opt/swift/usr/bin/swift ]; then
    echo "no Swift toolchain was found: install Swift 6.2 or later from swift.org and put it into PATH" >&2
    exit 1
fi

if [ "${1:-}" = --tests ]; then
    venv=$(dirname "$0")/../.build-venv
    if ! "$venv/bin/python" -c 'import cryptography, jsonschema' 2>/dev/null; then
        echo "making a Python environment for the tests"
        rm -rf "$venv"
        /usr/bin/python3 -m venv "$venv"
        "$venv/bin/pip" install -q --disable-pip-version-check cryptography jsonschema
    fi
fi
