/// The unit that systemd runs rooms by: one instance for each file in `/etc/roomful`.
///
/// The package ships what `roomful service unit` prints.
enum ServiceUnit {
    /// How systemd calls the unit.
    static let name = "roomful@.service"
    /// Where the files lie that say which rooms.
    static let folder = "/etc/roomful"

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
        Environment=ROOMFUL_STATE=%S/roomful/%i
        StateDirectory=roomful/%i
        StateDirectoryMode=0700
        RuntimeDirectory=roomful/%i

        # A room's thread that hangs is noticed and started again; seats are kept.
        WatchdogSec=20
        TimeoutStopSec=5
        Restart=always
        RestartSec=1

        # It needs the network, the system's bus for Avahi, and its own folder: nothing else.
        DynamicUser=yes
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
        LimitNOFILE=65536
        TasksMax=128
        MemoryMax=1G

        [Install]
        WantedBy=multi-user.target

        """
    }
}
