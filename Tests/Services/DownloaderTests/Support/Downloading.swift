import Compression
import Concurrency
import Files
import Foundation
import HLS
import HTTPClient
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import Downloader

/// A folder of downloads, and what fills it.
struct Downloading {
    let folder: TemporaryFolder
    var options = DownloadOptions()

    init() throws {
        folder = try TemporaryFolder("downloads")
    }

    /// The clock of the host, whose pauses are over at once.
    static let hasty = HostClock(
        now: { HostClock.system.now() }, steady: { HostClock.system.steady() },
        sleep: { _ in
            try Task.checkCancellation()
            await Task.yield()
        })

    /// Downloads as the command does: with a client and a lock of its own.
    @discardableResult
    func run(
        _ request: DownloadRequest, clock: HostClock = Downloading.hasty,
        disk: Disk<DownloadError> = Disk(),
        report: @escaping @Sendable (DownloadTask) -> Void = { _ in },
    ) async throws -> DownloadTask {
        let client = try HTTPClient.open(ClientConfiguration(logger: silentLogger))
        let outcome: Result<DownloadTask, any Error>
        do {
            let manager = try await DownloadManager.open(
                folder.path, options, client: client, clock: clock, disk: disk, lifetime: .untilDone,
                report: report)
            let id = try await manager.addOrResume(request).id
            await manager.run()
            if let refusal = await manager.refusal(of: id) { throw refusal }
            outcome = .success(try #require(manager.task(id)))
        } catch {
            outcome = .failure(error)
        }
        await client.close()
        return try outcome.get()
    }

    /// The file of a task.
    func path(_ task: String, _ name: String = "") -> String { folder.path(of: "\(task)/\(name)") }

    /// Waits until the task `task` has these files.
    func reached(_ names: [String]) async throws {
        try await eventually("\(names)") {
            names.allSatisfy { FileManager.default.fileExists(atPath: path("task", $0)) }
        }
    }

    func bytes(_ task: String, _ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path(task, name))))
    }

    /// Expects every segment of an origin, whole, in the playlist of the task `task`, which has ended.
    ///
    /// - Returns: the playlist
    @discardableResult
    func expectSegments(of origin: FaultyOrigin) throws -> MediaPlaylist {
        let playlist = try readMedia(String(decoding: bytes("task", "index.m3u8"), as: UTF8.self))
        #expect(playlist.isEnded && !playlist.segments.contains { $0.isGap })
        let files = try playlist.segments.map { try bytes("task", $0.uri) }
        #expect(files == origin.segments().compactMap { origin.bytes($0) })
        return playlist
    }

    /// Every file of a task with its bytes, without its state and its picture, which depends on the segment
    /// that came first.
    func files(_ task: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        let root = path(task)
        for name in FileManager.default.enumerator(atPath: root)?.compactMap({ $0 as? String }) ?? [] {
            var isFolder = ObjCBool(false)
            guard FileManager.default.fileExists(atPath: root + name, isDirectory: &isFolder)
            else { continue }
            guard !isFolder.boolValue, !["task.json", "picture.jpg"].contains(name) else { continue }
            files[name] = Array(try Data(contentsOf: URL(filePath: root + name)))
        }
        return files
    }

    /// The numbers of the media files of a task: one that is written again has another.
    func numbers(_ task: String) throws -> [String: Int] {
        var numbers: [String: Int] = [:]
        for name in try files(task).keys where name.contains("/") && !name.contains("/.") {
            let attributes = try FileManager.default.attributesOfItem(atPath: path(task, name))
            numbers[name] = attributes[.systemFileNumber] as? Int
        }
        return numbers
    }

    /// What ffmpeg has to say about a task: nothing when it plays.
    ///
    /// That it leaves out subtitles is no fault of the task.
    func playing(_ task: String, _ name: String = "index.m3u8") async throws -> String {
        // Without it ffmpeg reads no key beside a playlist.
        let reading = name.hasSuffix(".m3u8") ? ["-allowed_extensions", "ALL"] : []
        let words = try await Command.run(
            "/usr/bin/env",
            [
                "ffmpeg", "-nostdin", "-v", "warning", "-xerror",
            ] + reading + ["-i", path(task, name), "-map", "0", "-c", "copy", "-f", "null", "-"])
        return words.split(separator: "\n").filter { !$0.contains("Can't support the subtitle") }.joined()
    }
}

/// Compresses bytes to one gzip member.
func gzip(_ plain: [UInt8]) throws -> [UInt8] {
    let block = try DeflateBlock.compressing(plain)
    var trailer = GzipJoin.Trailer()
    trailer.append(block)
    return GzipJoin.header + block.bytes + trailer.bytes
}

extension Disk<DownloadError> {
    /// A disk on which there is no space for the single file of the task `task`.
    static var withoutPacking: Disk<DownloadError> {
        Disk { operation, path in
            let isPacked = path.hasSuffix("/.task.ts.part") || path.hasSuffix("/.task.mp4.part")
            return isPacked && operation != .remove ? ENOSPC : nil
        }
    }
}

extension FaultyOrigin {
    /// A request for the stream under a folder, as the task `task`.
    func request(_ path: String = "/vod/index.m3u8") -> DownloadRequest {
        var request = DownloadRequest(url: url(path))
        request.id = "task"
        return request
    }

    /// Serves two seconds of sound under `/vod`, as a media playlist.
    func serveSound(_ options: [String]) async throws {
        let folder = try TemporaryFolder("sound")
        try Data((1...16).map { UInt8($0) }).write(to: folder.url.appending(path: "a.key"))
        _ = try folder.write("a.key\n\(folder.path(of: "a.key"))\n", to: "key.info")
        try await Command.run(
            "/usr/bin/env",
            [
                "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=duration=2", "-c:a", "aac",
                "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod",
            ] + options + ["index.m3u8"], in: folder.path)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            serve("/vod/\(name)", Array(try Data(contentsOf: folder.url.appending(path: name))))
        }
    }
}
