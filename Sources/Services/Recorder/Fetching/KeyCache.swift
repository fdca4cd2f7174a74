import Concurrency
import Digest
import Encoding
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

/// The keys of one channel. A key is fetched at once, with the source's headers, because without it the
/// segments are lost for ever; it is stored under a digest of itself, so that a key that changes under its
/// URL gets another name.
actor KeyCache {
    /// A recent failure; requests within `Limits.keyMissed` fail at once instead of waiting again.
    private struct Miss {
        var failure: FetchFailure
        var until: ContinuousClock.Instant
    }

    private let channel: ChannelID
    private let store: any SegmentStore
    private let clock: HostClock
    private var held: [(url: String, key: ContentKey)] = []
    private var inFlight: [String: Task<ContentKey, any Error>] = [:]
    private var misses: [String: Miss] = [:]

    init(channel: ChannelID, store: any SegmentStore, clock: HostClock) {
        self.channel = channel
        self.store = store
        self.clock = clock
    }

    /// The key at a URL for a segment that must not wait: one that was missed lately is missed at once.
    func key(at url: HTTPURL, link: SourceLink) async throws -> ContentKey {
        if let miss = misses[url.absoluteString], clock.steady() < miss.until { throw miss.failure }
        return try await key(at: url, link: link, within: Limits.keyPatience)
    }

    /// The key at a URL, requested again even after a recent failure.
    func insist(on url: HTTPURL, link: SourceLink) async throws -> ContentKey {
        try await key(at: url, link: link, within: Limits.keyTimeout)
    }

    /// What a key opened was not a segment: the bytes at its URL may have changed.
    func distrust(_ url: HTTPURL) {
        held.removeAll { $0.url == url.absoluteString }
    }

    private func key(at url: HTTPURL, link: SourceLink, within time: Duration) async throws -> ContentKey {
        let name = url.absoluteString
        if let known = held.last(where: { $0.url == name }) {
            try await keep(known.key)
            return known.key
        }
        if let running = inFlight[name] { return try await running.value }
        let task = Task { try await self.fetch(url, link: link, within: time) }
        inFlight[name] = task
        defer { inFlight[name] = nil }
        do {
            let key = try await task.value
            keep(key, at: name)
            return key
        } catch {
            miss(name, error)
            throw error
        }
    }

    /// Retention forgets a key that no segment has needed for long, while it is remembered here.
    private func keep(_ key: ContentKey) async throws {
        let object = ArchiveKey.key(channel, key.name)
        if try await !store.contains(object) { _ = try await store.put(key.bytes, as: object) }
    }

    private func keep(_ key: ContentKey, at url: String) {
        misses = [:]
        held.removeAll { $0.url == url }
        held.append((url, key))
        if held.count > Limits.rememberedObjects { held.removeFirst() }
    }

    private func miss(_ url: String, _ error: any Error) {
        guard let failure = error as? FetchFailure else { return }
        let now = clock.steady()
        if misses.count >= Limits.rememberedObjects { misses = misses.filter { $0.value.until > now } }
        guard misses.count < Limits.rememberedObjects else { return }
        misses[url] = Miss(failure: failure, until: now + Limits.keyMissed)
    }

    private func fetch(_ url: HTTPURL, link: SourceLink, within time: Duration) async throws -> ContentKey {
        let body: FetchedBody
        do {
            body = try await link.session.get(
                url.absoluteString, TransferOptions(byteLimit: Limits.keyBytes, totalTimeout: time))
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
        let key = ContentKey(name: name, bytes: body.bytes)
        try await keep(key)
        return key
    }
}
