import Foundation
import TestSupport
import Testing
import Timeline

@testable import Journal

@Suite("Journals as earlier versions wrote them")
struct StoredJournalTests {
    /// In the order in which the files of several lines have them.
    private static let names = [
        "segment-clear", "segment-full", "segment-encrypted", "segment-init", "segment-drm", "key-pending",
        "key-pending-init", "key-pending-init-only", "key-pending-init-clear", "feed", "loss",
        "loss-rendition", "rendition", "rendition-variant", "rendition-audio", "rendition-subtitles",
    ]

    private static let begin = Instant(microseconds: 1_795_311_600_123_456)

    private static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Fixtures.stored.data("journal/" + name))
    }

    /// What a journal folder replays when the files of a fixture lie in it.
    private static func replayed(_ files: [String: [UInt8]]) async throws -> [JournalEntry] {
        let folder = JournalFolder()
        for (name, bytes) in files { try folder.write(bytes, to: name) }
        return try await folder.run { try await $0.replay().map(\.1) }
    }

    private static func entry(_ name: String) async throws -> JournalEntry {
        let entries = try await replayed(["000001.jsonl": try bytes("lines/\(name).jsonl")])
        #expect(entries.count == 1, "\(name)")
        return try #require(entries.first)
    }

    private static func entries(_ names: [String]) async throws -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for name in names { entries.append(try await entry(name)) }
        return entries
    }

    private static func segment(_ name: String) async throws -> SegmentFact {
        guard case .segment(let fact) = try await entry(name) else {
            throw TestFailure("\(name): no segment")
        }
        return fact
    }

    private static func pending(_ name: String) async throws -> KeyPendingSegment {
        guard case .keyPending(let fact) = try await entry(name) else {
            throw TestFailure("\(name): no segment that waits")
        }
        return fact
    }

    @Test("Every line is an entry, and is written again with the same keys and values and its version")
    func everyLine() async throws {
        let files = try Fixtures.stored.names(in: "journal/lines")
        #expect(Set(files) == Set(Self.names.map { $0 + ".jsonl" }))
        for name in Self.names {
            let payload = try Self.bytes("lines/\(name).jsonl").dropFirst(9)
            let line = try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]
            let old = try #require(line)
            let written = try JSONEncoder().encode(try await Self.entry(name))
            var new = try #require(try JSONSerialization.jsonObject(with: written) as? [String: Any])
            #expect(new.removeValue(forKey: "v") as? Int == JournalEntry.version)
            #expect(try sortedJSON(new) == sortedJSON(old), "\(name)")
        }
    }

    @Test("A segment is read field by field")
    func segments() async throws {
        let clear = try await Self.segment("segment-clear")
        #expect(clear.channel.text == "news")
        #expect(clear.identity.rendition.description == "v0")
        #expect(clear.identity.run == 1_795_311_599_000_001)
        #expect(clear.identity.number == 7000)
        #expect(clear.start == Self.begin)
        #expect(clear.duration == 4_004_000)
        #expect(clear.arrived == Self.begin + 6_000_000)
        #expect(clear.storedBytes == 1_234_567 && clear.plainBytes == 1_234_567)
        #expect(clear.digest == (0..<32).map { UInt8($0) * 8 })
        #expect(clear.fence == 3)
        #expect(clear.format.container == .transportStream)
        #expect(clear.format.tracks == "video:h264,audio:aac")
        #expect(clear.format.codecs == "avc1.4d401f,mp4a.40.2")
        #expect(clear.revision == 0 && clear.flags == [] && clear.iv == nil && clear.boundary == nil)
        #expect(clear.programDateTime == nil && clear.firstTimestamp == nil)
        let full = try await Self.segment("segment-full")
        #expect(full.format.width == 1280 && full.format.height == 720)
        #expect(full.flags == [.independent, .late])
        #expect(full.programDateTime == Self.begin)
        #expect(full.firstTimestamp == 8_589_934_591)
        #expect(full.boundary == .listed)
        #expect(full.revision == 2)
        let encrypted = try await Self.segment("segment-encrypted")
        #expect(encrypted.format.keyMethod == "AES-128")
        #expect(encrypted.format.keyName == "00112233445566778899aabbccddeeff")
        #expect(encrypted.iv == (0..<16).map { UInt8($0) })
        #expect(encrypted.plainBytes == 1_234_560)
        #expect(try await Self.segment("segment-init").format.initName == "init-0123456789abcdef.mp4")
        let drm = try await Self.segment("segment-drm")
        #expect(drm.format.drmTags.count == 2)
        #expect(drm.format.drmTags[0].hasPrefix("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://a/b\""))
    }

    @Test("A segment that waits for its key is read field by field")
    func keyPending() async throws {
        let plain = try await Self.pending("key-pending")
        #expect(plain.identity.rendition.description == "a1" && plain.identity.number == 42)
        #expect(plain.start == Self.begin && plain.duration == 4_000_000)
        #expect(plain.flags == [.keyPending, .independent] && plain.revision == 1)
        #expect(plain.container == .fragmentedMP4)
        #expect(plain.cipher?.keyURL == "https://keys.example/k?token=a%20b")
        #expect(plain.cipher?.iv == (240...255).map { UInt8($0) })
        #expect(plain.cipher?.sampleMethod == nil && plain.initialization == nil && plain.drmTags == [])
        #expect(plain.source == "https://origin.example/live.m3u8" && plain.boundary == nil)
        let both = try await Self.pending("key-pending-init")
        #expect(both.initialization?.name == "init-0123456789abcdef.mp4")
        #expect(both.initialization?.cipher?.sampleMethod == "SAMPLE-AES")
        #expect(both.initialization?.cipher?.iv == [])
        #expect(both.drmTags == ["#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://a/b\""])
        #expect(both.programDateTime == Self.begin && both.boundary?.rawValue == "format")
        #expect(try await Self.pending("key-pending-init-only").cipher == nil)
        #expect(try await Self.pending("key-pending-init-clear").initialization?.cipher == nil)
    }

    @Test("Runs, losses and renditions are read field by field")
    func others() async throws {
        let source = "https://origin.example/häuser/live.m3u8"
        let run = SourceRun(id: 1_795_311_599_000_001, source: source, began: Self.begin, clock: "source")
        #expect(try await Self.entry("feed") == .sourceRun(run))
        let window = TimeWindow(begin: Self.begin, end: Self.begin + 4_000_000)
        #expect(
            try await Self.entry("loss") == .loss(Loss(window: window, reason: .sourceUnreachable)))
        let note = "line\nbreak \"quoted\" \u{0}"
        let rendition = RenditionID(kind: .video, index: 0)
        #expect(
            try await Self.entry("loss-rendition")
                == .loss(Loss(window: window, reason: .recorderDown, rendition: rendition, note: note)))
        guard case .rendition(let audio) = try await Self.entry("rendition-audio") else {
            throw TestFailure("no rendition")
        }
        #expect(audio.id.description == "a3" && audio.name == "Français" && audio.isDefault)
    }

    @Test("Whole files, a cut one, a damaged one and one with a record of what is done")
    func files() async throws {
        let all = try await Self.entries(Self.names)
        func folder(_ name: String) async throws -> [JournalEntry] {
            let files = try Fixtures.stored.names(in: "journal/\(name)/news")
            let contents = try files.map { ($0, try Self.bytes("\(name)/news/\($0)")) }
            return try await Self.replayed(Dictionary(uniqueKeysWithValues: contents))
        }
        #expect(try await folder("whole") == all)
        #expect(try await folder("several") == all)
        #expect(try await folder("torn") == all.dropLast())
        #expect(try await folder("damaged") == all.indices.filter { $0 != 1 }.map { all[$0] })
        let done: Set = [0, 1, 2, 4, 9]
        #expect(try await folder("done") == all.indices.filter { !done.contains($0) }.map { all[$0] })
    }

    @Test("Fields that an older version did not write have defaults, and those of a later one are skipped")
    func absent() throws {
        let segment = #"""
            {"v":1,"segment":{"channel":"news","identity":{"rendition":"v0","feed":1,"number":2,"x":1},
            "start":1,"duration":2,"state":{"container":"ts","hdr":true},"storedBytes":3,"arrived":4,
            "digest":[5],"fence":6,"colour":"blue"}}
            """#
        let entry = try JSONDecoder().decode(JournalEntry.self, from: Data(segment.utf8))
        let identity = SegmentIdentity(rendition: RenditionID(kind: .video, index: 0), run: 1, number: 2)
        #expect(
            entry
                == .segment(
                    SegmentFact(
                        channel: try news(), identity: identity, start: Instant(microseconds: 1),
                        duration: 2, format: SegmentFormat(container: .transportStream), storedBytes: 3,
                        plainBytes: 3, arrived: Instant(microseconds: 4), digest: [5], fence: 6)))
        let pending = #"""
            {"key_pending":{"channel":"news","identity":{"rendition":"v0","feed":1,"number":2},"start":1,
            "duration":2,"container":"ts","arrived":4,"source":"s","cipher":{"keyURL":"k"}}}
            """#
        #expect(
            try JSONDecoder().decode(JournalEntry.self, from: Data(pending.utf8))
                == .keyPending(
                    KeyPendingSegment(
                        channel: try news(), identity: identity, start: Instant(microseconds: 1),
                        duration: 2, container: .transportStream,
                        cipher: KeyPendingSegment.Cipher(keyURL: "k", iv: []),
                        arrived: Instant(microseconds: 4), source: "s")))
    }
}
