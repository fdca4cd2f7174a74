package import Concurrency
package import HTTP

/// A transfer whose head has arrived and whose body is pulled.
///
/// Releasing it cancels the unread rest.
///
/// The body is buffered up to `Limits.bufferedByteCount`; a slower reader pauses the transfer.
package struct Transfer: ~Copyable, Sendable {
    package let head: TransferHead
    /// Bytes of the decoded body that have been read.
    package private(set) var byteCount = 0
    private let channel: TransferChannel

    init(head: TransferHead, channel: TransferChannel) {
        self.head = head
        self.channel = channel
    }

    /// The next bytes, at most `Limits.chunkByteCount`; nil at the end of a complete body.
    ///
    /// Everything received before an error is delivered first.
    package mutating func nextChunk() async throws(TransferError) -> [UInt8]? {
        let chunk = try await channel.nextChunk()
        byteCount += chunk?.count ?? 0
        return chunk
    }

    /// When the last byte arrived; nil before.
    var finishedAt: SteadyInstant? { channel.endedAt }

    deinit {
        channel.cancel()
    }
}

/// The head of the final response, with its redirects and timing.
package struct TransferHead: Sendable {
    package var status: HTTPStatus
    /// As received: a decoded body still has its `Content-Encoding` and encoded `Content-Length` here.
    package var headers: HTTPHeaders
    /// The URL of the response after redirects, without fragment: the base for relative ones.
    ///
    /// It may contain user info and secrets and must not be printed.
    package var effectiveURL: String
    package var remoteAddress: String
    /// When the transfer was requested.
    package var requestedAt: SteadyInstant
    /// When its turn had come and the first request was made.
    package var firstRequestAt: SteadyInstant
    /// When the head was complete.
    package var arrivedAt: SteadyInstant

    /// Whether the body is said to be gzip (RFC 9110 §8.4.1.3).
    package var isGzip: Bool {
        let coding = headers["Content-Encoding"]?.lowercased()
        return coding == "gzip" || coding == "x-gzip"
    }
}

/// A complete response in memory.
package struct FetchedBody: Sendable {
    package var head: TransferHead
    /// The decoded body.
    package var bytes: [UInt8]
    /// When the last byte arrived.
    package var finishedAt: SteadyInstant

    package var status: HTTPStatus { head.status }
}
