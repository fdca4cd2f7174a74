import CMicrohttpd
import HTTP
import Logging
import Synchronization

// Sending an answer, on the library's thread.
extension Exchange {
    /// Queues an answer in the library.
    func send(_ response: HTTPResponse) -> MHD_Result {
        if queue(response) { return .YES }
        core.logger.error(
            "Cannot queue an answer: no memory, no descriptor or a file slice beyond its file")
        return queue(ServerResponses.unsendable) ? .YES : .NO
    }

    private func queue(_ response: HTTPResponse) -> Bool {
        let (method, memoryUse, requestID) = state.withLock { state in
            (state.request?.method, state.memoryUse, state.requestID)
        }
        if method == .get, requestID == nil, !core.isStopping, let kept = kept(response) {
            sends(response.status, byteCount: kept.byteCount)
            return kept.queue(on: connection, status: response.status)
        }
        let isHead = method == .head
        var response = response
        if let requestID { response.headers[RequestID.field] = requestID }
        let body = OutgoingBody(response, isHead: isHead)
        let memoryLeft = memoryLeft(memoryUse, response)
        // Without room for both headers the library closes the connection without an answer.
        if memoryLeft < 0, response.status != .requestHeaderFieldsTooLarge {
            return queue(ServerResponses.noRoomForAnswer)
        }
        if body.isStream, !takeStreamSlot() { return queue(ServerResponses.tooManyStreams) }
        guard let handle = ResponseHandle.make(body, memoryLeft: memoryLeft, for: self) else { return false }
        handle.add(response.headers, logger: core.logger)
        if core.isStopping { handle.closeConnection() }
        sends(response.status, byteCount: body.knownByteCount)
        return handle.queue(on: connection, status: response.status)
    }

    private func sends(_ status: HTTPStatus, byteCount: UInt64) {
        state.withLock {
            $0.stage = .sending
            $0.status = status
            $0.byteCount = byteCount
        }
    }

    /// The answer as it was sent before, if it is one that is kept.
    private func kept(_ response: HTTPResponse) -> ReusableResponse? {
        response.kept?.form { ReusableResponse(response, logger: core.logger) }
    }

    /// Whether the client may have another stream; the place is given back when the exchange has finished.
    private func takeStreamSlot() -> Bool {
        state.withLock { state in
            state.isStream = state.isStream || core.streams.take(state.client)
            return state.isStream
        }
    }

    /// Connection memory available for a vector of pieces, in bytes; below 0 the header does not fit either.
    private func memoryLeft(_ used: Int, _ response: HTTPResponse) -> Int {
        let fields = response.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        // Status line, Date, Content-Length, Connection and rounding.
        return core.limits.connectionMemory - used - fields - 256
    }

    /// Ends the exchange when the library has finished with the request; called once, also after a failure.
    func finished(isComplete: Bool) {
        let now = monotonicNanoseconds()
        peer.requestFinished(nextHeaderBy: now + (core.limits.idle + core.limits.header).nanoseconds)
        core.exchangeFinished()
        let status = connection.queuedStatus
        var seen: RequestSummary?
        let work = state.withLock { state in
            if state.isForwarded { core.forwarded.release(state.client) }
            if state.isStream { core.streams.release(state.client) }
            if core.onFinished != nil {
                seen = summary(state, status, now: now, isComplete: isComplete)
            }
            return state.work.take()
        }
        work?.cancel()
        if let seen { core.onFinished?(seen) }
    }

    private func summary(
        _ state: borrowing State, _ status: Int?, now: Int64, isComplete: Bool,
    ) -> RequestSummary {
        RequestSummary(
            method: state.request?.method ?? HTTPMethod(rawValue: ""), path: state.request?.path ?? "",
            remoteAddress: state.request?.remoteAddress ?? peer.addressText, requestID: state.requestID,
            status: state.status ?? status.map(HTTPStatus.init(rawValue:)),
            byteCount: state.byteCount, duration: .nanoseconds(now - started),
            isComplete: isComplete && !state.isAbandoned)
    }
}
