import Foundation
import Timeline

/// The content of `task.json`: the task, what was asked for, and what is known of a single file.
struct StoredTask: Sendable, Codable, Equatable {
    /// The form of the folder; a later program reads every earlier one.
    var version = 1
    var task: DownloadTask
    var request: DownloadRequest
    /// Length and validator of a single media file, for requests of its rest.
    var file: KnownFile?
    /// Whether the playlists have ever listed more than when they were first read.
    var hasGrown: Bool?
    /// Whether all media are in the folder and the playlists are closed, so that only packing is left.
    var isOnlyToPack: Bool?

    struct KnownFile: Sendable, Codable, Equatable {
        var total: UInt64?
        var validator: String?
    }

    init(task: DownloadTask, request: DownloadRequest) {
        self.task = task
        self.request = request
    }

    /// The content of the file; ends with a line feed.
    func bytes() throws(DownloadError) -> [UInt8] {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
            return Array(try encoder.encode(self)) + [0x0A]
        } catch {
            throw .folder("task.json cannot be written: \(error)")
        }
    }

    /// Reads the task of a folder; nil when it has none.
    static func reading(from folder: TaskFolder) async throws(DownloadError) -> StoredTask? {
        guard let bytes = try await folder.read(TaskFolder.taskFile, upTo: Limits.taskFileBytes) else {
            return nil
        }
        do {
            return try JSONDecoder().decode(StoredTask.self, from: Data(bytes))
        } catch {
            throw .folder("\(folder.path)/task.json cannot be read")
        }
    }
}

extension TaskFolder {
    /// Writes the description of the task, which only its owner reads.
    func replaceTask(_ stored: StoredTask) async throws(DownloadError) {
        try await replace(Self.taskFile, with: try stored.bytes(), mode: 0o600)
    }

    /// Whether the folder has segments of a task that are encrypted at the source.
    func hasEncryptedParts(of task: DownloadTask) async throws(DownloadError) -> Bool {
        for id in task.renditions.map(\.id.description) {
            guard let bytes = try await readWhole(PartsFile.name(of: id), upTo: Limits.partsFileBytes)
            else { continue }
            let encrypted = PartsFile.reading(bytes).parts.filter { $0.key != nil }
            if encrypted.isEmpty { continue }
            let there = try await lengths(in: id)
            let isThere = encrypted.contains { part in
                there[part.file] != nil || part.initSection.map { there[$0] != nil } ?? false
            }
            if isThere { return true }
        }
        return false
    }
}

/// The lines of the file `.parts` of a rendition.
enum PartsFile {
    /// The name within the folder of the task.
    static func name(of rendition: String) -> String { "\(rendition)/.parts" }

    static func bytes(of parts: [PartNames]) throws(DownloadError) -> [UInt8] {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try parts.flatMap { Array(try encoder.encode($0)) + [0x0A] }
        } catch {
            throw .folder("the list of parts cannot be written: \(error)")
        }
    }

    /// Reads lines; a last one without its end was being written when the process ended, and does not count.
    static func reading(_ bytes: [UInt8]) -> (parts: [PartNames], isWhole: Bool) {
        let decoder = JSONDecoder()
        let end = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let parts = bytes[..<end].split(separator: 0x0A).compactMap { line in
            try? decoder.decode(PartNames.self, from: Data(line))
        }
        return (parts, end == bytes.count)
    }
}
