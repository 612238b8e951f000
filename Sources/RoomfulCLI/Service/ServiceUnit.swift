/// The unit that systemd runs rooms by: one instance for each file in `/etc/roomful`.
///
/// The package ships what `roomful service unit` prints.
enum ServiceUnit {
    /// How systemd calls the unit.
    static let name = "roomful@.service"
    /// Where the files lie that say which rooms.
    static let folder = "/etc/roomful"

    /// Whom it runs as: systemd-sysusers makes the user from this (sysusers.d(5)).
    static let user = "u roomful - \"Roomful\" /nonexistent"

    /// - Parameter program: the absolute path of this program.
    static func text(program: String) -> String {
        """
        # One instance for each file in /etc/roomful: systemctl enable --now roomful@living-room reads /etc/roomful/living-room.toml.
        # Take it back: systemctl disable --now roomful@living-room.
        [Unit]
        Description=Roomful: %i
        Documentation=man:roomful(1) man:roomful-host(1)
        # The room opens without a network, and is found once there is one.
        After=network.target avahi-daemon.service dbus.service
        StartLimitIntervalSec=0

        [Service]
        Type=notify
        NotifyAccess=main
        ExecStart=\(program) host --config /etc/roomful/%i.toml --json
        # Takes over what can change while people play; fails, and changes nothing, where the file is wrong.
        ExecReload=\(program) reload
        # Events are for those who ask (roomful events); the journal gets what is wrong.
        StandardOutput=null
        StandardError=journal
        # What hangs is to end at once, without a backtrace first.
        Environment=SWIFT_BACKTRACE=enable=no
        # Swift's worker threads may not choose their priority here, and would say so each.
        Environment=LIBDISPATCH_LOG=NO
        # Its own folder by its true name: what systemd gives a user of the service's own is below private, and
        # /var/lib/roomful/%i leads there.
        Environment=ROOMFUL_STATE=%S/private/roomful/%i
        StateDirectory=roomful/%i
        StateDirectoryMode=0700
        # Where root's roomful peers, kick, stop and the like find the room.
        Environment=XDG_RUNTIME_DIR=%t/roomful/%i
        RuntimeDirectory=roomful/%i
        RuntimeDirectoryMode=0700
        # All rooms are one user's, and none sees another's sockets.
        TemporaryFileSystem=%t/roomful:ro
        BindPaths=%t/roomful/%i

        # A room's thread that hangs is noticed and started again; seats are kept.
        WatchdogSec=20
        # It closes within 9 s even where another program holds its database.
        TimeoutStopSec=15
        # Whatever ends it, but for systemctl stop, roomful stop, and SIGTERM or SIGINT (kill, systemctl kill): those close
        # the room in order.
        Restart=on-failure
        RestartSec=1

        # It needs the network, the system's bus for Avahi, and its own folder: nothing else. Where there is no user roomful,
        # systemd makes one while it runs; but D-Bus lets in only who is known (Debian 12), and Roomful then announces itself.
        DynamicUser=yes
        User=roomful
        NoNewPrivileges=yes
        CapabilityBoundingSet=
        AmbientCapabilities=
        ProtectSystem=strict
        ProtectHome=yes
        PrivateTmp=yes
        PrivateDevices=yes
        PrivateUsers=yes
        ProtectClock=yes
        ProtectControlGroups=yes
        ProtectHostname=yes
        ProtectKernelLogs=yes
        ProtectKernelModules=yes
        ProtectKernelTunables=yes
        ProtectProc=invisible
        ProcSubset=pid
        RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        RemoveIPC=yes
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        SystemCallFilter=~@privileged @resources
        SystemCallErrorNumber=EPERM
        UMask=0077
        # What a crash would leave behind has keys, names and motion in it.
        LimitCORE=0
        LimitNOFILE=65536
        TasksMax=128
        MemoryMax=1G

        [Install]
        WantedBy=multi-user.target

        """
    }
}
