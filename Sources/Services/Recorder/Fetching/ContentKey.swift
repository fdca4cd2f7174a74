import Digest
import HLS
import HTTP
import HTTPClient
import SegmentStore
import Timeline

/// A content key that is held: what the archive calls it, and its 16 bytes.
struct ContentKey: Sendable {
    var name: String
    var bytes: [UInt8]
}

/// The keys of one channel. A key is fetched at once, with the source's headers, because without it the segments are
/// lost for ever; it is stored under a digest of itself, so that a key that changes under its URL gets another name.
actor KeyKeeper {
    private let channel: ChannelID
    private let store: any SegmentStore
    private var held: [(url: String, key: ContentKey)] = []
    private var inFlight: [String: Task<ContentKey, any Error>] = [:]

    init(channel: ChannelID, store: any SegmentStore) {
        self.channel = channel
        self.store = store
    }

    /// The key at a URL; asked for again when `fresh`, because its bytes may have changed.
    func key(at url: HTTPURL, link: SourceLink, fresh: Bool = false) async throws -> ContentKey {
        let name = url.absoluteString
        if !fresh, let known = held.last(where: { $0.url == name }) { return known.key }
        if let running = inFlight[name] { return try await running.value }
        let task = Task { try await self.fetch(url, link: link) }
        inFlight[name] = task
        defer { inFlight[name] = nil }
        let key = try await task.value
        held.removeAll { $0.url == name }
        held.append((name, key))
        if held.count > Limits.rememberedObjects { held.removeFirst() }
        return key
    }

    private func fetch(_ url: HTTPURL, link: SourceLink) async throws -> ContentKey {
        let body: FetchedBody
        do {
            body = try await link.session.get(
                url.absoluteString,
                TransferOptions(byteLimit: Limits.keyBytes, totalTimeout: .seconds(10)))
        } catch {
            throw FetchFailure(.keyMissing, "the key: \(error)", isTransient: error.isTransient)
        }
        guard body.status == .ok else {
            throw FetchFailure(.keyMissing, "the source answered \(body.status.rawValue) for the key")
        }
        guard body.bytes.count == AES128CBC.keyByteCount else {
            throw FetchFailure(.keyMissing, "the key has \(body.bytes.count) bytes instead of 16")
        }
        let name = Hexadecimal.encode(try SHA256.digest(of: body.bytes).prefix(16))
        _ = try await store.put(body.bytes, as: .key(channel, name))
        return ContentKey(name: name, bytes: body.bytes)
    }
}
