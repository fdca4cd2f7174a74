/// One hop as libcurl's callbacks see it: judges addresses, reads the head, hands the body on.
///
/// Loop thread only.
final class HopContext {
    let id: TransferID
    private let job: TransferJob
    private let attempt: Attempt
    private let judgesAddresses: Bool
    private var parser = HeadParser()
    private var remoteAddress = ""
    private var hasOpenedSocket = false
    private var stage = TransferStage.connecting
    private var bodyByteCount = 0
    private var byteLimit: Int
    private var location: String?
    private var refusal: TransferError?
    private var needsFreshConnection = false
    private var failure: TransferError?

    /// Makes the context of one hop; addresses are not judged when they are a proxy's.
    init(job: TransferJob, attempt: Attempt, judgesAddresses: Bool) {
        id = job.id
        self.job = job
        self.attempt = attempt
        self.judgesAddresses = judgesAddresses
        byteLimit = job.options.byteLimit
    }

    /// What the hop's end means for its transfer.
    func outcome(_ error: (TransferStage) -> TransferError?) -> HopOutcome {
        if let failure { return .end(failure) }
        if needsFreshConnection { return .again }
        if let location { return .redirect(location) }
        if stage == .connecting, let refusal { return .end(refusal) }
        return .end(error(stage))
    }
}

/// How a hop ended.
enum HopOutcome {
    case redirect(String)
    /// The connection at hand was not for this session: once more with a new one.
    case again
    case end(TransferError?)
}

extension HopContext {
    /// Judges an address before the connection to it is opened.
    func mayConnect(to target: SocketAddress) -> Bool {
        hasOpenedSocket = true
        return allows(Endpoint(host: attempt.url.host, address: target.address, port: target.port))
    }

    /// Judges the connection that the request is about to go out on: it may be another transfer's old one.
    func connected(to peer: String, port: UInt16, from own: String) -> Bool {
        guard judgesAddresses else { return reached(peer) }
        guard let address = IPAddress(peer) else { return false }
        let isThisMachine = address.normalised == IPAddress(own)?.normalised
        let endpoint = Endpoint(
            host: attempt.url.host, address: address, port: port, isThisMachine: isThisMachine)
        guard allows(endpoint), job.session.wants(address) else {
            needsFreshConnection = !hasOpenedSocket && !attempt.isFresh
            return false
        }
        return reached(peer)
    }

    private func reached(_ peer: String) -> Bool {
        remoteAddress = peer
        stage = .head
        return true
    }

    private func allows(_ endpoint: Endpoint) -> Bool {
        guard judgesAddresses, let reason = job.session.refusal(of: endpoint) else { return true }
        refusal = .addressRefused(host: endpoint.host, address: endpoint.address.description, reason)
        return false
    }
}

extension HopContext {
    /// Takes a line of the head or of the trailers; false ends the transfer.
    func headerArrived(_ line: [UInt8]) -> Bool {
        switch parser.read(line) {
        case .more: return true
        case .complete(let head): return headArrived(head)
        case .tooLarge: return fail(.headTooLarge(limit: Limits.headByteCount))
        }
    }

    private func headArrived(_ head: ResponseHead) -> Bool {
        stage = .body
        if let location = head.redirectLocation {
            guard attempt.redirects < job.options.maxRedirects else {
                return fail(.tooManyRedirects(limit: job.options.maxRedirects))
            }
            self.location = location
            return true
        }
        if head.isError { byteLimit = max(byteLimit, Limits.errorBodyByteCount) }
        job.channel.headArrived(
            TransferHead(
                status: head.status, headers: head.headers, effectiveURL: attempt.url.text,
                remoteAddress: remoteAddress, startedAt: job.startedAt, arrivedAt: .now))
        if let announced = head.bodyByteCount, announced > byteLimit {
            return fail(.tooLarge(limit: byteLimit))
        }
        return true
    }

    /// Hands a piece of the decoded body on; a redirect's own body is read a little and dropped.
    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict {
        let total = bodyByteCount + bytes.count
        if location != nil {
            bodyByteCount = total
            return total <= Limits.redirectBodyByteCount ? .taken : .abort
        }
        guard total <= byteLimit else {
            _ = fail(.tooLarge(limit: byteLimit))
            return .abort
        }
        let verdict = unsafe job.channel.bodyArrived(bytes)
        if case .taken = verdict { bodyByteCount = total }
        return verdict
    }

    private func fail(_ error: TransferError) -> Bool {
        failure = error
        return false
    }
}
