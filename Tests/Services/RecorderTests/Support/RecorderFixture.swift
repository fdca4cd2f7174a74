import Catalogue
import Concurrency
import DatabaseSupport
import Postgres
import TestSupport
import Timeline

/// A catalogue with one channel, on a database that can go away, and a folder for the journal of who records
/// it.
struct RecorderFixture: Sendable {
    static let node = "11111111-1111-1111-1111-111111111111"
    static let otherNode = "22222222-2222-2222-2222-222222222222"

    let cluster: PostgresCluster
    let pool: PostgresPool
    let catalogue: Catalogue
    let channel: Channel
    let journal: TemporaryFolder

    /// All tests begin at once; with a server of PostgreSQL for each, the machine keeps no time limit.
    private static let clusters = AsyncSemaphore(permits: 12)

    /// Runs a body and closes the connections.
    static func run(_ body: (RecorderFixture) async throws -> Void) async throws {
        guard try await clusters.withPermit({ try await runAlone(body) }) != nil else {
            throw CancellationError()
        }
    }

    private static func runAlone(_ body: (RecorderFixture) async throws -> Void) async throws {
        let fixture = try await RecorderFixture()
        do {
            try await body(fixture)
        } catch {
            await fixture.pool.close()
            throw error
        }
        await fixture.pool.close()
    }

    private init() async throws {
        journal = try TemporaryFolder("journal")
        cluster = try await PostgresCluster()
        pool = PostgresPool(try .patient(cluster.uri()), logger: silentLogger)
        try await migrateCatalogue(cluster.uri())
        catalogue = Catalogue(pool: pool, logger: silentLogger)
        channel = try await Self.channel("news", in: catalogue)
    }

    private static func channel(_ name: String, in catalogue: Catalogue) async throws -> Channel {
        guard let id = ChannelID(name) else { throw TestFailure("no id") }
        return try await catalogue.create(
            ChannelSettings(
                id: id, title: "News", sources: [SourceSettings(url: "http://origin.test/")],
                retentionSeconds: nil))
    }

    /// Makes another channel of the same source.
    func otherChannel() async throws -> Channel { try await Self.channel("sport", in: catalogue) }

    /// The rows of a statement, columns apart by a stroke.
    func rows(_ sql: String) async throws -> [String] {
        try await PostgresPrograms().rows(of: sql, on: cluster.uri())
    }

    func number(_ sql: String) async throws -> Int? {
        try await rows(sql).first.flatMap { Int($0) }
    }
}
