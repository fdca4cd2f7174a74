// swift-tools-version: 6.2
// The modules as one table in layer order. A module uses lower layers only; the manifest refuses anything
// else.
import Foundation
import PackageDescription

/// The layers from the ground up.
///
/// A module uses modules of lower layers only; in Vocabulary also those that the table lists before it.
let layers = ["Libraries", "Vocabulary", "Adapters", "Stores", "Services", "Delivery", "Program"]
let orderedLayer = "Vocabulary"

/// A row of the table: a module, its layer, and the modules and packages it uses.
struct Module {
    var name: String
    var layer: String
    var uses: [String] = []
    var packages: [Target.Dependency] = []
    var library: (pkgConfig: String?, debian: String)?
    /// Files that are compiled into the module as bytes.
    var embedded: [String] = []
    var isExecutable = false
    var resources: [Resource] = []
    var tests: [String]?
}

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let yaml = Target.Dependency.product(name: "Yams", package: "Yams")

let modules: [Module] = [
    Module(name: "CCurl", layer: "Libraries", library: ("libcurl", "libcurl4-openssl-dev")),
    Module(name: "CLibpq", layer: "Libraries", library: ("libpq", "libpq-dev")),
    Module(name: "CMicrohttpd", layer: "Libraries", library: ("libmicrohttpd", "libmicrohttpd-dev")),
    Module(name: "CZlib", layer: "Libraries", library: ("zlib", "zlib1g-dev")),
    Module(name: "CCrypto", layer: "Libraries", library: ("libcrypto", "libssl-dev")),
    Module(name: "CLinux", layer: "Libraries", library: (nil, "libc6-dev")),

    Module(name: "Timeline", layer: "Vocabulary", tests: ["TestSupport"]),
    Module(name: "Encoding", layer: "Vocabulary", tests: []),
    Module(name: "Concurrency", layer: "Vocabulary", uses: ["Timeline"], tests: ["TestSupport"]),
    Module(name: "JSON", layer: "Vocabulary", tests: []),
    Module(name: "HLS", layer: "Vocabulary", uses: ["Timeline", "Encoding"], tests: ["TestSupport"]),
    Module(name: "MediaFormat", layer: "Vocabulary", uses: ["Timeline", "Encoding"], tests: ["TestSupport"]),
    Module(name: "HTTP", layer: "Vocabulary", uses: ["Encoding", "JSON"], tests: []),

    Module(
        name: "HTTPClient", layer: "Adapters", uses: ["Concurrency", "HTTP", "CCurl"], packages: [logging],
        tests: ["TestSupport"]),
    Module(
        name: "HTTPServer", layer: "Adapters", uses: ["Concurrency", "HTTP", "CMicrohttpd"],
        packages: [logging],
        tests: ["TestSupport", "HTTPSupport"],
    ),
    Module(
        name: "Postgres", layer: "Adapters", uses: ["Encoding", "Concurrency", "CLibpq"], packages: [logging],
        tests: ["TestSupport", "DatabaseSupport"]),
    Module(name: "TimeZones", layer: "Adapters", uses: ["Timeline"], tests: []),
    Module(name: "Files", layer: "Adapters", uses: ["CLinux"], tests: ["TestSupport"]),
    Module(name: "Processes", layer: "Adapters", uses: ["CLinux", "Concurrency"], tests: ["TestSupport"]),
    Module(name: "Compression", layer: "Adapters", uses: ["CZlib"], tests: ["TestSupport"]),
    Module(name: "Digest", layer: "Adapters", uses: ["CCrypto"], tests: ["Encoding"]),
    Module(
        name: "Telemetry", layer: "Adapters", uses: ["Timeline", "Concurrency", "JSON"],
        packages: [logging, coreMetrics], tests: []),

    Module(
        name: "SegmentStore", layer: "Stores",
        uses: ["Timeline", "Encoding", "Concurrency", "HTTP", "Files", "Digest"],
        packages: [logging],
        tests: ["TestSupport"],
    ),
    Module(
        name: "Catalogue", layer: "Stores", uses: ["Timeline", "Postgres", "Compression"],
        packages: [logging],
        tests: ["TestSupport", "DatabaseSupport"],
    ),
    Module(
        name: "Journal", layer: "Stores", uses: ["Timeline", "Concurrency", "Files", "Compression"],
        packages: [logging],
        tests: ["TestSupport"],
    ),

    Module(name: "Monitoring", layer: "Stores", uses: ["Timeline"], tests: []),

    Module(
        name: "Recorder", layer: "Services",
        uses: [
            "Timeline", "Encoding", "Concurrency", "HLS", "MediaFormat", "HTTP", "HTTPClient", "Compression",
            "Digest", "SegmentStore", "Journal", "Catalogue", "Monitoring",
        ],
        packages: [logging], tests: ["TestSupport", "DatabaseSupport", "Postgres", "HTTPServer", "Files"],
    ),
    Module(
        name: "Playback", layer: "Services",
        uses: ["Timeline", "Encoding", "Concurrency", "HLS", "HTTP", "Compression", "Digest", "Catalogue"],
        tests: ["TestSupport"],
    ),
    Module(
        name: "Retention", layer: "Services", uses: ["Timeline", "Concurrency", "SegmentStore", "Catalogue"],
        packages: [logging], tests: ["TestSupport", "DatabaseSupport", "Postgres"],
    ),

    Module(
        name: "Access", layer: "Services", uses: ["Timeline", "Concurrency", "Digest", "Catalogue"],
        packages: [logging], tests: ["TestSupport", "DatabaseSupport", "Postgres"]),

    Module(
        name: "Metering", layer: "Services",
        uses: ["Timeline", "Concurrency", "Telemetry", "Journal", "Catalogue", "Monitoring"],
        packages: [logging],
        tests: ["TestSupport", "DatabaseSupport", "Postgres"],
    ),
    Module(
        name: "Probe", layer: "Services",
        uses: ["HLS", "JSON", "HTTP", "HTTPClient", "Compression", "Files"],
        packages: [logging], tests: ["TestSupport", "HTTPSupport", "HTTPServer"]),
    Module(
        name: "Export", layer: "Services",
        uses: ["Timeline", "Encoding", "MediaFormat", "HTTP", "Processes", "Digest", "SegmentStore"],
        tests: ["TestSupport", "HTTPSupport"]),

    Module(
        name: "Pictures", layer: "Services",
        uses: ["Timeline", "Concurrency", "Processes", "Digest", "SegmentStore"],
        tests: ["TestSupport", "MediaFormat"]),

    Module(
        name: "Downloader", layer: "Services",
        uses: [
            "Timeline", "Encoding", "Concurrency", "JSON", "HLS", "MediaFormat", "HTTP", "HTTPClient",
            "Files", "Processes", "Digest", "Compression",
        ],
        tests: ["TestSupport", "HTTPSupport"]),

    Module(
        name: "ViewerAPI", layer: "Delivery",
        uses: [
            "Timeline", "Encoding", "Concurrency", "JSON", "HTTP", "TimeZones", "Catalogue", "SegmentStore",
            "Access", "Playback", "Export", "Pictures",
        ],
        packages: [logging],
        tests: [
            "TestSupport", "DatabaseSupport", "HTTPSupport", "HTTPServer", "Postgres", "Digest",
            "MediaFormat",
        ],
    ),
    Module(
        name: "AdminAPI", layer: "Delivery",
        uses: [
            "Timeline", "Concurrency", "JSON", "HLS", "HTTP", "HTTPServer", "Digest", "Telemetry",
            "TimeZones", "Access", "Catalogue", "Monitoring",
        ],
        packages: [logging, metrics], embedded: ["OpenAPI/openapi.json"],
        tests: ["TestSupport", "DatabaseSupport", "HTTPSupport", "Postgres"],
    ),

    Module(
        name: "DownloadAPI", layer: "Delivery",
        uses: ["Concurrency", "JSON", "HTTP", "Downloader"],
        embedded: ["Page/index.html", "Page/page.css", "Page/page.js", "Page/player.js", "Page/icon.svg"],
        tests: ["TestSupport", "HTTPSupport", "HTTPClient", "HTTPServer"]),

    Module(
        name: "Backcast", layer: "Program",
        uses: [
            "Timeline", "Concurrency", "HTTP", "HTTPClient", "HTTPServer", "Postgres", "Files", "Digest",
            "Telemetry", "SegmentStore", "Catalogue", "Journal", "Monitoring", "Recorder", "Metering",
            "Access", "Retention", "Probe", "Downloader", "JSON", "Processes", "ViewerAPI", "AdminAPI",
            "DownloadAPI",
        ],
        packages: [logging, metrics, coreMetrics, arguments, yaml], isExecutable: true,
        resources: [.embedInCode("Migrations")], tests: ["TestSupport", "HTTPSupport"],
    ),
    Module(
        name: "LiveOrigin", layer: "Program",
        uses: ["Timeline", "Encoding", "Concurrency", "HTTP", "HTTPServer", "Digest"],
        packages: [logging, arguments], isExecutable: true, tests: ["TestSupport"],
    ),
    Module(
        name: "Simulator", layer: "Program",
        uses: [
            "Timeline", "Concurrency", "HLS", "HTTP", "Postgres", "SegmentStore", "Catalogue", "Journal",
            "Monitoring", "Recorder",
        ],
        packages: [arguments], isExecutable: true, tests: [],
    ),
    Module(
        name: "Benchmarks", layer: "Program",
        uses: ["Timeline", "Concurrency", "Postgres", "Catalogue"],
        packages: [logging, arguments], isExecutable: true,
    ),
]

/// Test targets that belong to no single module.
let suites: [(name: String, path: String, uses: [String])] = [
    (
        "EndToEndTests", "Tests/EndToEndTests",
        [
            "Encoding", "Concurrency", "HTTP", "TestSupport", "HTTPSupport", "Digest", "Backcast",
            "LiveOrigin", "Benchmarks",
        ]
    ),
    ("TidyTests", "Tests/TidyTests", ["Digest", "Encoding"]),
]

/// The test targets to build, by name; all of them unless `BACKCAST_SUITES` lists some, separated by commas.
///
/// One suite builds and links in a fraction of the time that all of them take.
let chosenSuites = ProcessInfo.processInfo.environment["BACKCAST_SUITES"].map {
    Set($0.split(separator: ",").map(String.init))
}

/// Reports on standard error why the table is wrong, and stops; a crash report would hide the reason.
func refuse(_ reason: String) -> Never {
    FileHandle.standardError.write(Data("Package.swift: \(reason)\n".utf8))
    exit(1)
}

let rank = Dictionary(uniqueKeysWithValues: layers.enumerated().map { ($1, $0) })
let layerOf = Dictionary(uniqueKeysWithValues: modules.map { ($0.name, $0.layer) })
let rowOf = Dictionary(uniqueKeysWithValues: modules.enumerated().map { ($1.name, $0) })

for module in modules {
    guard let own = rank[module.layer] else {
        refuse("\(module.name) names an unknown layer \(module.layer)")
    }
    for used in module.uses {
        guard let layer = layerOf[used], let other = rank[layer], let row = rowOf[used] else {
            refuse("\(module.name) uses \(used), which the table does not have")
        }
        let isListedBefore = layer == orderedLayer && row < (rowOf[module.name] ?? 0)
        if other > own || other == own && !isListedBefore {
            refuse("\(module.name) (\(module.layer)) may not use \(used) (\(layer)): edges go down")
        }
        if layer == "Libraries" && module.layer != "Adapters" {
            refuse("\(module.name) may not use the C library \(used): only Adapters do")
        }
    }
}

/// `make test` asks for warnings as errors; a user with a newer compiler must still be able to build.
let strictness: [SwiftSetting] =
    ProcessInfo.processInfo.environment["BACKCAST_WARNINGS_AS_ERRORS"] == nil
    ? [] : [.treatAllWarnings(as: .error)]

/// Tests are exempt from strict memory safety: they hold no pointers worth marking.
let testSettings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("ExistentialAny"),
    ] + strictness

let settings = testSettings + [.strictMemorySafety()]

func target(of module: Module) -> Target {
    let path = "Sources/\(module.layer)/\(module.name)"
    let dependencies = module.uses.map { Target.Dependency.byName(name: $0) } + module.packages
    if let library = module.library {
        return .systemLibrary(
            name: module.name, path: path, pkgConfig: library.pkgConfig, providers: [.apt([library.debian])])
    }
    if module.isExecutable {
        return .executableTarget(
            name: module.name, dependencies: dependencies, path: path, resources: module.resources,
            swiftSettings: settings)
    }
    return .target(
        name: module.name, dependencies: dependencies, path: path,
        resources: module.embedded.map { .embedInCode($0) }, swiftSettings: settings)
}

func testTarget(of module: Module) -> Target? {
    guard let support = module.tests else { return nil }
    let libraries = Set(modules.filter { $0.library != nil }.map(\.name))
    let uses = [module.name] + module.uses.filter { !libraries.contains($0) } + support
    return .testTarget(
        name: "\(module.name)Tests",
        dependencies: uses.map { .byName(name: $0) } + module.packages,
        path: "Tests/\(module.layer)/\(module.name)Tests", swiftSettings: testSettings)
}

func testTarget(of suite: (name: String, path: String, uses: [String])) -> Target {
    .testTarget(
        name: suite.name, dependencies: suite.uses.map { .byName(name: $0) }, path: suite.path,
        swiftSettings: testSettings)
}

let package = Package(
    name: "backcast",
    products: [
        .executable(name: "backcast", targets: ["Backcast"]),
        .executable(name: "live-origin", targets: ["LiveOrigin"]),
    ],
    // Pinned here: a Package.resolved also holds commit ids, and a build against copies of these packages
    // with a history of their own would refuse them.
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: modules.map(target(of:))
        + [
            .target(
                name: "TestSupport",
                dependencies: ["Timeline", "Concurrency", "HLS", "Processes", logging],
                path: "Tests/Support/TestSupport", swiftSettings: testSettings),
            .target(
                name: "DatabaseSupport", dependencies: ["TestSupport", "Postgres"],
                path: "Tests/Support/DatabaseSupport", swiftSettings: testSettings),
            .target(
                name: "HTTPSupport", dependencies: ["TestSupport", "HTTP", "HTTPServer"],
                path: "Tests/Support/HTTPSupport", swiftSettings: testSettings),
        ]
        + (modules.compactMap(testTarget(of:)) + suites.map(testTarget(of:))).filter {
            chosenSuites?.contains($0.name) ?? true
        },
)
