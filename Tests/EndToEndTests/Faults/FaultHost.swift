import Foundation
import TestSupport

/// The host of one service as a test makes it appear: its clock stepped, its archive full.
final class FaultHost: Sendable {
    /// The settings with which a program runs on this host.
    let settings: [String: String]
    private let state: String

    /// A host whose archive lies in a folder.
    init(folder: TemporaryFolder, archive: String) async throws {
        state = try folder.write(String(repeating: "\0", count: 16), to: "host")
        let library = try await Self.library(in: folder)
        settings = ["LD_PRELOAD": library, "FAULT_HOST": state, "FAULT_ARCHIVE": archive]
    }

    /// Compiles what stands between the program and its host.
    private static func library(in folder: TemporaryFolder) async throws -> String {
        let path = folder.path(of: "host.so")
        let source = Programs.root + "/Tests/Fixtures/host/host.c"
        // The compiler that comes with Swift.
        try await Command.run("/usr/bin/env", ["clang", "-O2", "-shared", "-fPIC", "-o", path, source])
        return path
    }

    /// Steps the clock to so many seconds from the true time.
    func stepClock(to seconds: Int64) throws {
        try write(seconds * 1_000_000_000, at: 0)
    }

    func fillDisk(_ isFull: Bool) throws {
        try write(isFull ? 1 : 0, at: 8)
    }

    private func write(_ number: Int64, at offset: UInt64) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: state))
        try file.seek(toOffset: offset)
        try withUnsafeBytes(of: number.littleEndian) { try file.write(contentsOf: Data($0)) }
        try file.close()
    }
}
