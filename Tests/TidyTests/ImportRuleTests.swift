import Foundation
import Testing

@Suite("Imports and the table")
struct ImportRuleTests {
    static let rule = ImportRule(
        graph: ModuleGraph(modules: [
            .init(name: "CZlib", path: "Sources/Libraries/CZlib", isTest: false, uses: []),
            .init(name: "HTTP", path: "Sources/Vocabulary/HTTP", isTest: false, uses: []),
            .init(name: "Compression", path: "Sources/Adapters/Compression", isTest: false, uses: ["CZlib"]),
            .init(name: "Digest", path: "Sources/Adapters/Digest", isTest: false, uses: ["CZlib"]),
            .init(name: "Journal", path: "Sources/Stores/Journal", isTest: false, uses: ["CZlib", "HTTP"]),
            .init(
                name: "JournalTests", path: "Tests/Stores/JournalTests", isTest: true,
                uses: ["Journal", "HTTP"]),
        ]))

    @Test(
        "An import that the table does not declare is found, however it is written",
        arguments: [
            "import Compression", "package import Compression", "@testable import Compression",
            "@preconcurrency internal import Compression", "import struct Compression.Gzip",
        ])
    func undeclared(line: String) {
        let file = TextFile("Sources/Stores/Journal/Journal.swift", "import Foundation\n\(line)\n")
        #expect(
            Self.rule.undeclared(in: [file]) == [
                Finding(
                    path: file.path, line: 2,
                    reason: "Journal imports Compression, which Package.swift does not give it")
            ])
    }

    @Test("Declared imports, the toolchain's and those in comments are none")
    func declared() {
        let file = TextFile(
            "Sources/Stores/Journal/Journal.swift", "import HTTP\nimport Glibc\n// import Playback\n")
        #expect(Self.rule.undeclared(in: [file]).isEmpty)
    }

    @Test("A C library outside the Adapters, and one in two of them, are found")
    func libraries() {
        let files = [
            TextFile("Sources/Adapters/Compression/Gzip.swift", "import CZlib"),
            TextFile("Sources/Adapters/Digest/Checksum.swift", "import CZlib"),
            TextFile("Sources/Stores/Journal/Frame.swift", "import CZlib"),
        ]
        #expect(Self.rule.libraries(in: files).map(\.path) == files.dropFirst().map(\.path))
    }

    @Test("Foundation in the Vocabulary is found, elsewhere not")
    func foundation() {
        let files = [
            TextFile("Sources/Vocabulary/HTTP/Status.swift", "import FoundationEssentials"),
            TextFile("Sources/Stores/Journal/Frame.swift", "import Foundation"),
        ]
        #expect(Self.rule.foundation(in: files).map(\.path) == [files[0].path])
    }

    @Test("An edge of the table that no source uses is found")
    func unused() {
        let files = [
            TextFile("Sources/Adapters/Compression/Gzip.swift", "import CZlib"),
            TextFile("Sources/Adapters/Digest/Checksum.swift", "import CZlib"),
            TextFile("Sources/Stores/Journal/Frame.swift", "import CZlib"),
        ]
        #expect(Self.rule.unused(in: files).map(\.reason) == ["Journal never imports HTTP"])
    }

    @Test("What dump-package writes is read")
    func dump() throws {
        let json = """
            {"targets": [{"name": "Journal", "type": "regular", "path": "Sources/Stores/Journal",
              "dependencies": [{"byName": ["HTTP", null]}, {"product": ["Logging", "swift-log", null, null]}]}]}
            """
        let graph = try ModuleGraph(json: Data(json.utf8))
        #expect(graph.modules.map(\.layer) == ["Stores"])
        #expect(graph.modules.map(\.uses) == [["HTTP", "Logging"]])
    }
}
