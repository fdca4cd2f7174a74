import Compression
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

/// The keys of one channel.
///
/// A key is fetched at once, with the source's headers, because without it the segments are lost. It is
/// stored under its digest, so that another key under the same URL gets another name.
actor KeyCache {
    /// The part of a rendition between two discontinuities.
    struct Domain: Hashable {
        var rendition: RenditionID
        var discontinuityCount: Int
    }

    private struct Location: Hashable {
        var url: String
        var domain: Domain?
    }

    /// A recent failure; requests within `Limits.keyMissed` fail at once instead of waiting again.
    private struct RecentFailure {
        var failure: FetchFailure
        var until: SteadyInstant
    }

    /// A key that did not open a segment, and when its URL may be requested again.
    private struct RejectedKey {
        var name: String
        var until: SteadyInstant
        var pause: Duration
    }

    private let channel: ChannelID
    private let store: any SegmentStore
    private let clock: HostClock
    private var held: [(location: Location, key: ContentKey)] = []
    /// The keys that came last, the newest at the end, each with its URL's identity (the URL without query).
    private var recent: [(identity: String, key: ContentKey)] = []
    /// The newest URL that playlists gave for each key, by URL identity.
    private var listed: [(identity: String, url: HTTPURL)] = []
    private var inFlight: [Location: Task<Result<ContentKey, any Error>, Never>] = [:]
    private var recentFailures: [String: RecentFailure] = [:]
    /// Keys that did not open a segment, by URL.
    private var rejectedKeys: [String: RejectedKey] = [:]
    /// The start of the newest segment that each key has opened, by the key's name.
    private var opened: [String: Instant] = [:]

    init(channel: ChannelID, store: any SegmentStore, clock: HostClock) {
        self.channel = channel
        self.store = store
        self.clock = clock
    }

    /// The key at a URL, for a segment that must not wait.
    ///
    /// If a request failed within `Limits.keyMissed`, it throws that failure again. With a domain, the key is
    /// requested once in each domain, because the recorder cannot check a key for sample encryption.
    func key(at url: HTTPURL, in domain: Domain? = nil, link: SourceClient) async throws -> ContentKey {
        recordURL(url)
        if let recent = recentFailures[url.absoluteString], clock.steady() < recent.until {
            throw recent.failure
        }
        return try await key(
            at: url, Location(url: url.absoluteString, domain: domain), link: link, within: Limits.keyPatience
        )
    }

    /// Stores the 16-byte key that a playlist contains in a `data:` URI.
    func key(_ bytes: [UInt8]) async throws -> ContentKey {
        let key = ContentKey(name: try Self.name(of: bytes), bytes: bytes)
        try await keep(key)
        return key
    }

    /// The key at a URL, requested again even after a recent failure.
    func latestKey(at url: HTTPURL, link: SourceClient) async throws -> ContentKey {
        try await key(
            at: url, Location(url: url.absoluteString), link: link, within: Limits.keyTimeout)
    }

    /// Other recent keys from the same URL without its query, newest first.
    ///
    /// They may belong to other segments: the decrypted bytes must show whether a key is right.
    func otherKeys(of url: HTTPURL) -> [ContentKey] {
        guard !recent.isEmpty else { return [] }
        let (identity, own) = (url.identity, held.last { $0.location.url == url.absoluteString }?.key.name)
        return recent.reversed().filter { $0.identity == identity && $0.key.name != own }.map(\.key)
    }

    /// The key at the newest URL that a playlist gave for it; nil if that is `url` itself.
    ///
    /// Also nil if the key is missing there.
    func renewed(_ url: HTTPURL, link: SourceClient) async -> ContentKey? {
        let identity = url.identity
        guard let newest = listed.last(where: { $0.identity == identity })?.url, newest != url else {
            return nil
        }
        return try? await key(at: newest, link: link)
    }

    /// Forgets the key of a URL that did not open a segment: the URL may give another key by now.
    ///
    /// It is requested again at most once per pause. The pause doubles while the answer is the same key.
    func rejectKey(_ url: HTTPURL) {
        let (location, now) = (url.absoluteString, clock.steady())
        guard let key = held.last(where: { $0.location.url == location })?.key else { return }
        let known = rejectedKeys[location].flatMap { $0.name == key.name ? $0 : nil }
        guard known.map({ now >= $0.until }) ?? true else { return }
        let pause = known.map { min($0.pause * 2, Limits.longestKeyPause) } ?? Limits.keyPause
        if rejectedKeys.count >= Limits.cachedObjects {
            rejectedKeys = rejectedKeys.filter { $0.value.until > now }
        }
        rejectedKeys[location] = RejectedKey(name: key.name, until: now + pause, pause: pause)
        held.removeAll { $0.location.url == location }
    }

    /// A segment was read with a key and is whole.
    func opened(_ key: ContentKey, start: Instant) {
        opened[key.name] = max(opened[key.name] ?? start, start)
        guard opened.count > Limits.cachedObjects else { return }
        if let oldest = opened.min(by: { $0.value < $1.value }) { opened[oldest.key] = nil }
    }

    /// Whether the key held for a URL has opened a segment that begins after `start`.
    ///
    /// It is then right for segments before that one, too.
    func isRight(at url: HTTPURL, for start: Instant) -> Bool {
        guard let key = held.last(where: { $0.location.url == url.absoluteString })?.key else { return false }
        return isRight(key, for: start)
    }

    /// Whether a key has opened a segment after an instant.
    func isRight(_ key: ContentKey, for start: Instant) -> Bool {
        opened[key.name].map { $0 > start } ?? false
    }

    /// Cancels all running requests for keys; the cache is not used afterwards.
    func cancelRequests() {
        for request in inFlight.values { request.cancel() }
    }

    private func key(
        at url: HTTPURL, _ location: Location, link: SourceClient, within time: Duration,
    ) async throws -> ContentKey {
        if let known = held.last(where: { $0.location == location }) {
            try await keep(known.key)
            return known.key
        }
        if let running = inFlight[location] {
            // The running request may have a longer time limit.
            guard let outcome = await running.value(within: time, by: clock) else {
                throw FetchFailure(.keyMissing, "the key: no answer in \(time)")
            }
            return try outcome.get()
        }
        let task = Task { await Result { try await self.fetch(url, link: link, within: time) } }
        inFlight[location] = task
        defer { inFlight[location] = nil }
        do {
            let key = try await task.value.get()
            keep(key, at: location, url.identity)
            return key
        } catch {
            recordFailure(location.url, error)
            throw error
        }
    }

    /// Stores a key again if retention has deleted it, because no segment has used it for a long time.
    func keep(_ key: ContentKey) async throws {
        let object = ArchiveKey.key(channel, key.name)
        if try await !store.contains(object) { _ = try await store.put(key.bytes, as: object) }
    }

    private func keep(_ key: ContentKey, at location: Location, _ identity: String) {
        recentFailures = [:]
        // Removes the older key, so that a segment that waits for its key cannot get it.
        held.removeAll { $0.location == location || $0.location == Location(url: location.url) }
        held.append((location, key))
        if held.count > Limits.cachedObjects { held.removeFirst() }
        recent.removeAll { $0.identity == identity && $0.key.name == key.name }
        recent.append((identity, key))
        let sameURL = recent.indices.filter { recent[$0].identity == identity }
        if sameURL.count > Limits.keysOfURL { recent.remove(at: sameURL[0]) }
        if recent.count > Limits.cachedObjects { recent.removeFirst() }
    }

    private func recordURL(_ url: HTTPURL) {
        if listed.last?.url == url { return }
        let identity = url.identity
        listed.removeAll { $0.identity == identity }
        listed.append((identity, url))
        if listed.count > Limits.cachedObjects { listed.removeFirst() }
    }

    private func recordFailure(_ url: String, _ error: any Error) {
        guard let failure = error as? FetchFailure else { return }
        let now = clock.steady()
        if recentFailures.count >= Limits.cachedObjects {
            recentFailures = recentFailures.filter { $0.value.until > now }
        }
        guard recentFailures.count < Limits.cachedObjects else { return }
        recentFailures[url] = RecentFailure(failure: failure, until: now + Limits.keyMissed)
    }

    private func fetch(_ url: HTTPURL, link: SourceClient, within time: Duration) async throws -> ContentKey {
        let body: FetchedBody
        do {
            body = try await link.session.fetch(
                url.absoluteString, TransferOptions(byteLimit: Limits.keyBytes, totalTimeout: time))
        } catch {
            throw FetchFailure(.keyMissing, "the key: \(error)", isTransient: error.isTransient)
        }
        guard body.status.hasWholeContent else {
            throw FetchFailure(status: body.status.rawValue).attributed(to: .keyMissing, object: "the key")
        }
        let bytes = body.head.isGzip ? GzipReader.plain(body.bytes, limit: Limits.keyBytes) : body.bytes
        guard bytes.count == AES128CBC.keyByteCount else {
            throw FetchFailure(.keyMissing, "the key has \(bytes.count) bytes instead of 16")
        }
        return try await key(bytes)
    }

    private static func name(of bytes: [UInt8]) throws -> String {
        Hexadecimal.encode(try SHA256.digest(of: bytes).prefix(16))
    }
}
