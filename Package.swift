// swift-tools-version: 6.2
import PackageDescription

/// One strictness for every target: a warning here is an error, and every import says how far it reaches.
let rules: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// On these modules the tests compute for long: in what CI builds and throws away (Scripts/lean-build.sh) they are
/// optimised, with the assertions in which the cores check their own laws. The frontend is told so: what the build says for
/// all modules stands behind what one says for itself, but before this.
let isThrownAway = Context.environment["ROOMFUL_LEAN_BUILD"] != nil
let computing =
    isThrownAway ? rules + [.unsafeFlags(["-Xfrontend", "-O", "-assert-config", "Debug"])] : rules

let nio = [
    Target.Dependency.product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOWebSocket", package: "swift-nio"),
    .product(name: "NIOSSL", package: "swift-nio-ssl"),
]

let package = Package(
    name: "roomful",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [
        .library(name: "Roomful", targets: ["Roomful"]),
        .library(name: "WireProtocol", targets: ["WireProtocol"]),
        .library(name: "ControllerSession", targets: ["ControllerSession"]),
        .library(name: "SessionCoordinator", targets: ["SessionCoordinator"]),
        .library(name: "InputMerge", targets: ["InputMerge"]),
        .library(name: "RoomEngine", targets: ["RoomEngine"]),
        .library(name: "PeerDiscovery", targets: ["PeerDiscovery"]),
        .executable(name: "roomful", targets: ["RoomfulCLI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // TOML 1.0 for files that operators edit, on toml++; its errors say the line.
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    ],
    targets: [
        // The vocabulary that everything else speaks.
        .target(
            name: "WireProtocol", path: "Sources/Protocol", swiftSettings: computing,
            // Rounding and roots: a program without Foundation would not find them.
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),

        // Pure cores: values and times in, actions out.
        .target(name: "SessionCoordinator", dependencies: ["WireProtocol"], swiftSettings: computing),
        .target(name: "ControllerSession", dependencies: ["WireProtocol"], swiftSettings: computing),
        .target(name: "InputMerge", dependencies: ["WireProtocol"], swiftSettings: computing),
        // The cores joined: one room as one value, in inputs and outputs.
        .target(
            name: "RoomEngine",
            dependencies: ["WireProtocol", "SessionCoordinator", "InputMerge"], swiftSettings: computing),
        .target(
            name: "LinkEmulation",
            dependencies: ["WireProtocol", .product(name: "HeapModule", package: "swift-collections")],
            swiftSettings: computing),
        // Evenings as they are kept: what reached an engine, written down, and played again.
        .target(
            name: "FlightRecorder",
            dependencies: ["RoomEngine", "SessionCoordinator", "InputMerge", "WireProtocol"], swiftSettings: computing),

        // Whole rooms for whole evenings, seeded, time by hand: engine, controllers, networks, operators, enemies.
        .target(
            name: "RoomSimulation",
            dependencies: [
                "RoomEngine", "FlightRecorder", "ControllerSession", "SessionCoordinator", "InputMerge",
                "LinkEmulation",
                "WireProtocol",
            ],
            swiftSettings: computing),

        // Who owns a room that several hosts could: one host's part in it, as a value.
        .target(name: "RoomOwnership", dependencies: ["WireProtocol"], swiftSettings: computing),
        // Several hosts, a log and the network between them, seeded, time by hand. Apart from RoomSimulation: it needs no
        // room, and no room needs it.
        .target(
            name: "SiteSimulation",
            dependencies: [
                "RoomOwnership", "LinkEmulation", "WireProtocol",
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: computing),

        .target(name: "QRCode", dependencies: ["WireProtocol"], swiftSettings: rules),
        // A site as everybody names it: subjects, addresses, what waits for its broker. Pure.
        .target(name: "SiteRecords", dependencies: ["WireProtocol"], swiftSettings: rules),

        // Who was first, over the rooms of a site: their clocks, their moves, one contest. Pure.
        .target(
            name: "SiteContests", dependencies: ["SessionCoordinator", "InputMerge", "WireProtocol"],
            swiftSettings: computing),

        // Thin shells: sockets, daemons, files, threads.
        .systemLibrary(name: "CAvahi"),
        // libavahi-core, found at run time.
        .target(name: "CAvahiCore"),
        .target(name: "CDatagrams"),
        // libnats, found at run time.
        .target(name: "CNATS", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        // What browsers are served: plain HTML, CSS and JavaScript, built into the program.
        .target(
            name: "CPages", path: "Sources/Pages",
            exclude: [
                "make-list.sh", "phone", "operator", "pads", "games", "common", "doctor", "language", "roomful.js",
            ]),
        .target(name: "PeerDiscovery", dependencies: ["WireProtocol", "CAvahi", "CAvahiCore"], swiftSettings: rules),
        // UDP alone: sockets, batches, ciphers, the thread's mailbox. Knows no room, so both ends and a relay use it.
        .target(
            name: "Datagrams",
            dependencies: ["WireProtocol", "CDatagrams", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: computing),
        // Files that are for their owner alone, and how files that people hand in are read. Apart from the leases, so that who keeps a key needs no database.
        .target(
            name: "PrivateFiles", dependencies: ["WireProtocol", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: rules),
        // A room's seats in SQLite: the one module that knows this database.
        .target(
            name: "LeaseStorage",
            dependencies: [
                "PrivateFiles", "RoomEngine", "SessionCoordinator", "WireProtocol",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: rules),
        // Who is who: certificates, pins, tickets, codes, tokens, known hosts. What decides about trust stands together.
        .target(
            name: "Identity",
            dependencies: [
                "PrivateFiles", "WireProtocol",
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: rules),
        // Files that people hand in, motion in CSV and gestures in TOML: strangers' input. But for the program's configuration, TOML is here alone.
        .target(
            name: "MotionFiles",
            dependencies: [
                "PrivateFiles", "InputMerge", "WireProtocol",
                .product(name: "TOMLKit", package: "TOMLKit"),
            ],
            swiftSettings: computing),
        // What both ends of a TCP connection are made of: lines, limits, the talk of a call. Knows neither end.
        .target(
            name: "Connections", dependencies: ["Identity", "WireProtocol"] + nio, swiftSettings: rules),
        // A room's TCP ports: TLS, HTTP, WebSocket, control connections. Knows no room and no page: both are given to it.
        .target(
            name: "ControlPort",
            dependencies: [
                "Connections", "Datagrams", "Identity", "RoomEngine", "SessionCoordinator", "WireProtocol",
                .product(name: "Crypto", package: "swift-crypto"),
            ] + nio,
            swiftSettings: rules),
        // A room as its fronts see it: the one protocol by which they ask, and the JSON in which they tell.
        .target(
            name: "RoomRecords",
            dependencies: [
                "Connections", "Datagrams", "Identity", "PrivateFiles", "RoomEngine", "SessionCoordinator",
                "InputMerge", "SiteRecords", "WireProtocol",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: rules),

        // An evening's files, written from a thread of their own and read again. Knows no room: one is only handed to it.
        .target(
            name: "EveningFiles",
            dependencies: [
                "FlightRecorder", "Datagrams", "Identity", "PrivateFiles", "RoomRecords", "RoomEngine",
                "SessionCoordinator", "WireProtocol",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: rules),
        // A recorded evening played again, and what others read of it: tables, a report. With a database of its own to write.
        .target(
            name: "RecordingExports",
            dependencies: [
                "EveningFiles", "FlightRecorder", "Datagrams", "RoomRecords", "RoomEngine", "SessionCoordinator",
                "InputMerge", "PrivateFiles", "WireProtocol", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: rules),

        // The two sides, which share the parts above and know nothing of each other.
        .target(
            name: "RoomServer",
            dependencies: [
                "EveningFiles", "FlightRecorder", "RoomRecords", "ControlPort", "Connections", "Datagrams",
                "LeaseStorage",
                "PrivateFiles", "Identity", "PeerDiscovery", "QRCode", "RoomEngine", "SessionCoordinator", "InputMerge",
                "SiteRecords", "WireProtocol",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Logging", package: "swift-log"),
            ] + nio,
            swiftSettings: rules),
        .target(
            name: "ControllerClient",
            dependencies: [
                "Connections", "Datagrams", "PrivateFiles", "Identity", "PeerDiscovery", "ControllerSession",
                "InputMerge", "WireProtocol",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ] + nio,
            swiftSettings: rules),

        // The fronts: each sees a room through RoomRecords alone, so that none of them can reach into its thread. Figures
        // and succession speak in RoomEngine's values besides (commands, answers, heritage); no front has an engine.
        .target(
            name: "WebFront",
            dependencies: [
                "RoomRecords", "ControlPort", "Connections", "Datagrams", "Identity", "PrivateFiles", "WireProtocol",
                "CPages", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ] + nio,
            swiftSettings: rules),
        .target(
            name: "OperatorFront",
            dependencies: [
                "RoomRecords", "Connections", "Identity", "PrivateFiles", "WireProtocol",
                .product(name: "Logging", package: "swift-log"),
            ] + nio,
            swiftSettings: rules),
        .target(
            name: "MetricsFront",
            dependencies: ["RoomRecords", "SiteRecords", "Connections", "RoomEngine", "WireProtocol"] + nio,
            swiftSettings: rules),
        // A site's broker: connections, requests, streams. Knows no room; the one module that knows libnats.
        .target(
            name: "SiteBroker", dependencies: ["SiteRecords", "PrivateFiles", "CNATS", "WireProtocol"],
            swiftSettings: rules),
        // A room in its site: tells it what happens, and lets its operators ask.
        .target(
            name: "SiteFront",
            dependencies: [
                "SiteRecords", "SiteBroker", "SiteContests", "Identity", "RoomRecords", "InputMerge", "WireProtocol",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: rules),
        // A room that outlives its machine: this host's part in who owns it, by the room's log, and what a successor needs, sealed.
        .target(
            name: "SiteSuccession",
            dependencies: [
                "RoomOwnership", "SiteRecords", "SiteBroker", "RoomRecords", "RoomEngine", "SessionCoordinator",
                "Datagrams", "PrivateFiles", "WireProtocol",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: rules),
        // What keeps phones from a room on this machine and network: asks rooms as an operator does, serves one page.
        .target(
            name: "RoomDoctor",
            dependencies: [
                "OperatorFront", "WebFront", "ControlPort", "RoomRecords", "SiteRecords", "Connections", "Datagrams",
                "CDatagrams", "Identity", "PrivateFiles", "PeerDiscovery", "WireProtocol",
            ] + nio,
            swiftSettings: rules),

        // The one import for a game or a controller: opens a room with its fronts, and hands on what users name.
        .target(
            name: "Roomful",
            dependencies: [
                "RoomServer", "ControllerClient", "WebFront", "OperatorFront", "MetricsFront", "ControlPort",
                "RoomRecords", "SiteFront", "SiteRecords", "SiteSuccession",
                "Identity", "PrivateFiles", "MotionFiles", "PeerDiscovery", "RoomEngine", "SessionCoordinator",
                "InputMerge", "WireProtocol",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: rules),
        .executableTarget(
            name: "RoomfulCLI",
            dependencies: [
                "Roomful", "RoomEngine", "FlightRecorder", "EveningFiles", "RecordingExports", "RoomRecords",
                "RoomDoctor", "OperatorFront", "WebFront", "MetricsFront", "SiteBroker", "SiteContests", "SiteFront",
                "SiteRecords", "SiteSuccession", "Connections",
                "Datagrams", "Identity", "PrivateFiles", "RoomSimulation", "SiteSimulation",
                "LinkEmulation", "MotionScore", "ControllerSession", "InputMerge", "PeerDiscovery", "MotionFiles",
                "WireProtocol", "QRCode",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "TOMLKit", package: "TOMLKit"),
            ] + nio,
            swiftSettings: rules),

        // How good the motion and gestures are, on real recordings with their truth.
        .target(name: "MotionScore", dependencies: ["InputMerge", "WireProtocol"], swiftSettings: rules),

        // Small programs to read, and to measure by.
        .executableTarget(
            name: "MinimalGame", dependencies: ["Roomful"], path: "Examples/MinimalGame", swiftSettings: rules),
        .executableTarget(
            name: "MinimalController", dependencies: ["Roomful"], path: "Examples/MinimalController",
            swiftSettings: rules),
        .executableTarget(
            name: "TenLineGame", dependencies: ["Roomful"], path: "Examples/TenLineGame", swiftSettings: rules),
        .executableTarget(
            name: "MinimalStudy", dependencies: ["Roomful"], path: "Examples/MinimalStudy", swiftSettings: rules),
        .executableTarget(
            name: "PureRoom", dependencies: ["SessionCoordinator", "ControllerSession", "WireProtocol"],
            path: "Examples/PureRoom", swiftSettings: rules),
        .target(name: "RawLoop", path: "Benchmarks/RawLoop"),
        .target(name: "BenchmarkFigures", path: "Benchmarks/Figures", swiftSettings: rules),
        // ENet's library is found at run time; without its header the program only says so.
        .target(name: "ENetLibrary", path: "Benchmarks/ENetLibrary", linkerSettings: [.linkedLibrary("dl")]),
        .executableTarget(name: "ENetPeers", dependencies: ["ENetLibrary"], path: "Benchmarks/ENet"),
        // Two hosts in network namespaces, and networks between them that lose what they are told to.
        .target(name: "LossyPaths", dependencies: ["ENetLibrary"], path: "Benchmarks/LossyPaths"),
        .executableTarget(
            name: "LossBenchmark",
            dependencies: [
                "BenchmarkFigures", "LossyPaths", "LinkEmulation", "Datagrams", "SessionCoordinator",
                "ControllerSession", "WireProtocol",
            ],
            path: "Benchmarks/Losses", swiftSettings: rules),
        .executableTarget(
            name: "JoiningBenchmark",
            dependencies: ["BenchmarkFigures", "Roomful", "ControllerClient", "Connections", "WireProtocol"] + nio + [
                .product(name: "NIOTLS", package: "swift-nio")
            ],
            path: "Benchmarks/Joining", swiftSettings: rules),
        .executableTarget(
            name: "HandsBenchmark", dependencies: ["BenchmarkFigures", "RawLoop", "Roomful", "WireProtocol"] + nio,
            path: "Benchmarks/Hands", swiftSettings: rules),
        .executableTarget(
            name: "DatagramBenchmark",
            dependencies: [
                "BenchmarkFigures", "Datagrams", "RoomEngine", "SessionCoordinator", "ControllerSession",
                "WireProtocol", "RawLoop",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Benchmarks/Datagrams", swiftSettings: rules),
        .executableTarget(
            name: "CoordinatorBenchmark",
            dependencies: [
                "BenchmarkFigures", "RoomEngine", "SessionCoordinator", "ControllerSession", "WireProtocol",
                "AllocationCount",
            ],
            path: "Benchmarks/Coordinator", swiftSettings: rules),
        .executableTarget(
            name: "PhoneBenchmark",
            dependencies: ["BenchmarkFigures", "Roomful", "Connections", "ControllerSession", "WireProtocol"] + nio,
            path: "Benchmarks/Phones", swiftSettings: rules),
        .executableTarget(
            name: "ThousandsBenchmark",
            dependencies: [
                "BenchmarkFigures", "RawLoop", "Roomful", "OperatorFront", "ControllerSession", "Connections",
                "Datagrams", "WireProtocol",
            ] + nio,
            path: "Benchmarks/Thousands", swiftSettings: rules),
        .executableTarget(
            name: "DiscoveryBenchmark",
            dependencies: ["Roomful", "ControlPort", "PeerDiscovery", "ControllerSession", "WireProtocol"],
            path: "Benchmarks/Discovery", swiftSettings: rules),
        .executableTarget(
            name: "MotionBenchmark",
            dependencies: ["BenchmarkFigures", "InputMerge", "WireProtocol", "AllocationCount"],
            path: "Benchmarks/Motion", swiftSettings: rules),

        // Rules as tests.
        .testTarget(name: "WireProtocolTests", dependencies: ["WireProtocol"], swiftSettings: rules),
        .testTarget(
            name: "SessionCoordinatorTests",
            dependencies: [
                "SessionCoordinator", "ControllerSession", "InputMerge", "LinkEmulation", "RoomSimulation",
                "WireProtocol",
            ],
            swiftSettings: rules),
        .testTarget(
            name: "ControllerSessionTests", dependencies: ["ControllerSession", "LinkEmulation", "WireProtocol"],
            swiftSettings: rules),
        .testTarget(
            name: "RoomEngineTests",
            dependencies: [
                "RoomEngine", "RoomSimulation", "SessionCoordinator", "ControllerSession", "InputMerge",
                "LinkEmulation", "WireProtocol",
                // The oracle for the room's own counts.
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            swiftSettings: rules),
        .testTarget(
            name: "RoomOwnershipTests",
            dependencies: ["RoomOwnership", "SiteSimulation", "LinkEmulation", "WireProtocol"], swiftSettings: rules),
        .testTarget(name: "QRCodeTests", dependencies: ["QRCode", "WireProtocol"], swiftSettings: rules),
        .testTarget(
            name: "SiteContestsTests", dependencies: ["SiteContests", "InputMerge", "WireProtocol"],
            swiftSettings: rules),
        .testTarget(name: "SiteRecordsTests", dependencies: ["SiteRecords", "WireProtocol"], swiftSettings: rules),
        .testTarget(
            name: "SiteSuccessionTests",
            dependencies: [
                "SiteSuccession", "RoomOwnership", "RoomRecords", "RoomEngine", "SessionCoordinator", "InputMerge",
                "PrivateFiles", "WireProtocol",
            ],
            swiftSettings: rules),
        .testTarget(
            name: "SiteFrontTests", dependencies: ["SiteFront", "SiteBroker", "WireProtocol"],
            swiftSettings: rules),
        .testTarget(name: "SiteBrokerTests", dependencies: ["SiteBroker", "SiteRecords"], swiftSettings: rules),
        .testTarget(
            name: "FlightRecorderTests",
            dependencies: [
                "FlightRecorder", "RoomSimulation", "RoomEngine", "SessionCoordinator", "InputMerge", "WireProtocol",
            ], swiftSettings: rules),
        .testTarget(name: "LinkEmulationTests", dependencies: ["LinkEmulation"], swiftSettings: rules),
        .testTarget(
            name: "InputMergeTests", dependencies: ["InputMerge", "WireProtocol", "AllocationCount"],
            swiftSettings: rules),
        .testTarget(name: "MotionScoreTests", dependencies: ["MotionScore"], swiftSettings: rules),
        // The program `roomful` serves as the responder's process.
        .testTarget(
            name: "PeerDiscoveryTests", dependencies: ["PeerDiscovery", "PrivateFiles", "WireProtocol", "RoomfulCLI"],
            swiftSettings: rules),
        .target(name: "AllocationCount", path: "Tests/AllocationCount"),
        .executableTarget(
            name: "AllocationCheck",
            dependencies: [
                "RoomEngine", "SessionCoordinator", "ControllerSession", "InputMerge", "WireProtocol",
                "AllocationCount",
            ],
            path: "Tests/AllocationCheck", swiftSettings: rules),
        .executableTarget(
            name: "EveningCheck",
            dependencies: ["RoomSimulation", "FlightRecorder", "RoomEngine", "SessionCoordinator", "WireProtocol"],
            path: "Tests/EveningCheck", swiftSettings: rules),
        .executableTarget(
            name: "MonthsCheck",
            dependencies: ["RoomSimulation", "LeaseStorage", "PrivateFiles", "SessionCoordinator"],
            path: "Tests/MonthsCheck", swiftSettings: rules),
        .executableTarget(
            name: "SiteCheck", dependencies: ["SiteSimulation", "WireProtocol"], path: "Tests/SiteCheck",
            swiftSettings: rules),
        .executableTarget(
            name: "ReplayCheck", dependencies: ["InputMerge", "WireProtocol"], path: "Tests/ReplayCheck",
            swiftSettings: rules),
        .testTarget(
            name: "RoomfulTests",
            dependencies: [
                "Roomful", "FlightRecorder", "EveningFiles", "RecordingExports", "Datagrams", "PrivateFiles",
                "LeaseStorage",
                "Identity", "MotionFiles", "Connections", "ControlPort",
                "RoomRecords", "RoomServer", "ControllerClient", "WebFront", "OperatorFront",
                "MetricsFront", "RoomDoctor", "RoomEngine", "SiteRecords",
                "WireProtocol", "SessionCoordinator", "ControllerSession", "InputMerge",
                "PeerDiscovery", "AllocationCount", "RoomfulCLI", "ReplayCheck", "QRCode",
                "PhoneBenchmark",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio,
            swiftSettings: rules),
    ]
)
