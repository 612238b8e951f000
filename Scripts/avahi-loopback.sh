#!/usr/bin/env bash
# A D-Bus and an avahi-daemon of one's own, beside whatever the machine runs, so that discovery can be tried and tested
# without touching the system's daemon.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: avahi-loopback.sh start DIR [--interface lo] [--host-name NAME] [--own-network]
       avahi-loopback.sh daemon DIR start|stop|kill|pause|resume
       avahi-loopback.sh bus DIR start|kill
       avahi-loopback.sh env DIR
       avahi-loopback.sh stop DIR

start   makes DIR (mode 0700; keep its path below 90 characters: a Unix socket lives there), starts dbus-daemon and
        avahi-daemon, waits until they answer, and prints the lines that point a program at them:
            eval "$(Scripts/avahi-loopback.sh start "$PWD/.avahi")"
        --own-network puts avahi-daemon alone into a new network with nothing but a loopback interface. Its clients
        reach it through the bus's socket all the same, and no other daemon on port 5353 is within its sight.
daemon  starts, stops (SIGTERM, says goodbye) or kills (SIGKILL, says nothing) avahi-daemon and leaves the bus alone;
        pause and resume make it hang and go on (SIGSTOP, SIGCONT).
bus     the same for dbus-daemon, for whoever wants to see what happens without it; avahi-daemon does not survive that.
env     prints the same lines again. A process that already spoke to another system bus does not change over.
stop    ends both and removes what start made; nothing to stop is no error.

Needs dbus-daemon and avahi-daemon, not their services. avahi-daemon insists on /run/avahi-daemon, so it gets a /run of
its own: as root in a mount namespace, as anyone else in a user namespace too, where the kernel allows that.
TEXT
}

die() { echo "avahi-loopback.sh: $*" >&2; exit 1; }
need() { command -v "$1" >/dev/null || die "$1 is missing; on Debian: apt-get install $2"; }
alive() { [ -s "$1" ] && kill -0 "$(cat "$1")" 2>/dev/null; }

# wait_until SECONDS CONDITION...: polls ten times a second.
wait_until() {
    local tries=$(($1 * 10)); shift
    while ! "$@"; do
        ((tries-- > 0)) || return 1
        sleep 0.1
    done
}

# end PIDFILE SIGNAL: ends the process and returns when it is gone.
end() {
    alive "$1" || { rm -f "$1"; return 0; }
    local pid; pid=$(cat "$1")
    kill "-$2" "$pid"
    wait_until 5 not_running "$pid" || kill -KILL "$pid" 2>/dev/null || true
    rm -f "$1"
}
# A zombie has ended too: who reaps it is not our business.
not_running() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2>/dev/null; }

# detached COMMAND...: becomes COMMAND, in a session of its own and without the descriptors that our caller left open:
# some callers (Foundation's Process among them) wait until the last of them is closed.
detached() {
    local path fd
    for path in /proc/"$BASHPID"/fd/*; do
        fd=${path##*/}
        ((fd <= 2)) || eval "exec $fd>&-"
    done
    exec setsid "$@"
}

print_env() { echo "export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$dir/bus"; }

write_configuration() {
    cat > "$dir/bus.conf" <<XML
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path=$dir/bus</listen>
  <auth>EXTERNAL</auth> <auth>ANONYMOUS</auth> <allow_anonymous/>
  <policy context="default">
    <allow user="*"/> <allow own="*"/>
    <allow send_destination="*"/> <allow send_type="method_call"/> <allow receive_sender="*"/>
  </policy>
</busconfig>
XML
    cat > "$dir/avahi.conf" <<CONF
[server]
host-name=$host_name
allow-interfaces=$interface
use-ipv4=yes
use-ipv6=yes
disallow-other-stacks=no
[wide-area]
enable-wide-area=no
[publish]
publish-hinfo=no
publish-workstation=no
CONF
}

bus_answers() { [ -S "$dir/bus" ]; }
daemon_answers() { grep -q 'Server startup complete' "$dir/avahi.log" 2>/dev/null; }

start_bus() {
    ! alive "$dir/bus.pid" || return 0
    rm -f "$dir/bus"
    detached dbus-daemon --config-file="$dir/bus.conf" --nofork --nopidfile </dev/null >"$dir/bus.log" 2>&1 &
    echo $! > "$dir/bus.pid"
    wait_until 20 bus_answers || die "dbus-daemon does not start: $(tail -n 3 "$dir/bus.log")"
}

start_daemon() {
    ! alive "$dir/avahi.pid" || return 0
    local namespaces=(--mount) inner
    # avahi-daemon wants its /run folder to belong to the user avahi, so without root that is whom we seem to be in
    # there. The bus sees through it and takes the daemon as anonymous; the bus's folder lets in nobody but us.
    [ "$(id -u)" = 0 ] || namespaces+=(--user --map-user="$(id -u avahi)" --map-group="$(id -g avahi)" --keep-caps)
    [ ! -e "$dir/own-network" ] || namespaces+=(--net)
    inner='set -e
        mount --make-rprivate / 2>/dev/null || true
        mount -t tmpfs tmpfs /run
        mkdir /run/avahi-daemon; chown avahi:avahi /run/avahi-daemon 2>/dev/null || true
        [ ! -e "$1/own-network" ] || ip link set lo up multicast on
        exec avahi-daemon --file="$1/avahi.conf" --no-chroot --no-drop-root --no-rlimits --debug'
    : > "$dir/avahi.log"
    DBUS_SYSTEM_BUS_ADDRESS=unix:path=$dir/bus detached unshare "${namespaces[@]}" bash -c "$inner" avahi "$dir" \
        </dev/null >>"$dir/avahi.log" 2>&1 &
    echo $! > "$dir/avahi.pid"
    wait_until 20 daemon_answers || die "avahi-daemon does not start (without root it needs user namespaces): $(
        tail -n 3 "$dir/avahi.log")"
}

start() {
    need dbus-daemon dbus; need avahi-daemon avahi-daemon; need unshare util-linux; need setsid util-linux
    mkdir -p "$dir"; chmod 700 "$dir"
    rm -f "$dir/own-network"
    [ "$own_network" = no ] || { need ip iproute2; touch "$dir/own-network"; }
    write_configuration
    start_bus
    start_daemon
    print_env
}

command=${1:-}; dir=${2:-}
case $command in
start | daemon | bus | env | stop) [ -n "$dir" ] || { usage >&2; exit 2; } ;;
-h | --help | help) usage; exit 0 ;;
*) usage >&2; exit 2 ;;
esac
shift 2
case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
[ ${#dir} -lt 90 ] || die "the path $dir is too long for a socket; choose one below 90 characters"

case $command in
start)
    interface=lo host_name=roomful-$$ own_network=no
    while [ $# -gt 0 ]; do
        case $1 in
        --interface) interface=${2:?}; shift 2 ;;
        --host-name) host_name=${2:?}; shift 2 ;;
        --own-network) own_network=yes; shift ;;
        *) usage >&2; exit 2 ;;
        esac
    done
    start ;;
daemon)
    case ${1:-} in
    start) start_daemon ;;
    stop) end "$dir/avahi.pid" TERM ;;
    kill) end "$dir/avahi.pid" KILL ;;
    pause) kill -STOP "$(cat "$dir/avahi.pid")" ;;
    resume) kill -CONT "$(cat "$dir/avahi.pid")" ;;
    *) usage >&2; exit 2 ;;
    esac ;;
bus)
    case ${1:-} in
    start) start_bus ;;
    kill) end "$dir/bus.pid" KILL ;;
    *) usage >&2; exit 2 ;;
    esac ;;
env) print_env ;;
stop)
    end "$dir/avahi.pid" TERM
    end "$dir/bus.pid" TERM
    rm -f "$dir"/{bus,bus.conf,bus.log,avahi.conf,avahi.log,own-network}
    rmdir "$dir" 2>/dev/null || true ;;
esac
