import Catalogue
import Concurrency
import DatabaseSupport
import Postgres
import TestSupport
import Testing
import Timeline

@testable import Access

/// Nodes that share a database.
@Suite("Who may watch")
struct PlaybackAccessTests {
    private static let start = at(100_000)

    /// Runs a body with a node that has connections of its own.
    private func withNode<T>(
        _ uri: String, secrets: [String] = [TokenSignerTests.secret],
        _ body: (Catalogue, PlaybackAccess) async throws -> T
    ) async throws -> T {
        try await withPool(.patient(uri, size: 2)) { pool in
            let catalogue = Catalogue(pool: pool, logger: silentLogger)
            var clock = HostClock.system
            clock.now = { Self.start }
            let access = PlaybackAccess(
                signer: TokenSigner(secrets: secrets), catalogue: catalogue, clock: clock,
                logger: silentLogger)
            return try await body(catalogue, access)
        }
    }

    private func token(_ number: UInt64, expires: Instant = start + 1) throws -> (PlaybackGrant, Substring) {
        let grant = PlaybackGrant(id: TokenID(number: number), expires: expires)
        let signer = try #require(TokenSigner(secrets: [TokenSignerTests.secret]))
        return (grant, Substring(try signer.token(for: grant)))
    }

    @Test("A token counts until it expires, and nothing counts before revocations were read")
    func expiry() async throws {
        try await withCatalogueDatabase { _, uri in
            try await withNode(uri) { _, access in
                let (grant, text) = try token(1)
                let (_, expired) = try token(2, expires: Self.start)
                #expect(access.verdict(on: text) == .unknown && !access.isOpen)
                try await access.read(isWhole: true)
                for _ in 0..<2 {
                    #expect(access.verdict(on: text) == .granted(grant))
                    #expect(access.verdict(on: expired) == .refused)
                    #expect(access.verdict(on: nil) == .refused)
                    #expect(access.verdict(on: text.dropLast()) == .refused)
                    #expect(access.verdict(on: "") == .refused)
                }
            }
            try await withNode(uri, secrets: []) { _, access in
                #expect(access.isOpen && access.verdict(on: nil) == .open)
                #expect(access.verdict(on: "anything") == .open)
            }
        }
    }

    @Test("New revocations are found after the catalogue was restored and its numbers start at 1 again")
    func restored() async throws {
        try await withCatalogueDatabase { pool, uri in
            try await withNode(uri) { catalogue, access in
                let tokens = try (1...4).map { try token($0, expires: Self.start + 3_600_000_000) }
                for (grant, _) in tokens {
                    #expect(try await catalogue.enter(IssuedToken(grant: grant, created: Self.start)))
                }
                for (grant, _) in tokens.prefix(3) {
                    _ = try await catalogue.revoke(grant.id)
                }
                try await access.read(isWhole: true)
                #expect(tokens.map { access.isValid($0.0) } == [false, false, false, true])
                _ = try await pool.query("TRUNCATE revoked_token RESTART IDENTITY")
                try await access.read(isWhole: true)
                #expect(tokens.map { access.isValid($0.0) } == [true, true, true, true])
                _ = try await catalogue.revoke(tokens[3].0.id)
                try await access.read(isWhole: false)
                #expect(tokens.map { access.isValid($0.0) } == [true, true, true, false])
            }
        }
    }

    @Test(
        "A token that one node revokes is refused by all of them within five seconds, announced or not",
        arguments: [true, false])
    func revoked(isAnnounced: Bool) async throws {
        try await withCatalogueDatabase { pool, uri in
            try await withNode(uri) { catalogue, first in
                try await withNode(uri) { _, second in
                    let (kept, other) = try token(9, expires: Self.start + 3_600_000_000)
                    #expect(try await catalogue.enter(IssuedToken(grant: kept, created: Self.start)))
                    var last = Substring()
                    try await withThrowingTaskGroup { group in
                        group.addTask { await first.run() }
                        group.addTask { await second.run() }
                        var shortest = Duration.seconds(3600)
                        // A machine with other work may delay one of them.
                        for number in UInt64(1)...3 where shortest >= .seconds(5) {
                            let (grant, text) = try token(number, expires: Self.start + 3_600_000_000)
                            #expect(try await catalogue.enter(IssuedToken(grant: grant, created: Self.start)))
                            for node in [first, second] {
                                try await eventually { node.verdict(on: text) == .granted(grant) }
                            }
                            let begin = HostClock.system.steady()
                            try await revoke(grant, catalogue, quietlyOn: isAnnounced ? nil : pool)
                            for node in [first, second] {
                                try await eventually { node.verdict(on: text) == .refused }
                                #expect(node.verdict(on: other) == .granted(kept))
                            }
                            shortest = min(shortest, HostClock.system.steady() - begin)
                            last = text
                        }
                        #expect(shortest < .seconds(5))
                        group.cancelAll()
                        try await group.waitForAll()
                    }
                    // A node that starts later knows it from its first read.
                    try await withNode(uri) { _, late in
                        try await late.read(isWhole: false)
                        #expect(late.verdict(on: last) == .refused)
                        #expect(late.verdict(on: other) == .granted(kept))
                    }
                }
            }
        }
    }

    /// Revokes a token; with a pool only the row is written, and no node is notified.
    private func revoke(
        _ grant: PlaybackGrant, _ catalogue: Catalogue, quietlyOn pool: PostgresPool?
    ) async throws {
        guard let pool else {
            #expect(try await catalogue.revoke(grant.id))
            return
        }
        let expires = grant.expires.microseconds / 1_000_000
        _ = try await pool.query(
            """
            INSERT INTO revoked_token (id, expires_at)
            VALUES (\(grant.id.description), to_timestamp(\(expires)::float8))
            """)
    }

    @Test("Without announcements a node learns of revocations by asking")
    func asking() async throws {
        try await withCatalogueDatabase { _, uri in
            try await withNode(uri) { catalogue, access in
                try await access.read(isWhole: false)
                for number in UInt64(1)...3 {
                    let (grant, text) = try token(number)
                    _ = try await catalogue.enter(IssuedToken(grant: grant, created: Self.start))
                    #expect(access.verdict(on: text) == .granted(grant))
                    _ = try await catalogue.revoke(grant.id)
                    #expect(access.verdict(on: text) == .granted(grant))
                    try await access.read(isWhole: number == 3)
                    for earlier in 1...number {
                        #expect(access.verdict(on: try token(earlier).1) == .refused)
                    }
                }
            }
        }
    }
}
