// swift-tools-version: 6.2
import PackageDescription

/// One strictness for every target: a warning here is an error, and every import says how far it reaches.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

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
        .target(name: "WireProtocol", path: "Sources/Protocol", swiftSettings: strict),

        // Pure cores: values and times in, actions out.
        .target(name: "SessionCoordinator", dependencies: ["WireProtocol"], swiftSettings: strict),
        .target(name: "ControllerSession", dependencies: ["WireProtocol"], swiftSettings: strict),
        .target(name: "InputMerge", dependencies: ["WireProtocol"], swiftSettings: strict),
        // The cores joined: one room as one value, in inputs and outputs.
        .target(
            name: "RoomEngine",
            dependencies: [
                "WireProtocol", "SessionCoordinator", "InputMerge",
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "LinkEmulation",
            dependencies: [.product(name: "HeapModule", package: "swift-collections")],
            swiftSettings: strict),

        // Whole rooms for whole evenings, seeded, time by hand: engine, controllers, networks, operators, enemies.
        .target(
            name: "RoomSimulation",
            dependencies: [
                "RoomEngine", "ControllerSession", "SessionCoordinator", "InputMerge", "LinkEmulation", "WireProtocol",
            ],
            swiftSettings: strict),

        .target(name: "QRCode", swiftSettings: strict),

        // Thin shells: sockets, daemons, files, threads.
        .systemLibrary(name: "CAvahi"),
        // libavahi-core, found at run time.
        .target(name: "CAvahiCore"),
        .target(name: "CDatagrams"),
        // What browsers are served: plain HTML, CSS and JavaScript, built into the program.
        .target(
            name: "CPages", path: "Sources/Pages",
            exclude: ["make-list.sh", "phone", "operator", "pads", "games", "common", "doctor", "roomful.js"]),
        .target(name: "PeerDiscovery", dependencies: ["CAvahi", "CAvahiCore"], swiftSettings: strict),
        .target(
            name: "Roomful",
            dependencies: [
                "WireProtocol", "SessionCoordinator", "ControllerSession", "InputMerge", "RoomEngine", "PeerDiscovery",
                "CDatagrams", "CPages", "QRCode",
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "TOMLKit", package: "TOMLKit"),
            ] + nio,
            swiftSettings: strict),
        .executableTarget(
            name: "RoomfulCLI",
            dependencies: [
                "Roomful", "RoomSimulation", "LinkEmulation", "MotionScore", "ControllerSession", "WireProtocol", "QRCode",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),

        // How good the motion and gestures are, on real recordings with their truth.
        .target(name: "MotionScore", dependencies: ["InputMerge", "WireProtocol"], swiftSettings: strict),

        // Small programs to read, and to measure by.
        .executableTarget(
            name: "MinimalGame", dependencies: ["Roomful"], path: "Examples/MinimalGame", swiftSettings: strict),
        .executableTarget(
            name: "MinimalController", dependencies: ["Roomful", "WireProtocol"], path: "Examples/MinimalController",
            swiftSettings: strict),
        .target(name: "RawLoop", path: "Benchmarks/RawLoop"),
        .executableTarget(
            name: "DatagramBenchmark", dependencies: ["Roomful", "WireProtocol", "SessionCoordinator", "RawLoop"],
            path: "Benchmarks/Datagrams", swiftSettings: strict),
        .executableTarget(
            name: "CoordinatorBenchmark",
            dependencies: ["SessionCoordinator", "ControllerSession", "WireProtocol"],
            path: "Benchmarks/Coordinator", swiftSettings: strict),
        .executableTarget(
            name: "PhoneBenchmark", dependencies: ["Roomful", "ControllerSession", "WireProtocol"] + nio,
            path: "Benchmarks/Phones", swiftSettings: strict),
        .executableTarget(
            name: "DiscoveryBenchmark",
            dependencies: ["Roomful", "PeerDiscovery", "ControllerSession", "WireProtocol"],
            path: "Benchmarks/Discovery", swiftSettings: strict),
        .executableTarget(
            name: "MotionBenchmark", dependencies: ["InputMerge", "WireProtocol", "AllocationCount"],
            path: "Benchmarks/Motion", swiftSettings: strict),

        // Rules as tests.
        .testTarget(name: "WireProtocolTests", dependencies: ["WireProtocol"], swiftSettings: strict),
        .testTarget(
            name: "SessionCoordinatorTests",
            dependencies: [
                "SessionCoordinator", "ControllerSession", "InputMerge", "LinkEmulation", "WireProtocol",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ControllerSessionTests", dependencies: ["ControllerSession", "LinkEmulation", "WireProtocol"],
            swiftSettings: strict),
        .testTarget(
            name: "RoomEngineTests", dependencies: ["RoomEngine", "RoomSimulation", "InputMerge", "WireProtocol"],
            swiftSettings: strict),
        .testTarget(name: "QRCodeTests", dependencies: ["QRCode"], swiftSettings: strict),
        .testTarget(name: "LinkEmulationTests", dependencies: ["LinkEmulation"], swiftSettings: strict),
        .testTarget(
            name: "InputMergeTests", dependencies: ["InputMerge", "WireProtocol", "AllocationCount"],
            swiftSettings: strict),
        .testTarget(
            name: "MotionScoreTests", dependencies: ["MotionScore", "InputMerge", "WireProtocol"],
            swiftSettings: strict),
        // The program `roomful` serves as the responder's process.
        .testTarget(name: "PeerDiscoveryTests", dependencies: ["PeerDiscovery", "RoomfulCLI"], swiftSettings: strict),
        .target(name: "AllocationCount", path: "Tests/AllocationCount"),
        .executableTarget(
            name: "AllocationCheck",
            dependencies: [
                "SessionCoordinator", "ControllerSession", "InputMerge", "WireProtocol", "AllocationCount",
            ],
            path: "Tests/AllocationCheck", swiftSettings: strict),
        .executableTarget(
            name: "EveningCheck", dependencies: ["RoomSimulation"], path: "Tests/EveningCheck", swiftSettings: strict),
        .executableTarget(
            name: "ReplayCheck", dependencies: ["InputMerge", "WireProtocol"], path: "Tests/ReplayCheck",
            swiftSettings: strict),
        .testTarget(
            name: "RoomfulTests",
            dependencies: [
                "Roomful", "WireProtocol", "SessionCoordinator", "ControllerSession", "InputMerge", "LinkEmulation",
                "PeerDiscovery", "AllocationCount", "RoomfulCLI", "ReplayCheck", "QRCode",
                "PhoneBenchmark",
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ] + nio,
            swiftSettings: strict),
    ]
)
