import Concurrency
import Testing

@testable import HTTPClient

@Suite(.timeLimit(.minutes(30)), .serialized)
struct FairnessTests {
    private static let playlist = TransferOptions(
        byteLimit: 1000, totalTimeout: .seconds(4), queueTimeout: .seconds(3), priority: .urgent)
    private static let segment = TransferOptions(
        byteLimit: 1 << 20, totalTimeout: .seconds(4), queueTimeout: .seconds(3))
    /// What a recorder asks of a source with three renditions at most.
    private static let asked = Array(repeating: playlist, count: 3) + Array(repeating: segment, count: 12)

    @Test("Two hundred silent origins: twenty good ones beside them lose nothing")
    func silentOrigins() async throws {
        let silent = try SilentOrigins(count: 200)
        let body = pattern(50_000)
        let server = try ScriptedServer { _, connection in connection.respond(body: body) }
        defer { server.stop() }
        try await withClient { client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for port in silent.ports {
                    let session = try client.makeLocalSession()
                    for options in Self.asked {
                        group.addTask {
                            while !Task.isCancelled {
                                _ = try? await session.fetch("http://127.0.0.1:\(port)/", options)
                            }
                        }
                    }
                }
                // The good ones begin when the silent ones have taken all that they may have.
                try await Task.sleep(for: .seconds(1))
                let held = try await Self.record(twenty: client, server, until: .now + .seconds(8))
                #expect(held >= 20 * 3)
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }

    /// Twenty sessions fetch a playlist and a segment of each of three renditions over and over; every error
    /// is thrown.
    private static func record(
        twenty client: HTTPClient, _ server: ScriptedServer, until end: SteadyInstant,
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                let session = try client.makeLocalSession()
                for rendition in 0..<3 {
                    group.addTask {
                        var held = 0
                        while .now < end {
                            for options in [playlist, segment] {
                                var options = options
                                options.byteLimit = 1 << 20
                                // Without shares it would be 24 seconds: six times the limit of the silent.
                                (options.queueTimeout, options.totalTimeout) = (.seconds(20), .seconds(60))
                                let bytes = try await session.fetch(server.url("/\(rendition)"), options)
                                    .bytes
                                #expect(bytes.count == 50_000)
                            }
                            held += 1
                            try await Task.sleep(for: .milliseconds(300))
                        }
                        return held
                    }
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
