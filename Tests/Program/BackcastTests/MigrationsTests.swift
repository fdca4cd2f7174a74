import Foundation
import Postgres
import TestSupport
import Testing

@testable import Backcast

@Suite("The migrations of the program")
struct MigrationsTests {
    /// The folder of the repository.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../migrations").standardized.path

    @Test("the program carries every file of the folder, byte for byte")
    func embedded() throws {
        let read = try Migrations.reading(folder: Self.folder)
        #expect(!read.all.isEmpty)
        #expect(try Migrations.ofProgram(folder: nil).all == read.all)
    }

    @Test("a folder that is named counts instead")
    func named() throws {
        let folder = try TemporaryFolder()
        try folder.write("SELECT 1", to: "0001-one.sql")
        let migrations = try Migrations.ofProgram(folder: folder.path)
        #expect(migrations.all.map(\.name) == ["0001-one.sql"])
    }

    @Test("a folder that is absent or holds other files is refused by its setting's name")
    func refused() throws {
        let folder = try TemporaryFolder()
        try folder.write("SELECT 1", to: "first.sql")
        for path in [folder.path, folder.path(of: "none")] {
            let error = #expect(throws: ProgramError.self) { try Migrations.ofProgram(folder: path) }
            #expect(error?.description.hasPrefix("BACKCAST_MIGRATIONS: the folder \(path)") == true)
        }
    }
}
