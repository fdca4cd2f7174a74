import TestSupport
import Testing

@testable import Backcast

@Suite("Where migrations are")
struct MigrationsFolderTests {
    @Test("a named folder is taken or refused by its setting's name")
    func named() throws {
        let folder = try TemporaryFolder()
        #expect(try MigrationsFolder.path(named: folder.path) == folder.path)
        let error = #expect(throws: ProgramError.self) {
            try MigrationsFolder.path(named: folder.path(of: "none"))
        }
        #expect(error?.description.hasPrefix("BACKCAST_MIGRATIONS") == true)
    }

    @Test("without a name the installed ones are found", arguments: ["bin/backcast", "backcast"])
    func installed(program: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "share/backcast/migrations/0001-x.sql")
        let candidates = MigrationsFolder.candidates(named: nil, program: folder.path(of: program))
        #expect(candidates.first == "./migrations")
        #expect(candidates.contains(folder.path(of: "share/backcast/migrations")))
    }
}
