import Foundation

/// The server that holds the databases of the tests.
struct TestServer: Sendable {
    private let programs: PostgresPrograms
    private let administration: String
    /// Held so that it lives; nil when the environment names a server.
    private let cluster: PostgresCluster?

    init() async throws {
        programs = try PostgresPrograms()
        if let given = ProcessInfo.processInfo.environment["BACKCAST_TEST_DATABASE_URL"] {
            (administration, cluster) = (given, nil)
        } else {
            let own = try await PostgresCluster()
            (administration, cluster) = (own.uri(), own)
        }
    }

    func createDatabase(_ name: String, template: String) async throws {
        let sql = "CREATE DATABASE \"\(name)\" TEMPLATE \"\(template)\""
        _ = try await programs.runSQL(sql, on: administration)
    }

    /// The connection string with another database in it.
    func uri(_ database: String) -> String {
        let path = Self.path(in: administration)
        return administration.replacingCharacters(in: path, with: "/\(database)")
    }

    /// The database that a connection string of this server names.
    static func database(of uri: String) -> String {
        String(uri[path(in: uri)].dropFirst())
    }

    /// Where `/database` stands in `scheme://authority/database?parameters`.
    private static func path(in uri: String) -> Range<String.Index> {
        let authority = uri.range(of: "://")?.upperBound ?? uri.startIndex
        let end = uri[authority...].firstIndex(of: "?") ?? uri.endIndex
        let start = uri[authority..<end].firstIndex(of: "/") ?? end
        return start..<end
    }
}
