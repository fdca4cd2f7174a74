import Concurrency
import Files
import Foundation
import TestSupport
import Timeline

@testable import Journal

func news() throws -> ChannelID {
    guard let id = ChannelID("news") else { throw TestFailure("no channel id") }
    return id
}

let start = Instant(seconds: 1_784_016_000)

/// A fact of which no two are equal.
func segment(_ number: Int) throws -> JournalEntry {
    let rendition = RenditionID(kind: .video, index: 0)
    var state = SegmentFormat(
        container: .transportStream, tracks: "video:h264,audio:aac", codecs: "avc1.4d401f")
    state.drmTags = ["#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://a/b\"\n"]
    return .segment(
        SegmentFact(
            channel: try news(),
            identity: SegmentIdentity(rendition: rendition, run: 3, number: Int64(number)),
            start: start + Int64(number) * 4_000_000, duration: 4_000_000, format: state,
            storedBytes: 1 << 40, plainBytes: 7, iv: [UInt8](repeating: 9, count: 16), arrived: start,
            digest: [UInt8](repeating: 0xFE, count: 32), fence: .max,
            cueTags: number % 2 == 0 ? [] : ["#EXT-X-CUE-OUT:30", "#EXT-OATCLS-SCTE35:/DAl\"+w=="]))
}

func sourceRun(_ id: Int64) -> JournalEntry {
    .sourceRun(
        SourceRun(id: id, source: "https://origin.example/häuser/live.m3u8", began: start, clock: "source"))
}

func keyPending(_ number: Int) throws -> JournalEntry {
    let rendition = RenditionID(kind: .audio, index: 1)
    let cipher = KeyPendingSegment.Cipher(
        keyURL: "https://keys.example/k?token=a%20b", iv: [UInt8](repeating: 0xFE, count: 16))
    return .keyPending(
        KeyPendingSegment(
            channel: try news(),
            identity: SegmentIdentity(rendition: rendition, run: 3, number: Int64(number)), start: start,
            duration: 4_000_000, flags: .independent, revision: 2, container: .fragmentedMP4, cipher: cipher,
            initialization: .init(name: "init-0123456789abcdef.mp4", cipher: cipher),
            drmTags: ["#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://a/b\""], programDateTime: start + 1,
            arrived: start + 2, source: "https://origin.example/live.m3u8"))
}

func loss(note: String = "404") -> JournalEntry {
    let window = TimeWindow(begin: start, end: start + 4_000_000)
    return .loss(Loss(window: window, reason: .segmentMissing, rendition: nil, note: note))
}

func marker(_ id: String = "splice-1") -> JournalEntry {
    .marker(
        Marker(
            id: id, sourceStart: start - 1, begin: start, classID: "com.example.ad", length: 30_000_000,
            plannedLength: 1, endsOnNext: true,
            attributes: [PlaylistAttribute(name: "SCTE35-OUT", value: "0xFC30", isQuoted: false)]))
}

/// A journal in a folder of its own.
struct JournalFolder {
    let folder = try? TemporaryFolder("journal")

    var path: String { folder?.path(of: "journal") ?? "" }
    var channelPath: String { path + "/news" }

    func open(
        bounds: FileBounds = FileBounds(), clock: HostClock = .system,
        fault: @escaping @Sendable (FileOperation, String) -> Int32? = { _, _ in nil }
    ) throws -> Journal {
        try Journal.open(
            folder: path, disk: Disk(fault: fault), bounds: bounds, logger: silentLogger, clock: clock)
    }

    /// Runs a body with the channel's journal, closes, and answers what the body does.
    func run<Value>(
        bounds: FileBounds = FileBounds(), clock: HostClock = .system,
        _ body: (ChannelJournal) async throws -> Value
    ) async throws -> Value {
        let journal = try open(bounds: bounds, clock: clock)
        let value = try await body(journal.channel(try news()))
        await journal.close()
        return value
    }

    func files(_ ending: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: channelPath).filter { $0.hasSuffix(ending) }
            .sorted()
    }

    func keptFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: channelPath + "/entered")
    }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: channelPath + "/" + name)))
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try FileManager.default.createDirectory(atPath: channelPath, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: channelPath + "/" + name))
    }
}

/// The error that a call ends with.
func failure(_ body: () async throws -> Void) async -> JournalError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? JournalError
    }
}
