package import HTTP

/// A transfer whose head has arrived; the body is pulled.
///
/// Dropping it cancels what is not read yet.
///
/// The body is buffered up to `Limits.bufferedByteCount`; a reader that is slower than the network pauses the network.
package struct Transfer: ~Copyable, Sendable {
    package let head: TransferHead
    /// Bytes of the decoded body read so far.
    package private(set) var byteCount = 0
    private let channel: TransferChannel

    init(head: TransferHead, channel: TransferChannel) {
        self.head = head
        self.channel = channel
    }

    /// The next bytes, `Limits.chunkByteCount` and a little more at a time except for the last; nil at the end of a whole body.
    ///
    /// After an error what came before it has been delivered.
    package mutating func nextChunk() async throws(TransferError) -> [UInt8]? {
        let chunk = try await channel.nextChunk()
        byteCount += chunk?.count ?? 0
        return chunk
    }

    /// When the last byte arrived; nil while it has not.
    package var finishedAt: ContinuousClock.Instant? { channel.endedAt }

    deinit {
        channel.cancel()
    }
}

/// The head of the answer that counts, and how it was come by.
package struct TransferHead: Sendable {
    package var status: HTTPStatus
    /// As sent: a body that was decoded still has its `Content-Encoding` and encoded `Content-Length` here.
    package var headers: HTTPHeaders
    /// The URL that answered, redirects followed, without fragment: the base of relative ones.
    ///
    /// May carry user info and secrets, so it is not for printing.
    package var effectiveURL: String
    package var remoteAddress: String
    /// When the caller asked.
    package var startedAt: ContinuousClock.Instant
    /// When the head was complete.
    package var arrivedAt: ContinuousClock.Instant
}

/// A whole answer in memory.
package struct FetchedBody: Sendable {
    package var head: TransferHead
    /// The decoded body.
    package var bytes: [UInt8]
    /// When the last byte arrived.
    package var finishedAt: ContinuousClock.Instant

    package var status: HTTPStatus { head.status }
}
