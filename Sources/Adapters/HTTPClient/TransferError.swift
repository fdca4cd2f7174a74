/// Why a transfer did not deliver a complete body.
///
/// A status of 400 and above is not an error here.
package enum TransferError: Error, Hashable, Sendable {
    /// The task was cancelled, or the transfer was released.
    case cancelled
    /// The client or the session was closed.
    case closed
    /// More transfers are waiting than the limit allows.
    case queueFull(limit: Int)
    /// The client ran so many transfers that this one could not begin in time; the origin was not asked.
    case notStarted
    /// The text is not an absolute URL, or a request header cannot be sent.
    case badRequest(String)
    /// The URL or a redirect has a scheme other than http and https.
    case schemeRefused(String)
    /// The address policy refuses the resolved address.
    case addressRefused(host: String, address: String, AddressRefusal)
    /// No name, no route, no response, or the connection broke before the response head.
    case connectionFailed(String)
    /// The handshake failed; `isCertificate` when the server's identity is the reason.
    case tls(String, isCertificate: Bool)
    case timedOut(TransferStage)
    case tooManyRedirects(limit: Int)
    /// The body ended early. Bytes as received; nil when no length was announced.
    case truncated(received: Int, expected: Int?)
    /// The decoded body exceeds the caller's limit, in bytes.
    case tooLarge(limit: Int)
    /// The response head exceeds the limit, in bytes.
    case headTooLarge(limit: Int)
    /// The response is not valid HTTP.
    case protocolError(String)
}

/// How far a transfer had advanced.
package enum TransferStage: String, Hashable, Sendable {
    /// Resolving, connecting or in the TLS handshake.
    case connecting
    /// Connected, without the head of the response.
    case head
    /// Receiving the body, too slowly or for too long.
    case body
}

extension TransferError {
    /// Whether the same request may succeed later without any change.
    package var isTransient: Bool {
        switch self {
        case .connectionFailed, .timedOut, .truncated, .queueFull, .notStarted, .protocolError: true
        case .tls(_, let isCertificate): !isCertificate
        case .cancelled, .closed, .badRequest, .schemeRefused, .addressRefused, .tooManyRedirects, .tooLarge,
            .headTooLarge:
            false
        }
    }

    /// Whether the client's own limits are the reason, and the origin was not asked at all.
    package var isOwnLimit: Bool {
        switch self {
        case .queueFull, .notStarted: true
        default: false
        }
    }

    /// Whether the origin did not answer, or stopped in the middle of its answer.
    var isSilence: Bool {
        switch self {
        case .timedOut, .connectionFailed: true
        default: false
        }
    }
}

extension TransferError: CustomStringConvertible {
    /// The reason in words, with hosts and addresses but without user info, path or query of a URL.
    package var description: String {
        switch self {
        case .cancelled: "cancelled"
        case .closed: "the HTTP client is closed"
        case .queueFull(let limit): "more than \(limit) transfers are waiting"
        case .notStarted: "the request could not begin in time, as too many others were running"
        case .badRequest(let reason): "the request cannot be sent: \(reason)"
        case .schemeRefused(let scheme): "only http and https are fetched, not \(scheme)"
        case .addressRefused(let host, let address, let reason): "\(host) is \(address): \(reason)"
        case .connectionFailed(let reason): "no connection: \(reason)"
        case .tls(let reason, _): "TLS: \(reason)"
        case .timedOut(let stage): stage.timeoutDescription
        case .tooManyRedirects(let limit): "more than \(limit) redirects"
        case .truncated(let received, let expected?): "the body ended after \(received) of \(expected) bytes"
        case .truncated(let received, nil): "the body was cut off after \(received) bytes"
        case .tooLarge(let limit): "the body is larger than \(limit) bytes"
        case .headTooLarge(let limit): "the head of the response is larger than \(limit) bytes"
        case .protocolError(let reason): "not valid HTTP: \(reason)"
        }
    }
}

extension TransferStage {
    fileprivate var timeoutDescription: String {
        switch self {
        case .connecting: "not connected in time"
        case .head: "no answer in time"
        case .body: "the body came too slowly"
        }
    }
}
