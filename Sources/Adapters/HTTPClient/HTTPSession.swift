import Concurrency
import HTTP
import Synchronization

/// The transfers of one source, with its cookies, headers and limits.
///
/// Closing or releasing it frees the cookies.
package final class HTTPSession: Sendable {
    private let context: SessionContext
    private let mailbox: LoopMailbox
    private let isClosed = Mutex(false)

    init(_ context: SessionContext, _ mailbox: LoopMailbox) {
        self.context = context
        self.mailbox = mailbox
    }

    /// Sends a request, follows redirects, and returns when the response head has arrived.
    ///
    /// Cancelling the task cancels the transfer. A status of 400 and above is not an error.
    package func open(_ url: String, _ options: TransferOptions) async throws(TransferError) -> Transfer {
        let channel = try start(url, options)
        return Transfer(head: try await channel.head(), channel: channel)
    }

    /// Fetches a small body into memory, at most `options.byteLimit` bytes.
    ///
    /// With a status of 400 and above, at most `Limits.errorBodyByteCount` bytes are read, and a larger body
    /// is not an error.
    package func fetch(_ url: String, _ options: TransferOptions) async throws(TransferError) -> FetchedBody {
        var transfer = try await open(url, options)
        var bytes: [UInt8] = []
        do throws(TransferError) {
            while let chunk = try await transfer.nextChunk() {
                if bytes.isEmpty { bytes = chunk } else { bytes.append(contentsOf: chunk) }
            }
        } catch {
            guard case .tooLarge = error, transfer.head.status.rawValue >= 400 else { throw error }
        }
        return FetchedBody(head: transfer.head, bytes: bytes, finishedAt: transfer.finishedAt ?? .now)
    }

    /// Ends every transfer of the session with `closed`, including waiting and later ones.
    package func close() {
        isClosed.withLock { isClosed in
            isClosed = true
            mailbox.post(.closeSession(context.id))
        }
    }

    private func start(_ url: String, _ options: TransferOptions) throws(TransferError) -> TransferChannel {
        if let field = options.headers.fields.first(where: { !$0.canBeSent }) {
            throw .badRequest("the header field \(field.name.debugDescription)")
        }
        if let range = options.range, range.isEmpty { throw .badRequest("an empty range") }
        if options.method == .head { throw .badRequest("HEAD is not supported") }
        let channel = TransferChannel(
            id: TransferID(rawValue: mailbox.nextNumber()), mailbox: mailbox, pausesAt: options.pausesAt,
            chunkDelay: options.chunkDelay)
        let job = TransferJob(
            url: try RequestURL.reading(url), options: options, session: context, channel: channel,
            requestedAt: .now)
        guard isClosed.withLock({ !$0 && mailbox.post(.start(job)) }) else { throw .closed }
        return channel
    }
}

extension TransferOptions {
    /// A body that curl decodes is never paused, because curl would buffer decoded data without a bound.
    fileprivate var pausesAt: Int { decodes ? .max : Limits.bufferedByteCount }
}
