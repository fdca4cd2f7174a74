import CMicrohttpd
import HTTP
import Synchronization

/// One request and its answer, from the request line to the last byte.
///
/// The library calls from one of its threads, one call at a time; tasks and the sweeper enter through
/// `Suspension.swift`.
final class Exchange: Sendable {
    let core: ServerCore
    let connection: ConnectionHandle
    let peer: PeerConnection
    /// When the request line was read, on the monotonic clock.
    let started = monotonicNanoseconds()
    let state: Mutex<State>

    enum Stage {
        /// The request line has been read; its target as sent.
        case target([UInt8])
        /// The header has been read, the body is being received.
        case body(HTTPBodyAdmission, dropped: Int)
        /// The handler runs; the connection may be suspended.
        case making
        /// The handler answers later; the connection is suspended.
        case waiting
        /// There is an answer that has not been queued.
        case answered(HTTPResponse)
        /// The library has the answer.
        case sending
    }

    struct State {
        var stage: Stage
        var request: HTTPRequest?
        /// Whose request it is, also behind trusted proxies.
        var client: PeerAddress
        /// Nil unless requests have ids.
        var requestID: String?
        /// Whether the request counts among those that proxies forward.
        var isForwarded = false
        /// Whether the answer counts among the streams.
        var isStream = false
        var memoryUse = 0
        var status: HTTPStatus?
        var byteCount: UInt64 = 0
        /// The task that makes the answer or the next piece of a body.
        var work: Task<Void, Never>?
        /// Whether the exchange was given up: the rest of it is aborted.
        var isAbandoned = false
    }

    init(core: ServerCore, connection: ConnectionHandle, peer: PeerConnection, target: [UInt8]) {
        self.core = core
        self.connection = connection
        self.peer = peer
        self.state = Mutex(State(stage: .target(target), client: peer.address))
        peer.requestStarted()
        peer.shortenDeadline(to: started + core.limits.header.nanoseconds)
        core.exchangeStarted()
    }

    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// The target as sent, until the header has been read.
    var unreadTarget: [UInt8]? {
        state.withLock { if case .target(let target) = $0.stage { target } else { nil } }
    }
}

// Receiving a request, on the library's thread.
extension Exchange {
    /// The header is complete.
    ///
    /// An answer that is queued now closes the connection.
    func headerArrived(_ raw: RawRequest) -> MHD_Result {
        do throws(Refusal) {
            var head = try raw.head(
                limits: core.limits, remoteAddress: peer.addressText, client: peer.clientText)
            let client = core.proxies.client(of: head.request.headers, behind: peer.address)
            if client != peer.address {
                head.request.remoteAddress = client.description
                head.request.client = client.countingKey.description
            }
            let admission = head.body == .none ? .upTo(0) : core.handler.admitBody(of: head.request)
            peer.setDeadline(
                head.body == .none
                    ? PeerConnection.never : monotonicNanoseconds() + core.limits.requestBody.nanoseconds)
            state.withLock {
                $0.request = head.request
                $0.client = client
                if core.assignsRequestIDs {
                    $0.requestID = RequestID.of(
                        head.request.headers, isTrusted: core.proxies.contains(peer.address))
                }
                $0.memoryUse = head.memoryUse
                $0.stage = .body(admission, dropped: 0)
            }
            try countForwarded(client)
            if isRefusedAtOnce(head, admission) { throw Refusal(response: admission.refusal) }
            return .YES
        } catch {
            return refuse(raw, error.response)
        }
    }

    /// Counts a request that a proxy forwards; throws if its client has too many at a time.
    ///
    /// It no longer counts when the exchange has finished.
    private func countForwarded(_ client: PeerAddress) throws(Refusal) {
        guard client != peer.address, !core.proxies.contains(client) else { return }
        guard core.forwarded.take(client) else { throw Refusal(response: ServerResponses.tooManyRequests) }
        state.withLock { $0.isForwarded = true }
    }

    /// Answers a request that is refused by its header, which may not be readable.
    private func refuse(_ raw: RawRequest, _ response: HTTPResponse) -> MHD_Result {
        peer.setDeadline(PeerConnection.never)
        state.withLock { state in
            if state.request == nil {
                state.request = raw.line(remoteAddress: peer.addressText, client: peer.clientText)
            }
        }
        // There is no memory for a header field: the id is set after sending, for the summary only.
        if response.headers.fields.isEmpty, response.status == .requestHeaderFieldsTooLarge {
            defer { assignRequestID() }
            return send(response)
        }
        assignRequestID()
        return send(response)
    }

    /// Gives the request an id, unless it has one or none is wanted.
    private func assignRequestID() {
        guard core.assignsRequestIDs else { return }
        state.withLock { $0.requestID = $0.requestID ?? RequestID.of([:], isTrusted: false) }
    }

    /// Closing with unread input resets the connection, so a short body is read before its refusal is sent.
    private func isRefusedAtOnce(_ head: RequestHead, _ admission: HTTPBodyAdmission) -> Bool {
        switch head.body {
        case .none: return false
        case .chunked: return admission.limit == 0
        case .exactly(let length):
            guard length > UInt64(admission.limit) else { return false }
            return length > UInt64(core.limits.droppedBodyBytes) || head.request.headers["Expect"] != nil
        }
    }

    /// A piece of the body.
    ///
    /// Excess bytes are dropped for a while so that the client can read the refusal.
    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> MHD_Result {
        state.withLock { state in
            guard case .body(let admission, let dropped) = state.stage, var request = state.request.take()
            else {
                return .NO
            }
            let isWithin = dropped == 0 && request.body.count + bytes.count <= admission.limit
            if isWithin { unsafe request.body.append(contentsOf: bytes) }
            state.request = request
            if isWithin { return .YES }
            let total = dropped + bytes.count
            state.stage = .body(admission, dropped: total)
            return total <= core.limits.droppedBodyBytes ? .YES : .NO
        }
    }

    /// The request is complete, or the library calls again after the connection was resumed.
    func requestArrived() -> MHD_Result {
        let (stage, request, isAbandoned) = state.withLock { state in
            let request = state.request
            // The handler owns the body from here on; the rest of the request is kept for the summary.
            state.request?.body = []
            return (state.stage, request, state.isAbandoned)
        }
        if isAbandoned { return .NO }
        switch stage {
        case .body(let admission, let dropped):
            guard let request else { return .NO }
            peer.setDeadline(PeerConnection.never)
            return dropped > 0 ? send(admission.refusal) : answer(request)
        case .answered(let response): return send(response)
        case .making, .waiting: return .YES
        case .target, .sending: return .NO
        }
    }

    private func answer(_ request: HTTPRequest) -> MHD_Result {
        switch core.handler.answer(request) {
        case .now(let response): send(response)
        case .later(let work): respondLater(work, core.laterResponses, on: core.background)
        case .lightweight(let work): respondLater(work, core.lightweightResponses, on: nil)
        case .reserved(let work): respondLater(work, core.reservedResponses, on: nil)
        }
    }
}

extension HTTPBodyAdmission {
    /// The largest body that is read, bytes.
    fileprivate var limit: Int {
        if case .upTo(let limit) = self { max(limit, 0) } else { 0 }
    }

    /// The answer to a body that is not read.
    fileprivate var refusal: HTTPResponse {
        switch self {
        case .upTo(let limit): ServerResponses.contentTooLarge(limit: max(limit, 0))
        case .refused(let response): response
        }
    }
}
