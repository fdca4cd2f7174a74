import Concurrency
import HTTP
import Logging
import SegmentStore
import Timeline

/// Answers segments, initialization sections and keys: bytes that never change under their name.
///
/// Runs on the server's threads: no catalogue, no Foundation, and no task where the store answers at once.
struct ObjectHandler: Sendable {
    private let store: any SegmentStore
    private let clock: @Sendable () -> Instant
    private let logger: Logger
    /// The turns in which objects are read that are not in memory.
    private let turns: ClientTurns

    init(store: any SegmentStore, clock: HostClock, logger: Logger) {
        (self.store, self.clock, self.logger) = (store, clock.now, logger)
        turns = ClientTurns(
            Limits.objectReads, perClient: Limits.objectReadsPerClient, waiting: Limits.objectsWaiting,
            clientWaiting: Limits.clientObjectsWaiting, timeout: Limits.objectTurnTimeout, clock: clock)
    }

    func answer(_ request: HTTPRequest, key: ArchiveKey) -> HTTPAnswer {
        do throws(StoreError) {
            guard let source = try store.sourceWithoutBlocking(of: key) else {
                return .later { await answerInTurn(request, key: key) }
            }
            return .now(kept(request, key: key, source) ?? answer(request, key: key, source))
        } catch {
            return .now(failure(error, key))
        }
    }

    /// The answer from a store that has to wait, which it does for a few requests of a client at a time.
    private func answerInTurn(_ request: HTTPRequest, key: ArchiveKey) async -> HTTPResponse {
        let response = await turns.withTurn(for: request.client) { await answerLater(request, key: key) }
        return response ?? Self.busy
    }

    private func answerLater(_ request: HTTPRequest, key: ArchiveKey) async -> HTTPResponse {
        do throws(StoreError) {
            let source = try await store.source(of: key, range: nil)
            let response = answer(request, key: key, source)
            if request.method == .get, case .file(let slice) = response.body {
                await source.with(range: slice.offset..<(slice.offset + slice.byteCount)).prepare()
            }
            return response
        } catch {
            return failure(error, key)
        }
    }

    private func answer(_ request: HTTPRequest, key: ArchiveKey, _ source: ObjectSource) -> HTTPResponse {
        let validators = Validators(entityTag: EntityTag(strong: key.name))
        let headers = key.header(validators)
        switch Preconditions.evaluated(method: request.method, headers: request.headers, current: validators)
        {
        case .notModified:
            return HTTPResponse(status: .notModified, headers: headers, body: source.body)
        case .preconditionFailed: return Fields.changed
        case .proceed: break
        }
        let range = ByteRange.requested(
            method: request.method, headers: request.headers, current: validators, length: source.byteCount)
        return RangeAnswer.response(range, length: source.byteCount, headers: headers) { offset, length in
            source.with(range: offset..<(offset + length)).body
        }
    }

    /// The answer to the usual request, which wants all of an object: its header is made once while a file is
    /// open.
    private func kept(_ request: HTTPRequest, key: ArchiveKey, _ source: ObjectSource) -> HTTPResponse? {
        guard request.method == .get, let kept = source.kept, request.headers.isUnconditional else {
            return nil
        }
        let header = kept.header { key.header(Validators(entityTag: EntityTag(strong: key.name))) }
        var response = HTTPResponse(status: .ok, headers: header, body: source.body)
        response.kept = kept
        return response
    }

    private func failure(_ error: StoreError, _ key: ArchiveKey) -> HTTPResponse {
        switch error {
        case .notFound, .invalidKey: return isOld(key) ? Fields.goneObject : Fields.noSuchResource
        default:
            logger.warning("Cannot open an object", metadata: ["key": "\(key.path)", "error": "\(error)"])
            return Self.unreadable
        }
    }

    /// Whether a segment began so long ago that it will not be stored any more.
    private func isOld(_ key: ArchiveKey) -> Bool {
        guard case .segment(_, _, let name) = key else { return false }
        return clock() - Instant(milliseconds: name.startMilliseconds) > Limits.maxStoringDelay
    }

    private static let busy = Problem(
        .serviceUnavailable, "many segments are being read already; ask again soon"
    ).retryable(afterSeconds: Limits.busyRetrySeconds).answer()

    private static let unreadable = Problem(.serviceUnavailable, "the archive cannot be read")
        .retryable(afterSeconds: Limits.retryAfterSeconds).answer()
}

/// Answers a range of something whose length is known.
enum RangeAnswer {
    static func response(
        _ range: ByteRange, length: UInt64, headers: HTTPHeaders, body: (UInt64, UInt64) -> HTTPBody,
    ) -> HTTPResponse {
        var headers = headers
        switch range {
        case .whole: return HTTPResponse(status: .ok, headers: headers, body: body(0, length))
        case .part(let offset, let count):
            headers["Content-Range"] =
                ContentRange.part(offset: offset, length: count, total: length).fieldValue
            return HTTPResponse(status: .partialContent, headers: headers, body: body(offset, count))
        case .unsatisfiable:
            var response = Fields.noSuchRange
            response.headers["Content-Range"] = ContentRange.unsatisfied(total: length).fieldValue
            response.headers["Accept-Ranges"] = headers["Accept-Ranges"]
            return response
        }
    }
}

extension ArchiveKey {
    /// The header of an answer with the object.
    fileprivate func header(_ validators: Validators) -> HTTPHeaders {
        var headers = Fields.object
        headers.append("Content-Type", mediaType)
        headers.append("Cache-Control", cacheControl)
        headers.append("Cache-Tag", cacheTag)
        if let tag = validators.entityTag { headers.append("ETag", tag.fieldValue) }
        return headers
    }

    /// The last component of its URL.
    fileprivate var name: String {
        switch self {
        case .segment(_, _, let name): name.description
        case .initialization(_, _, let name), .key(_, let name): name
        }
    }

    /// How long caches keep the object: for ever, as its bytes never change.
    ///
    /// A key decides who may watch, so no shared cache keeps it.
    fileprivate var cacheControl: String {
        switch self {
        case .segment, .initialization: "public, max-age=31536000, immutable"
        case .key: "private, no-cache"
        }
    }

    /// The groups in which a cache can delete the object: its channel, and of a segment also its day.
    fileprivate var cacheTag: String {
        switch self {
        case .segment(let channel, _, let name):
            "ch-\(channel), ch-\(channel)-\(Instant(milliseconds: name.startMilliseconds).dateText)"
        case .initialization(let channel, _, _), .key(let channel, _): "ch-\(channel)"
        }
    }

    fileprivate var mediaType: String {
        switch self {
        case .segment(_, _, let name): name.fileExtension.mediaType
        case .initialization(_, _, let name):
            name.split(separator: ".").last.flatMap { SegmentExtension(rawValue: String($0)) }?.mediaType
                ?? "video/mp4"
        case .key: "application/octet-stream"
        }
    }
}
