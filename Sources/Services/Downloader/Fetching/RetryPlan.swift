import HTTP
import HTTPClient

/// Why one attempt did not bring what was asked for.
enum AttemptFailure: Error, Sendable, Equatable {
    /// 401, 403, 404 or 410: the URL may need another token.
    case refused(status: Int, message: String? = nil)
    /// Another status that a later attempt may change.
    case status(Int, retryAfter: Duration?, message: String? = nil)
    case transfer(TransferError)
    /// The bytes are damaged, or of another kind than expected.
    case damaged(String)
    /// Another attempt would fail in the same way.
    case final(DownloadError)
}

/// What follows a failed attempt.
enum RetryStep: Sendable, Equatable {
    case pause(Duration)
    /// Read the playlist again, then try with the URL that it gives.
    case renew
    /// There is no connection at all.
    case waitForNetwork
    case giveUp(DownloadError)
}

/// Decides how often and when a request is made again.
struct RetryPlan: Sendable {
    /// What is asked for, as messages name it.
    let name: String
    /// The file's name at the source, for messages; nil where there is none beside `name`.
    var source: String?
    /// The number of the reading of the playlists that gave the last address.
    var readingNumber = 0
    private var failures = 0
    private var refusals = 0
    private var connectionFailures = 0
    private var hasRenewed = false
    private var pause = Limits.firstPause

    init(name: String) {
        self.name = name
    }

    /// Begins the count again, because the last attempt brought a good piece of the body.
    mutating func madeProgress() {
        failures = 0
        connectionFailures = 0
        pause = Limits.firstPause
    }

    mutating func step(after failure: AttemptFailure) -> RetryStep {
        if !failure.isConnection { connectionFailures = 0 }
        switch failure {
        case .final(let error): return .giveUp(error)
        case .refused(let status, let message): return refused(message ?? AttemptFailure.message(for: status))
        case .transfer(.cancelled), .transfer(.closed): return .giveUp(.cancelled)
        case .transfer where failure.isConnection:
            connectionFailures += 1
            return connectionFailures > Limits.connectionFailures ? .waitForNetwork : .pause(nextPause())
        case .transfer(let error) where !error.isTransient: return giveUp("\(error)")
        case .transfer(let error): return again("\(error)")
        case .damaged(let reason): return again(reason)
        case .status(let status, let retryAfter, let message):
            return again(message ?? AttemptFailure.message(for: status), after: retryAfter)
        }
    }

    private mutating func refused(_ message: String) -> RetryStep {
        refusals += 1
        guard refusals >= Limits.refusals else { return .pause(nextPause()) }
        guard !hasRenewed else { return giveUp(message) }
        hasRenewed = true
        refusals = 0
        pause = Limits.firstPause
        return .renew
    }

    private mutating func again(_ reason: String, after wanted: Duration? = nil) -> RetryStep {
        failures += 1
        guard failures < Limits.attempts else { return giveUp(reason) }
        let pause = nextPause()
        return .pause(max(pause, min(wanted ?? .zero, Limits.longestRetryAfter)))
    }

    private func giveUp(_ reason: String) -> RetryStep {
        let source = source.map { " (\($0) at the source)" } ?? ""
        return .giveUp(.part(name: name + source, reason: reason))
    }

    private mutating func nextPause() -> Duration {
        defer { pause = min(pause * 2, Limits.longestPause) }
        return pause
    }
}

extension AttemptFailure {
    /// Whether the bytes received before the failure can be kept.
    var leavesGoodBytes: Bool {
        switch self {
        case .transfer, .final(.cancelled): true
        default: false
        }
    }

    /// Whether no connection could be made.
    var isConnection: Bool {
        switch self {
        case .transfer(.connectionFailed), .transfer(.timedOut(.connecting)): true
        default: false
        }
    }

    /// The failure that a status means; nil for those that bring what was asked for.
    ///
    /// The body may say why. The first request for the URL that a person gave is not repeated if the server
    /// calls it wrong; a later request of the task is, as after a 500.
    init?(_ head: TransferHead, _ body: [UInt8] = [], isGivenURL: Bool = false) {
        if head.status.hasWholeContent || head.status == .partialContent { return nil }
        let status = head.status.rawValue
        let message = RefusalText.reading(body, of: head).map { "\(Self.message(for: status)): \($0)" }
        switch status {
        case 401, 403, 404, 410: self = .refused(status: status, message: message)
        case 408, 425, 429, 500...599:
            let pause = head.headers["Retry-After"].flatMap {
                RetryAfter.pause($0, at: head.headers["Date"])
            }
            self = .status(status, retryAfter: pause, message: message)
        default:
            self =
                isGivenURL
                ? .final(.unusable(message ?? Self.message(for: status)))
                : .status(status, retryAfter: nil, message: message)
        }
    }

    static func message(for status: Int) -> String { "the server answered with status \(status)" }
}

extension Transfer {
    /// The next bytes of the body, as an attempt reads them; nil at its end.
    mutating func next() async throws(AttemptFailure) -> [UInt8]? {
        do {
            return try await nextChunk()
        } catch {
            throw .transfer(error)
        }
    }
}
