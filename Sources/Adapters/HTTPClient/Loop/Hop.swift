import CCurl
import Concurrency

/// A running hop: its handle and the decision about its end.
///
/// Loop thread only.
final class Hop {
    let handle: EasyHandle
    private let job: TransferJob
    private let attempt: Attempt

    private init(_ handle: consuming EasyHandle, _ job: TransferJob, _ attempt: Attempt) {
        self.handle = handle
        self.job = job
        self.attempt = attempt
    }

    static func open(
        _ attempt: Attempt, of job: TransferJob, _ configuration: ClientConfiguration,
        _ received: ReceivedBytes,
    ) throws(TransferError) -> Hop {
        let left = attempt.deadline - SteadyInstant.now
        guard left > .zero else { throw .timedOut(.connecting) }
        let isProxied = configuration.proxy != nil
        if isProxied { try judgeUnresolved(attempt.url, job.session) }
        let isDirect = !isProxied && configuration.socketFile == nil
        let context = HopContext(
            job: job, attempt: attempt, judgesAddresses: isDirect, received: received)
        var handle = try EasyHandle.open(context: context, jar: job.session.jar)
        // Not at a redirect, whose target may want the cookie that came with it.
        if attempt.redirects == 0 { handle.dropExcessCookies() }
        try handle.configure(attempt, of: job, in: configuration, timeout: left)
        return Hop(handle, job, attempt)
    }

    /// With a proxy an address can be checked only when it is written in the URL, and a name only against the
    /// list.
    private static func judgeUnresolved(
        _ url: RequestURL, _ session: SessionContext
    ) throws(TransferError) {
        guard let address = IPAddress(url.host) else {
            if session.options.addressPolicy.allows(name: url.host) { return }
            throw .addressRefused(host: url.host, address: "known only to the proxy", .notAllowed)
        }
        let endpoint = Endpoint(host: url.host, address: address, port: url.port)
        guard let reason = session.refusal(of: endpoint) else { return }
        throw .addressRefused(host: url.host, address: address.description, reason)
    }

    func resume() { handle.unpause() }

    /// What follows after a hop.
    enum Next {
        case attempt(Attempt)
        /// The transfer has ended; nil when it is complete.
        case end(TransferError?)
    }

    func next(_ code: CURLcode) -> Next {
        switch handle.context.outcome({ error(code, $0) }) {
        case .end(let error): return .end(error)
        case .again:
            var next = attempt
            next.isFresh = true
            return .attempt(next)
        case .redirect(let location): return redirected(to: location)
        }
    }

    private func redirected(to location: String) -> Next {
        do throws(TransferError) {
            let target = try attempt.url.following(location)
            return .attempt(
                Attempt(
                    url: target, firstRequestAt: attempt.firstRequestAt, redirects: attempt.redirects + 1,
                    isFresh: job.options.freshConnection, deadline: attempt.deadline))
        } catch {
            return .end(error)
        }
    }

    private func error(_ code: CURLcode, _ stage: TransferStage) -> TransferError? {
        TransferError(
            code,
            HopFacts(
                stage: stage, receivedByteCount: handle.receivedByteCount,
                announcedByteCount: handle.announcedByteCount, byteLimit: job.options.byteLimit))
    }
}
