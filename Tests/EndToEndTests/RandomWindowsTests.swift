import Foundation
import TestSupport
import Testing

@Suite("Random windows", .limitedStacks)
struct RandomWindowsTests {
    private static let renditions = ["v0", "v1", "v2"]
    private static let windowCount = 100

    @Test(
        "of three variants list each published segment once, in order, byte for byte",
        .timeLimit(.minutes(30)))
    func threeVariants() async throws {
        try await Stack.run(origin: ["--segment-seconds", "1", "--variants", "3"]) { stack in
            try await stack.addChannel()
            let entries = try await stack.published(30)
            let (first, last) = (entries[0], entries[28])
            try await stack.settled(last.end)
            let seed = UInt64.random(in: 0...999_999)
            var generator = SeededGenerator(seed: seed)
            var check = try WindowCheck(stack, Self.renditions)
            for _ in 0..<Self.windowCount {
                let begin = Int64.random(in: first.start...last.end - 1_000, using: &generator)
                let end = Int64.random(in: begin + 1_000...last.end, using: &generator)
                for rendition in Self.renditions { try await check.window(begin, end, of: rendition) }
            }
            print("Random windows, seed \(seed): \(check.summary)")
            #expect(check.faults.isEmpty, "seed \(seed)")
            #expect(check.digests.count >= 3 * 25)
            try await checkPlaying(stack, first.start, last.end, &generator)
        }
    }

    /// ffmpeg decodes windows without a message, and ffprobe finds as long as the list says, one segment more
    /// or less.
    private func checkPlaying(
        _ stack: Stack, _ first: Int64, _ last: Int64, _ generator: inout SeededGenerator
    ) async throws {
        for _ in 0..<4 {
            let begin = Int64.random(in: first...last - 12_000, using: &generator)
            let path = stack.window(begin, begin + 10_000, name: "v0.m3u8")
            #expect(try await stack.playing(path) == "")
            let listed = try await stack.service.playlist(path).segments.map(\.seconds).reduce(0, +)
            let probed = try await Command.run(
                "/usr/bin/ffprobe",
                [
                    "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0",
                    await stack.service.base + path,
                ])
            let seconds = try #require(Double(probed.trimmingCharacters(in: .whitespacesAndNewlines)))
            #expect(abs(seconds - listed) <= 1, "\(seconds) s instead of \(listed) s")
        }
    }
}

/// Windows held against the ledger of the origin.
private struct WindowCheck {
    /// Dates may be shifted by this much, so that a segment that only touches a window's edge may be in or
    /// out.
    private static let edgeMilliseconds: Int64 = 150

    private let stack: Stack
    private let ledgers: [String: [LedgerEntry]]
    private(set) var faults: [String] = []
    /// What the service sends, by path.
    private(set) var digests: [String: String] = [:]
    private var listCount = 0

    var summary: String { "\(listCount) lists, \(digests.count) segments hashed, \(faults.count) faults" }

    init(_ stack: Stack, _ renditions: [String]) throws {
        self.stack = stack
        ledgers = try Dictionary(uniqueKeysWithValues: renditions.map { ($0, try stack.ledger($0)) })
    }

    mutating func window(_ begin: Int64, _ end: Int64, of rendition: String) async throws {
        let list = try await stack.service.playlist(stack.window(begin, end, name: "\(rendition).m3u8"))
        listCount += 1
        let ledger = ledgers[rendition] ?? []
        var listed: [LedgerEntry] = []
        for uri in list.uris {
            let digest = try await digest(uri)
            guard let entry = ledger.first(where: { $0.sha256 == digest }) else {
                faults.append("\(uri) has bytes that the origin did not publish")
                continue
            }
            listed.append(entry)
        }
        let what = "\(rendition) from \(begin) to \(end)"
        if !list.isEnded || list.tag("EXT-X-PLAYLIST-TYPE") != "VOD" {
            faults.append("\(what) is not closed")
        }
        let places = listed.map(\.place)
        if places != Set(places).sorted() { faults.append("\(what): out of order or twice: \(places)") }
        for entry in ledger { check(entry, isListed: places.contains(entry.place), begin, end, what) }
    }

    private mutating func check(
        _ entry: LedgerEntry, isListed: Bool, _ begin: Int64, _ end: Int64, _ what: String
    ) {
        let edge = Self.edgeMilliseconds
        if entry.start < end - edge && entry.end > begin + edge && !isListed {
            faults.append("\(what): number \(entry.number) is missing")
        }
        if (entry.start > end + edge || entry.end < begin - edge) && isListed {
            faults.append("\(what): number \(entry.number) does not belong here")
        }
    }

    private mutating func digest(_ uri: String) async throws -> String {
        if let known = digests[uri] { return known }
        let digest = try await stack.digest(of: uri)
        digests[uri] = digest
        return digest
    }
}
