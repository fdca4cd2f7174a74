import FoundationEssentials

/// The files that make the schema, in order: `0001-name.sql`, `0002-….sql`, without a hole in the numbers.
package struct Migrations: Sendable {
    /// One file.
    package struct Migration: Hashable, Sendable {
        package let number: Int32
        package let name: String
        let text: String

        /// Whether it runs without BEGIN and COMMIT, for what PostgreSQL refuses in a transaction.
        ///
        /// Such a file holds one statement that may be run twice, as the process may end before the migration
        /// is noted.
        var isWithoutTransaction: Bool {
            text.prefix { $0 != "\n" }.hasPrefix("-- no transaction")
        }
    }

    package let all: [Migration]

    package init(_ migrations: [Migration]) throws(PostgresError) {
        for (index, migration) in migrations.enumerated() where Int(migration.number) != index + 1 {
            throw PostgresError(.schema, "migration \(index + 1) is missing before \(migration.name)")
        }
        all = migrations
    }

    /// Reads every `.sql` file of a folder.
    package static func reading(folder: String) throws -> Migrations {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return try Migrations(
            names.filter { $0.hasSuffix(".sql") }.sorted().map { try Migration(reading: $0, in: folder) })
    }
}

extension Migrations.Migration {
    package init(name: String, text: String) throws(PostgresError) {
        let digits = name.prefix { $0.isASCII && $0.isNumber }
        guard digits.count == 4, let number = Int32(digits), number > 0, name.dropFirst(4).hasPrefix("-")
        else {
            throw PostgresError(.schema, "a migration is named like 0001-channels.sql, not \(name)")
        }
        guard text.utf8.count <= Limits.migrationByteCount else {
            throw PostgresError(.tooLarge, "migration \(name) is over \(Limits.migrationByteCount) bytes")
        }
        self.init(number: number, name: name, text: text)
    }

    fileprivate init(reading name: String, in folder: String) throws {
        let bytes = try Data(contentsOf: URL(filePath: folder + "/" + name))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PostgresError(.schema, "migration \(name) is not UTF-8")
        }
        try self.init(name: name, text: text)
    }
}
