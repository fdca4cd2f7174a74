import Concurrency
import HTTP

/// One hop as seen by libcurl's callbacks: checks addresses, reads the head, passes the body on.
///
/// Loop thread only.
final class HopContext {
    let id: TransferID
    private let job: TransferJob
    private let attempt: Attempt
    private let judgesAddresses: Bool
    private let received: ReceivedBytes
    private var parser = HeadParser()
    private var remoteAddress = ""
    private var hasOpenedSocket = false
    private var stage = TransferStage.connecting
    private var bodyByteCount = 0
    private var byteLimit: Int
    private var location: String?
    /// Called when the head of a redirect has arrived: only a moment is left for its own body.
    var redirected: () -> Void = {}
    private var refusal: TransferError?
    private var needsFreshConnection = false
    private var failure: TransferError?

    /// Creates the context of one hop; the address of a proxy is not checked.
    init(job: TransferJob, attempt: Attempt, judgesAddresses: Bool, received: ReceivedBytes) {
        id = job.id
        self.job = job
        self.attempt = attempt
        self.judgesAddresses = judgesAddresses
        self.received = received
        byteLimit = job.options.byteLimit
    }

    /// The effect of the hop's end on its transfer.
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
    /// The reused connection is not allowed for this session: the hop is repeated with a new one.
    case again
    case end(TransferError?)
}

extension HopContext {
    /// Checks an address before a connection to it is opened.
    func mayConnect(to target: SocketAddress) -> Bool {
        hasOpenedSocket = true
        return allows(Endpoint(host: attempt.url.host, address: target.address, port: target.port))
    }

    /// Checks the connection for the request, which may be one that another transfer opened.
    func connected(to peer: String, port: UInt16, from own: String) -> Bool {
        guard judgesAddresses else { return reached(peer) }
        guard let address = IPAddress(peer) else { return false }
        let isThisMachine = address.normalised == IPAddress(own)?.normalised
        let endpoint = Endpoint(
            host: attempt.url.host, address: address, port: port, isThisMachine: isThisMachine)
        guard allows(endpoint), job.session.wants(address) else {
            needsFreshConnection = !hasOpenedSocket && !attempt.isFresh
            refusal = refusal ?? .connectionFailed("\(address) does not have the required IP version")
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
    /// Reads a line of the head or of the trailers; false ends the transfer.
    func headerArrived(_ line: [UInt8]) -> Bool {
        // libcurl also takes the cookies of interim responses, which the parser leaves out.
        if line.isSetCookie { job.session.jar.fieldArrived() }
        switch parser.read(line) {
        case .more: return true
        case .complete(let head): return headArrived(head)
        case .tooLarge: return fail(.headTooLarge(limit: Limits.headByteCount))
        }
    }

    private func headArrived(_ head: ResponseHead) -> Bool {
        stage = .body
        if job.options.method == .get, let location = head.redirectLocation {
            guard attempt.redirects < Limits.redirects else {
                return fail(.tooManyRedirects(limit: Limits.redirects))
            }
            self.location = location
            // A body without a length ends with its connection, which is of no use then.
            if head.endsWithConnection { return false }
            redirected()
            return true
        }
        if head.isError { byteLimit = max(byteLimit, Limits.errorBodyByteCount) }
        job.channel.headArrived(
            TransferHead(
                status: head.status, headers: head.headers, effectiveURL: attempt.url.text,
                remoteAddress: remoteAddress, requestedAt: job.requestedAt,
                firstRequestAt: attempt.firstRequestAt,
                arrivedAt: .now))
        if job.options.refusesTooLongAtOnce, let announced = head.bodyByteCount, announced > byteLimit {
            return fail(.tooLarge(limit: byteLimit))
        }
        return true
    }

    /// Passes on a piece of the decoded body; a little of a redirect's own body is read and dropped.
    func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict {
        received.byteCount += bytes.count
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
        if job.options.chunkDelay != nil { received.arrived(for: job.channel) }
        return verdict
    }

    private func fail(_ error: TransferError) -> Bool {
        failure = error
        return false
    }
}
