import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Errors of the catalogue")
struct CatalogueErrorTests {
    @Test("Only database errors are transient")
    func transient() throws {
        #expect(CatalogueError.database(PostgresError(.unreachable, "away")).isTransient)
        #expect(!CatalogueError.database(PostgresError(.schema, "another")).isTransient)
        for error in [
            .noSuchChannel(try slug("a")), .channelExists(try slug("a")), .staleVersion(current: 1),
            .unreadable("x"),
        ] as [CatalogueError] {
            #expect(!error.isTransient)
        }
    }

    @Test("Each error says what failed and where")
    func words() throws {
        #expect("\(CatalogueError.noSuchChannel(try slug("news")))".contains("news"))
        #expect("\(CatalogueError.staleVersion(current: 7))".contains("7"))
    }

    @Test(
        "A running database is reachable, a closed one is not, and database errors keep their type")
    func reachable() async throws {
        try await withCatalogue { test in
            #expect(await test.catalogue.isReachable())
            await test.pool.close()
            #expect(await !test.catalogue.isReachable())
            let error = await failure(of: { try await test.catalogue.everyChannel() })
            guard case .database(let cause) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(cause.kind == .closed)
        }
    }

    @Test("A channel that this program cannot read does not block the others")
    func unreadableAmongOthers() async throws {
        try await withCatalogue { test in
            for id in ["one", "two"] { _ = try await test.catalogue.create(try settings(id)) }
            _ = try await test.pool.query("UPDATE channel SET settings = '{}' WHERE slug = 'one'")
            #expect(try await test.catalogue.everyChannel().map(\.id.text) == ["two"])
        }
    }

    @Test("Unreadable settings are reported as such, not as a missing channel")
    func unreadable() async throws {
        try await withCatalogue { test in
            let channel = try await test.catalogue.create(try settings("news"))
            _ = try await test.pool.query("UPDATE channel SET settings = '{}'")
            let error = await failure(of: { try await test.catalogue.channel(channel.id) })
            guard case .unreadableSettings(channel: "news", fault: _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
