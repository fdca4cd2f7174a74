import Foundation

/// Fresh databases for tests, on one server per test process.
///
/// The server is a private one, started when first needed, or the one that `BACKCAST_TEST_DATABASE_URL`
/// names. A named server must be there for tests only; its databases are not removed.
package actor TestDatabase {
    package static let shared = TestDatabase()

    private var server: Task<TestServer, any Error>?
    private var templates: [String: Task<String, any Error>] = [:]
    private var made = 0

    /// Makes an empty database; its connection string.
    package func database(_ name: String = "test") async throws -> String {
        try await create(name, template: "template0")
    }

    /// Makes a copy of a database that is prepared once per test process, by a closure that gets its
    /// connection string and leaves no connection open.
    package func database(
        _ name: String = "test", template: String,
        prepare: @escaping @Sendable (String) async throws -> Void
    ) async throws -> String {
        let task = templates[template] ?? Task { try await makeTemplate(template, prepare) }
        templates[template] = task
        return try await create(name, template: try await task.value)
    }

    private func makeTemplate(
        _ name: String, _ prepare: @Sendable (String) async throws -> Void
    ) async throws -> String {
        let uri = try await create(name, template: "template0")
        try await prepare(uri)
        return TestServer.database(of: uri)
    }

    private func create(_ name: String, template: String) async throws -> String {
        let server = try await runningServer()
        made += 1
        let word = name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(30)
        let database = "test_\(getpid())_\(made)_\(word)"
        try await server.createDatabase(database, template: template)
        return server.uri(database)
    }

    private func runningServer() async throws -> TestServer {
        let task = server ?? Task { try await TestServer() }
        server = task
        return try await task.value
    }
}
