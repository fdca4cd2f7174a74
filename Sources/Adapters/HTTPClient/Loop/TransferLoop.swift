import CCurl
import Concurrency
import Logging

/// The loop: one thread that makes all libcurl calls of transfers.
final class TransferLoop {
    private let mailbox: LoopMailbox
    private let configuration: ClientConfiguration
    private var queue: TransferQueue
    private var jobs: [TransferID: TransferJob] = [:]
    private var hops: [TransferID: Hop] = [:]
    private let received = ReceivedBytes()

    init(mailbox: LoopMailbox, configuration: ClientConfiguration) {
        self.mailbox = mailbox
        self.configuration = configuration
        queue = TransferQueue(runningLimit: configuration.runningTransfers)
    }

    /// Runs until it is stopped; then every transfer has ended.
    func run() {
        while executeCommands() {
            received.byteCount = 0
            check(mailbox.multi.perform())
            let hasEnded = endFinished()
            expireWaiting()
            startWaiting()
            mailbox.pause(milliseconds: received.pauseMilliseconds(hasEnded: hasEnded))
            check(mailbox.multi.poll(milliseconds: sleepMilliseconds()))
        }
        for id in Array(jobs.keys) { end(id, .failed(.closed)) }
    }

    /// How long neither the queue nor a chunk that fills slowly needs attention; curl knows its own timers.
    private func sleepMilliseconds() -> Int {
        let now = SteadyInstant.now
        guard let next = [queue.nextDeadline, received.deliverLate(at: now)].compactMap({ $0 }).min() else {
            return Limits.idlePollMilliseconds
        }
        return min((next - now).boundedMilliseconds, Limits.idlePollMilliseconds)
    }

    /// Pauses after an error, so that curl without memory or a failing poll does not cause a busy loop.
    private func check(_ code: CURLMcode) {
        guard code != CURLM_OK else { return }
        let text = unsafe curl_multi_strerror(code).map { unsafe String(cString: $0) } ?? "\(code.rawValue)"
        configuration.logger.error("The HTTP client loop failed", metadata: ["error": "\(text)"])
        LoopThread.pause(milliseconds: Limits.errorPauseMilliseconds)
    }
}

extension TransferLoop {
    /// Executes the commands of other threads; false when the loop has to end.
    private func executeCommands() -> Bool {
        for command in mailbox.removeCommands() {
            switch command {
            case .start(let job): enqueue(job)
            case .resume(let id): hops[id]?.resume()
            case .cancel(let id): end(id, .failed(.cancelled))
            case .closeSession(let session): end(session)
            case .stop: return false
            }
        }
        return true
    }

    private func enqueue(_ job: TransferJob) {
        if let limit = queue.enqueue(job.entry, at: .now) {
            job.channel.ended(.failed(.queueFull(limit: limit)))
        } else {
            jobs[job.id] = job
        }
    }

    private func startWaiting() {
        while let id = queue.startNext(at: .now) {
            guard let job = jobs[id] else { continue }
            start(job.firstAttempt(at: .now), of: job)
        }
    }

    private func expireWaiting() {
        for id in queue.removeExpired(at: .now) {
            jobs.removeValue(forKey: id)?.channel.ended(.failed(.notStarted))
        }
    }

    private func end(_ session: SessionID) {
        for job in Array(jobs.values) where job.session.id == session { end(job.id, .failed(.closed)) }
    }
}

extension TransferLoop {
    private func start(_ attempt: Attempt, of job: TransferJob) {
        do throws(TransferError) {
            let hop = try Hop.open(attempt, of: job, configuration, received)
            hops[job.id] = hop
            guard mailbox.multi.add(hop.handle) else { throw .connectionFailed("no memory for a transfer") }
        } catch {
            end(job.id, .failed(error))
        }
    }

    /// Ends the finished hops; whether there were any.
    private func endFinished() -> Bool {
        var hasEnded = false
        while let (id, code) = mailbox.multi.nextFinished() {
            hasEnded = true
            guard let hop = hops.removeValue(forKey: id), let job = jobs[id] else { continue }
            mailbox.multi.remove(hop.handle)
            switch hop.next(code) {
            case .attempt(let attempt): start(attempt, of: job)
            case .end(nil): end(id, .whole(at: .now))
            case .end(let error?): end(id, .failed(error))
            }
        }
        return hasEnded
    }

    /// Ends a transfer in any state and starts the next.
    private func end(_ id: TransferID, _ end: TransferEnd) {
        if let hop = hops.removeValue(forKey: id) { mailbox.multi.remove(hop.handle) }
        guard let job = jobs.removeValue(forKey: id) else { return }
        queue.end(id, hasAnswered: end.hasAnswered, at: .now)
        job.channel.ended(end)
    }
}

extension TransferEnd {
    /// Whether the origin answered; nil when the transfer was ended here.
    fileprivate var hasAnswered: Bool? {
        switch self {
        case .whole: true
        case .failed(.cancelled), .failed(.closed): nil
        case .failed(let error): !error.isSilence
        }
    }
}
