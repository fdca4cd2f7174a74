import Foundation
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import LiveOrigin

/// One transport packet whose payload is not read.
func packet(pid: UInt16 = 0x100, counter: UInt8 = 0, fill: UInt8 = 0xAA) -> [UInt8] {
    [0x47, UInt8(pid >> 8), UInt8(truncatingIfNeeded: pid), 0x10 | counter]
        + [UInt8](repeating: fill, count: 184)
}

/// A segment of one packet.
func source(_ rendition: String = "v0", seconds: Double = 4, start: Double = 0) -> SourceSegment {
    SourceSegment(
        rendition: rendition, durationSeconds: seconds, startSeconds: start,
        media: SourceMedia(form: .transportStream, encoded: SharedBytes(packet())))
}

func options(
    container: Container = .ts, audio: AudioPlacement = .muxed, variants: Int = 1, hasSubtitles: Bool = false,
) -> ChannelOptions {
    let layout = Layout(
        container: container, audio: audio, variants: variants, bitsPerSecond: 1_000_000,
        hasSubtitles: hasSubtitles)
    return ChannelOptions(layout: layout, segmentSeconds: 4)
}

/// A channel with a ledger and a handler, and a clock that is set by hand.
struct OriginBench {
    let folder: TemporaryFolder
    let channel: Channel
    let handler: OriginHandler
    private let clock = Clock()

    private final class Clock: Sendable {
        let now = Mutex(1000.0)
    }

    init(_ options: ChannelOptions = LiveOriginTests.options()) throws {
        folder = try TemporaryFolder()
        let ledger = try Ledger(path: folder.path + "/ledger.jsonl")
        channel = Channel(name: "ch1", options: options, ledger: ledger)
        handler = OriginHandler(channels: ["ch1": channel], ledgerPath: ledger.path) { [clock] in
            clock.now.withLock { $0 }
        }
    }

    var now: Double {
        get { clock.now.withLock { $0 } }
        nonmutating set { clock.now.withLock { $0 = newValue } }
    }

    /// Publishes so many segments of four seconds of every rendition, the clock going on with them.
    func publish(_ count: Int) throws {
        for _ in 0..<count {
            let start = now
            now += 4
            for rendition in channel.state.withLock({ $0.options.layout.renditions }) {
                try channel.publish(source(rendition.id, start: start), now: now)
            }
        }
    }

    func get(_ path: String) async -> HTTPResponse {
        let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
        let request = HTTPRequest(method: .get, path: parts[0], query: parts.count > 1 ? parts[1] : nil)
        switch handler.answer(request) {
        case .now(let response): return response
        case .later(let work), .lightweight(let work), .reserved(let work): return await work()
        }
    }

    func text(_ path: String) async -> String {
        guard case .bytes(let bytes) = await get(path).body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    func ledger() throws -> [LedgerEntry] {
        let data = try #require(FileManager.default.contents(atPath: folder.path + "/ledger.jsonl"))
        return try data.split(separator: 0x0A).map { try JSONDecoder().decode(LedgerEntry.self, from: $0) }
    }
}

/// Runs a program to its end; what it said on both outputs.
func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let folder = try TemporaryFolder()
    let paths = ["out", "err"].map { folder.path + "/" + $0 }
    for path in paths { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: paths[0])
    process.standardError = FileHandle(forWritingAtPath: paths[1])
    try process.run()
    process.waitUntilExit()
    let texts = paths.map {
        String(decoding: FileManager.default.contents(atPath: $0) ?? Data(), as: UTF8.self)
    }
    return (process.terminationStatus, texts[0], texts[1])
}
