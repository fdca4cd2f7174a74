import Files
import Foundation
import Glibc

/// Describes the body that the draft of a part begins, to request the rest of it.
struct BodyRecord: Sendable, Codable, Equatable {
    /// Bytes of the resource in front of the part.
    var offset: UInt64
    /// Bytes of the whole part.
    var total: UInt64
    /// The strong entity tag or the date of the version.
    var validator: String
}

extension TaskFolder {
    /// The ending of the file that has the record of a part.
    private static let recordEnding = ".body"

    /// Writes the record of a part.
    ///
    /// It is not made durable: after a power failure it may be missing, and the part is begun again.
    func record(_ record: BodyRecord, of name: String) async throws(DownloadError) {
        let bytes: [UInt8]
        do {
            bytes = Array(try JSONEncoder().encode(record))
        } catch {
            throw .folder("the record of \(name) cannot be written: \(error)")
        }
        try await write(bytes, toDraftOf: name + Self.recordEnding, isFirst: true)
    }

    /// The record of a part; nil when there is none that can be read.
    func record(of name: String) async throws(DownloadError) -> BodyRecord? {
        let file = Self.draft(of: name + Self.recordEnding)
        guard let bytes = try await read(file, upTo: Limits.recordBytes) else { return nil }
        return try? JSONDecoder().decode(BodyRecord.self, from: Data(bytes))
    }

    func dropRecord(of name: String) async throws(DownloadError) {
        try await dropDraft(of: name + Self.recordEnding)
    }

    /// The parts in a folder of the task that have a record.
    func partsWithRecord(in folder: String) async throws(DownloadError) -> Set<String> {
        let ending = "\(Self.recordEnding).part"
        return Set(
            try await drafts(in: folder).filter { $0.hasSuffix(ending) }.map {
                "\(folder)/\($0.dropFirst().dropLast(ending.count))"
            })
    }

    /// Removes what unfinished transfers have left in a folder of the task.
    func removeDrafts(in folder: String) async throws(DownloadError) {
        for name in try await drafts(in: folder) { try await remove("\(folder)/\(name)") }
    }

    /// The names of files that have a draft in a folder of the task.
    func draftNames(in folder: String) async throws(DownloadError) -> [String] {
        try await drafts(in: folder).map { String($0.dropFirst().dropLast(".part".count)) }
    }

    private func drafts(in folder: String) async throws(DownloadError) -> [String] {
        try await work.run { () throws(DownloadError) in
            try disk.list("\(path)/\(folder)").filter { $0.hasPrefix(".") && $0.hasSuffix(".part") }
        }
    }
}
