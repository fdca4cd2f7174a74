import HTTP
import Logging

/// An answer of the library that is queued again and again: it has its header fields, and its content in
/// memory and in one piece.
///
/// Unchecked because a response that is complete may be queued from any thread: the library counts its users
/// under a lock. Apart from that it changes only the length of what it reads while it sends, which is not
/// kept.
final class ReusableResponse: @unchecked Sendable {
    let byteCount: UInt64
    private let handle: ResponseHandle

    /// Nil if the content is not of a kind that is kept, or cannot be read, or without memory.
    init?(_ response: HTTPResponse, logger: Logger) {
        let body = OutgoingBody(response, isHead: false, joined: PreparedResponseSlot.joinedBytes)
        guard let handle = ResponseHandle.kept(body) else { return nil }
        handle.add(response.headers, logger: logger)
        self.handle = handle
        byteCount = body.knownByteCount
    }

    func queue(on connection: ConnectionHandle, status: HTTPStatus) -> Bool {
        handle.queue(on: connection, status: status)
    }
}
