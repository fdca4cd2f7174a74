import Export
import HTTP
import SegmentStore
import Synchronization
import Testing
import Timeline

@Suite("A transport stream of a window")
struct WindowExportTests {
    private func plan(_ window: StoredWindow) throws -> TransportStreamPlan {
        try TransportStreamPlan(
            channel: try #require(ChannelID(StoredWindow.channel)), rendition: StoredWindow.rendition,
            runs: try SegmentRun.pairs(window.segments), formats: window.formats)
    }

    private func bytes(
        _ window: StoredWindow, from offset: Int, count: Int, limit: Int = 1000,
    ) async throws -> [UInt8] {
        let body = WindowExport(store: window.store).body(
            of: try plan(window), offset: UInt64(offset), byteCount: UInt64(count))
        var bytes: [UInt8] = []
        while let piece = try await body.next(limit: limit) {
            #expect(!piece.isEmpty && piece.count <= limit)
            bytes += piece
        }
        return bytes
    }

    private static let keys = (1...3).map { [UInt8](repeating: $0, count: 16) }

    @Test("is its segments one after the other, decrypted, with their length known", arguments: [0, 1, 3])
    func whole(keys: Int) async throws {
        let window = try await StoredWindow(count: 5, keys: Array(Self.keys.prefix(keys)))
        #expect(try plan(window).byteCount == UInt64(window.plain.count))
        #expect(try await bytes(window, from: 0, count: window.plain.count) == window.plain)
    }

    @Test(
        "goes on from any byte and ends at any byte, encrypted or not",
        arguments: [0, 1, 15, 16, 670, 671, 672, 1342, 3000, 3354], [0, 2])
    func range(offset: Int, keys: Int) async throws {
        let window = try await StoredWindow(count: 5, keys: Array(Self.keys.prefix(keys)))
        for count in [1, 16, 700, window.plain.count - offset] where offset + count <= window.plain.count {
            let expected = Array(window.plain[offset..<offset + count])
            #expect(try await bytes(window, from: offset, count: count, limit: 100) == expected)
        }
    }

    @Test("keeps few keys in memory, however many the window has")
    func manyKeys() async throws {
        let keys = (0..<40).map { [UInt8](repeating: $0, count: 16) }
        let window = try await StoredWindow(count: 40, keys: keys)
        #expect(try await bytes(window, from: 0, count: window.plain.count) == window.plain)
    }

    @Test("that goes on has null packets while nothing comes, also if it is read in small pieces")
    func quiet() async throws {
        let window = try await StoredWindow(count: 2)
        let parts = Mutex([FollowingPart.quiet, .nothingYet, .quiet, .part(try plan(window)), .end])
        let body = WindowExport(store: window.store).body(first: try plan(window)) {
            parts.withLock { $0.removeFirst() }
        }
        var bytes: [UInt8] = []
        while let piece = try await body.next(limit: 100) {
            #expect(piece.count <= 100)
            bytes += piece
        }
        // ISO 13818-1 §2.4.3.3: PID 0x1FFF, no payload unit start, payload only.
        let packet: [UInt8] = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
        #expect(bytes == window.plain + packet + packet + window.plain)
    }

    @Test(
        "has the whole packets of segments that are not whole, from any byte on, encrypted or not",
        arguments: [[1], [0, 1], [2, 4], [0, 1, 2, 3, 4]], [0, 2])
    func partialPackets(damaged: [Int], keys: Int) async throws {
        var window = try await StoredWindow(count: 5, keys: Array(Self.keys.prefix(keys)))
        let whole = try plan(window).tag
        for index in damaged { window.segments[index].flags.insert(.damaged) }
        let expected = (0..<5).flatMap { index in
            let bytes = window.plain[(index * 671)..<((index + 1) * 671)]
            // Three packets of 188 bytes, and 107 bytes.
            return Array(damaged.contains(index) ? bytes.prefix(564) : bytes)
        }
        #expect(try plan(window).byteCount == UInt64(expected.count))
        #expect(try plan(window).tag != whole)
        for offset in [0, 1, 563, 564, 565, 671, 672, 1128, 1200, 2000, expected.count - 1] {
            for count in [1, 700, expected.count - offset] where offset + count <= expected.count {
                let bytes = try await bytes(window, from: offset, count: count, limit: 100)
                #expect(bytes == Array(expected[offset..<(offset + count)]))
            }
        }
    }

    @Test("has nothing of a segment without a whole packet")
    func noPacket() async throws {
        var window = try await StoredWindow(count: 3)
        window.segments[1].plainBytes = 187
        window.segments[1].flags.insert(.damaged)
        let expected = Array(window.plain[..<671] + window.plain[1342...])
        #expect(try plan(window).byteCount == 1342)
        #expect(try await bytes(window, from: 0, count: 1342) == expected)
        #expect(try await bytes(window, from: 671, count: 671) == Array(expected.suffix(671)))
    }

    @Test("fails where the archive lacks a segment, and sends what comes before")
    func missing() async throws {
        let window = try await StoredWindow(count: 5)
        try await window.lose(2)
        #expect(try await bytes(window, from: 0, count: 1342) == Array(window.plain.prefix(1342)))
        await #expect(throws: StoreError.self) { try await bytes(window, from: 0, count: 1343) }
    }

    @Test("fails where a segment is shorter than the catalogue says")
    func short() async throws {
        var window = try await StoredWindow(count: 2)
        window.segments[1].plainBytes += 1
        await #expect(throws: ExportError.endedEarly) { try await bytes(window, from: 0, count: 1343) }
    }

    @Test("has a tag that is equal for equal streams alone")
    func tag() async throws {
        let window = try await StoredWindow(count: 3)
        let same = try plan(window).tag
        #expect(same == (try plan(window).tag))
        var other = window
        other.segments[1].revision = 1
        #expect(try plan(other).tag != same)
        other = window
        other.segments.removeLast()
        #expect(try plan(other).tag != same)
    }
}
