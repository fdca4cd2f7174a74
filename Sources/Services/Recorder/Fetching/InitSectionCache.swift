import Digest
import Encoding
import HLS
import HTTP
import HTTPClient
import MediaFormat
import SegmentStore
import Timeline

/// An initialization section that is held.
struct ArchivedInitSection: Sendable {
    var name: String
    var section: InitSection
}

/// The initialization sections of one rendition.
///
/// One is fetched once per URL, byte range and domain, because the same URL may deliver other bytes after a
/// restart or a discontinuity.
actor InitSectionCache {
    private struct Location: Hashable {
        var url: String
        var offset: UInt64?
        var domain: Int
    }

    private let channel: ChannelID
    private let rendition: RenditionID
    private let store: any SegmentStore
    private var held: [(location: Location, section: ArchivedInitSection)] = []
    private var inFlight: [Location: Task<ArchivedInitSection, any Error>] = [:]

    init(channel: ChannelID, rendition: RenditionID, store: any SegmentStore) {
        self.channel = channel
        self.rendition = rendition
        self.store = store
    }

    /// The section of a map.
    ///
    /// `key` decrypts it when the map is under one.
    func section(
        _ map: MediaMap, at url: HTTPURL, domain: Int, link: SourceClient,
        key: (ContentKey, iv: [UInt8])?,
    ) async throws -> ArchivedInitSection {
        let location = Location(url: url.absoluteString, offset: map.byteRange?.offset, domain: domain)
        if let known = held.last(where: { $0.location == location }) {
            if try await isKept(known.section) { return known.section }
            held.removeAll { $0.location == location }
        }
        if let running = inFlight[location] { return try await running.value }
        let task = Task { try await self.fetch(map, url, link: link, key: key) }
        inFlight[location] = task
        defer { inFlight[location] = nil }
        let section = try await task.value
        held.append((location, section))
        if held.count > Limits.cachedObjects { held.removeFirst() }
        return section
    }

    /// Whether the archive still has a section: retention deletes one that no segment has used for long.
    private func isKept(_ section: ArchivedInitSection) async throws -> Bool {
        try await store.contains(.initialization(channel, rendition, section.name))
    }

    /// Stores the encrypted section of a map, because its key is missing now; returns its name.
    func keep(_ map: MediaMap, at url: HTTPURL, link: SourceClient) async throws -> String {
        try await put(try await download(map, url, link: link), ending: "mp4")
    }

    /// Reads a section from the archive; `key` decrypts one that was stored encrypted, nil for a clear one.
    func section(named name: String, key: (ContentKey, iv: [UInt8])?) async throws -> ArchivedInitSection {
        try await read(try await store.read(.initialization(channel, rendition, name)), key: key)
    }

    private func fetch(
        _ map: MediaMap, _ url: HTTPURL, link: SourceClient, key: (ContentKey, iv: [UInt8])?,
    ) async throws -> ArchivedInitSection {
        try await read(try await download(map, url, link: link), key: key)
    }

    /// Reads a section, and stores it as it is read.
    ///
    /// It may be clear although the playlist names a key for it: FFmpeg writes EXT-X-KEY before EXT-X-MAP,
    /// and encrypts only the segments.
    private func read(_ bytes: [UInt8], key: (ContentKey, iv: [UInt8])?) async throws -> ArchivedInitSection {
        var bytes = bytes
        if let (key, iv) = key, (try? InitSection.reading(bytes)) == nil {
            var cipher = try AES128CBC(.decrypt, key: key.bytes, iv: iv)
            let head = try cipher.update(bytes)
            bytes = head + (try cipher.finish())
        }
        let section = try InitSection.reading(bytes)
        return ArchivedInitSection(name: try await put(bytes, ending: section.ending), section: section)
    }

    private func put(_ bytes: [UInt8], ending: String) async throws -> String {
        let name = "init-\(Hexadecimal.encode(try SHA256.digest(of: bytes).prefix(8))).\(ending)"
        _ = try await store.put(bytes, as: .initialization(channel, rendition, name))
        return name
    }

    private func download(_ map: MediaMap, _ url: HTTPURL, link: SourceClient) async throws -> [UInt8] {
        do {
            return try await BodySlice.open(
                url, range: map.byteRange, link: link, timeLimit: Limits.initializationTimeout,
                silence: Limits.initializationTimeout, isEncrypted: !map.keys.isEmpty,
                byteLimit: Limits.initializationBytes
            ).read()
        } catch let failure as FetchFailure {
            throw failure.attributed(to: .segmentMissing, object: "the initialization section")
        }
    }
}

extension InitSection {
    /// The ending of its name in the archive.
    fileprivate var ending: String {
        switch container {
        case .transportStream: SegmentExtension.transportStream.rawValue
        case .webVTT: SegmentExtension.webVTT.rawValue
        case .fragmentedMP4, .packedAudio: "mp4"
        }
    }
}
