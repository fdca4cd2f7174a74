import Catalogue
import HTTP
import Playback
import Synchronization
import Timeline

/// A cache of the playlists that many players request, such as the live playlist of a channel.
///
/// An answer is valid for one revision of its channel and one second. Nothing in it can become wrong in that
/// time: its text depends on the revision only, and what depends on the clock (finality, ages) is stated in
/// whole seconds.
final class AnswerCache: Sendable {
    struct Key: Hashable {
        /// The target as sent.
        var path: String
        var query: String?
        var coding: ContentCoding
    }

    /// The state that an answer was made from; the answer is valid only while this state is the same.
    struct Origin: Equatable {
        var channel: ChannelID
        var row: Int32
        /// The version of the channel's settings.
        var version: Int64
        var form: PlaylistForm?
        var isDeleted: Bool
        var revision: Int64
        /// The second of the wall clock.
        var second: Int64
    }

    final class Entry: Sendable {
        let origin: Origin
        let response: HTTPResponse
        /// The answer for clients that have the text already (304).
        let unchanged: HTTPResponse
        let tag: EntityTag
        /// Whether the catalogue must first confirm that the answer is current.
        let needsConfirmation: Bool

        /// Makes the full answer (200) and the unchanged one (304) from either of them.
        ///
        /// Both have the same header fields, but only the full one has Content-Encoding.
        init(
            _ origin: Origin, _ response: HTTPResponse, _ tag: EntityTag, coding: ContentCoding,
            needsConfirmation: Bool,
        ) {
            var (full, unchanged) = (response, response)
            full.status = .ok
            unchanged.status = .notModified
            full.headers["Content-Encoding"] = coding == .gzip ? coding.rawValue : nil
            unchanged.headers["Content-Encoding"] = nil
            // A large text stays in its pieces, which other answers share.
            if AnswerCache.textByteCount(full) <= PreparedResponseSlot.joinedBytes {
                full.kept = PreparedResponseSlot()
            }
            unchanged.kept = PreparedResponseSlot()
            (self.origin, self.tag, self.needsConfirmation) = (origin, tag, needsConfirmation)
            (self.response, self.unchanged) = (full, unchanged)
        }
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// Requests that came once: only the answer to a repeated request is cached.
        var asked: Set<Int> = []
        var byteCount = 0
    }

    private let state = Mutex(State())

    /// Whether a path is that of a playlist: every one ends in "8".
    static func isOfPlaylist(_ path: String) -> Bool { path.utf8.last == UInt8(ascii: "8") }

    func entry(_ key: Key) -> Entry? {
        state.withLock { $0.entries[key] }
    }

    /// Whether an answer is worth keeping: it is a playlist, and was asked for before, not long ago.
    func admits(_ key: Key) -> Bool {
        guard Self.isOfPlaylist(key.path) else { return false }
        return state.withLock { state in
            if state.entries[key] != nil { return true }
            if state.asked.count >= Limits.answerCandidates { state.asked.removeAll(keepingCapacity: true) }
            return !state.asked.insert(key.hashValue).inserted
        }
    }

    /// Keeps an answer; when there is no space, all others are dropped: they are valid for a second only.
    func keep(_ entry: Entry, for key: Key) {
        let size = Self.byteCount(entry.response)
        guard size <= Limits.cachedAnswerBytes / 8 else { return }
        state.withLock { state in
            if let former = state.entries.removeValue(forKey: key) {
                state.byteCount -= Self.byteCount(former.response)
            }
            if state.entries.count >= Limits.cachedAnswers
                || state.byteCount + size > Limits.cachedAnswerBytes
            {
                state.entries.removeAll(keepingCapacity: true)
                state.byteCount = 0
            }
            state.entries[key] = entry
            state.byteCount += size
        }
    }

    /// The memory that an entry uses; the server keeps a second copy of a small text, in one piece.
    private static func byteCount(_ response: HTTPResponse) -> Int {
        let text = textByteCount(response)
        return Limits.cachedAnswerOverhead + text + (text <= PreparedResponseSlot.joinedBytes ? text : 0)
    }

    fileprivate static func textByteCount(_ response: HTTPResponse) -> Int {
        guard case .pieces(let pieces) = response.body else { return 0 }
        return pieces.reduce(0) { $0 + $1.bytes.count }
    }
}

extension WindowHandler {
    /// The answer that was made for the same request within this second, if nothing has changed since.
    func cachedAnswer(_ request: HTTPRequest, _ key: AnswerCache.Key) -> HTTPResponse? {
        guard let entry = cache.entry(key), !entry.needsConfirmation else { return nil }
        return answer(request, entry)
    }

    private func answer(_ request: HTTPRequest, _ entry: AnswerCache.Entry) -> HTTPResponse? {
        guard origin(of: entry.origin.channel) == entry.origin else { return nil }
        switch Preconditions.evaluated(
            method: request.method, headers: request.headers, current: Validators(entityTag: entry.tag))
        {
        case .proceed: return entry.response
        case .notModified: return entry.unchanged
        case .preconditionFailed: return nil
        }
    }

    /// The state that an answer of now is made from; nil if the catalogue has to be asked.
    func origin(of id: ChannelID) -> AnswerCache.Origin? {
        let second = clock().microseconds / Microseconds.perSecond
        let origin = index.knownChannel(id) { channel in
            AnswerCache.Origin(
                channel: id, row: channel.row, version: channel.version, form: channel.playlistForm,
                isDeleted: channel.isDeleted, revision: 0, second: second)
        }
        guard var origin, let revision = index.knownRevision(of: origin.row) else { return nil }
        origin.revision = revision
        return origin
    }

    /// Makes an answer, and keeps it if it is a playlist that is asked for again.
    func caching(
        _ request: HTTPRequest, _ key: AnswerCache.Key, of channel: ChannelID,
        _ make: () async -> HTTPResponse,
    ) async -> HTTPResponse {
        if let entry = cache.entry(key), entry.needsConfirmation {
            await index.catchUp(entry.origin.row)
            if let known = answer(request, entry) { return known }
        }
        let before = origin(of: channel)
        let response = await make()
        keep(response, for: key, before, of: channel)
        return response
    }

    /// Keeps an answer that was made from an origin, if that is still the same.
    ///
    /// Among several nodes a playlist that may grow is confirmed each time, so that no player sees one that
    /// is shorter than another node's.
    func keep(
        _ response: HTTPResponse, for key: AnswerCache.Key, _ before: AnswerCache.Origin?, of id: ChannelID,
    ) {
        guard response.status == .ok || response.status == .notModified, case .pieces = response.body,
            let before,
            cache.admits(key),
            origin(of: id) == before, let tag = response.headers["ETag"].flatMap({ EntityTag(reading: $0) })
        else { return }
        let mayGrow = response.headers["Backcast-Final"] != "true"
        cache.keep(
            AnswerCache.Entry(
                before, response, tag, coding: key.coding, needsConfirmation: index.isShared && mayGrow),
            for: key)
    }
}

extension AnswerCache.Key {
    init(_ request: HTTPRequest) {
        self.init(
            path: request.path, query: request.query,
            coding: ContentCoding.chosen(for: request.headers.values(of: "Accept-Encoding")) ?? .identity)
    }
}
