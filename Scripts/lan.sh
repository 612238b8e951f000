#!/usr/bin/env bash
# A LAN in one machine: hosts in network namespaces on one switch that carries multicast, each with its own D-Bus and
# avahi-daemon. Needs root and iproute2; for the daemons, what avahi-loopback.sh needs.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: lan.sh up NAME HOSTS [--no-avahi]      hosts 1…HOSTS: 10.77.0.I and fd77::I on eth0
       lan.sh in NAME HOST COMMAND…           runs a command as that host, on its own bus
       lan.sh avahi NAME HOST start|stop|kill its avahi-daemon: start; end with goodbye; end without
       lan.sh bus NAME HOST start|kill        its D-Bus, without which its avahi-daemon ends too
       lan.sh cable NAME HOST cut|heal        pulls its cables at the switches, or plugs them in again
       lan.sh cable NAME HOST second          gives it eth1 to a second switch: 10.78.0.I and fd78::I
       lan.sh env NAME HOST                   prints the line that points a program outside at that host's bus
       lan.sh down NAME                       ends what runs in there and removes it; nothing there is no error

NAME is at most 8 letters and digits. State lives in ${ROOMFUL_LAN_STATE:-/tmp/roomful-lan}/NAME.
TEXT
}

die() { echo "lan.sh: $*" >&2; exit 1; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command=${1:-}; name=${2:-}
case $command in
up | in | avahi | bus | cable | env | down) ;;
-h | --help | help) usage; exit 0 ;;
*) usage >&2; exit 2 ;;
esac
[[ $name =~ ^[a-zA-Z0-9]{1,8}$ ]] || { usage >&2; exit 2; }
shift 2

state=${ROOMFUL_LAN_STATE:-/tmp/roomful-lan}/$name
switch=$name-switch
interfaces=eth0,eth1 # one that a host lacks is no trouble to its daemon
private() { "$here/avahi-loopback.sh" "$@"; }
host_number() { [[ ${1:-} =~ ^[1-9][0-9]?$ ]] || { usage >&2; exit 2; }; }
exists() { [ -e "/run/netns/$1" ]; }

add_switch() {
    ip netns add "$switch"
    for bridge in bridge second; do
        ip -n "$switch" link add $bridge type bridge mcast_snooping 0 stp_state 0
        ip -n "$switch" link set $bridge up
    done
}

add_host() {
    local host=$name-$1
    ip netns add "$host"
    ip -n "$host" link set lo up
    add_cable "$1" bridge "port$1" eth0 77
    ip -n "$host" route add default dev eth0 # multicast leaves by a route
}

# add_cable HOST BRIDGE PORT INTERFACE NET
add_cable() {
    local host=$name-$1
    ip -n "$switch" link add "$3" type veth peer name "$4" netns "$host"
    ip -n "$switch" link set "$3" master "$2" up
    ip -n "$host" addr add "10.$5.0.$1/24" dev "$4"
    ip -n "$host" link set "$4" up
    # No duplicate address detection: the address is there at once, before the daemon looks for it.
    ip -n "$host" addr add "fd$5::$1/64" dev "$4" nodad 2>/dev/null || true
}

# set_cables HOST up|down: at the switches.
set_cables() {
    local port
    for port in "port$1" "second$1"; do ip -n "$switch" link set "$port" "$2" 2>/dev/null || [ "$port" = "second$1" ]; done
}

start_avahi() {
    ip netns exec "$name-$1" "$here/avahi-loopback.sh" \
        start "$state/$1" --interface $interfaces --host-name "$name-$1" >/dev/null
}

down() {
    local space pid
    for dir in "$state"/*; do
        [ ! -d "$dir" ] || private stop "$dir"
    done
    for space in /run/netns/"$name"-*; do
        [ -e "$space" ] || continue
        for pid in $(ip netns pids "${space##*/}"); do kill "$pid" 2>/dev/null || true; done
        ip netns del "${space##*/}"
    done
    rm -rf "${state:?}"
    rmdir "${state%/*}" 2>/dev/null || true
}

up() {
    ! exists "$switch" || die "there is a LAN named $name already; end it with: lan.sh down $name"
    trap 'down' ERR
    mkdir -p "$state"
    add_switch
    for ((host = 1; host <= $1; host++)); do
        add_host "$host"
        [ "${2:-}" = --no-avahi ] || start_avahi "$host"
    done
}

[ "$(id -u)" = 0 ] || [ "$command" = env ] || die "network namespaces need root"
case $command in
up) host_number "${1:-}"; up "$@" ;;
in)
    host_number "${1:-}"; host=$1; shift
    exists "$name-$host" || die "no host $host in $name"
    DBUS_SYSTEM_BUS_ADDRESS=unix:path=$state/$host/bus exec ip netns exec "$name-$host" "$@" ;;
avahi)
    host_number "${1:-}"
    # A host that was brought up without gets all that a daemon needs.
    if [ "${2:-}" = start ] && [ ! -e "$state/$1/avahi.conf" ]; then start_avahi "$1"; exit; fi
    exec ip netns exec "$name-$1" "$here/avahi-loopback.sh" daemon "$state/$1" "${2:-}" ;;
bus) host_number "${1:-}"; private bus "$state/$1" "${2:-}" ;;
cable)
    host_number "${1:-}"
    case ${2:-} in
    cut) set_cables "$1" down ;;
    heal) set_cables "$1" up ;;
    second) add_cable "$1" second "second$1" eth1 78 ;;
    *) usage >&2; exit 2 ;;
    esac ;;
env) host_number "${1:-}"; private env "$state/$1" ;;
down) down ;;
esac
