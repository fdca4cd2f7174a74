import CCurl

/// The state of a hop when curl reports a failure.
struct HopFacts {
    var stage: TransferStage
    /// Bytes of the body received from the network, and the announced number.
    var receivedByteCount: Int
    var announcedByteCount: Int?
    var byteLimit: Int
}

extension TransferError {
    /// The meaning of a libcurl code; nil when the transfer is complete.
    init?(_ code: CURLcode, _ facts: HopFacts) {
        let text = CurlLibrary.text(of: code)
        switch code {
        case CURLE_OK:
            return nil
        case CURLE_OPERATION_TIMEDOUT:
            self = .timedOut(facts.stage)
        case CURLE_FILESIZE_EXCEEDED:
            self = .tooLarge(limit: facts.byteLimit)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            self = .tls(text, isCertificate: true)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED:
            self = .tls(text, isCertificate: false)
        case CURLE_UNSUPPORTED_PROTOCOL where facts.stage == .connecting:
            self = .schemeRefused("another scheme")
        case CURLE_URL_MALFORMAT:
            self = .badRequest(text)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT,
            CURLE_OUT_OF_MEMORY,
            CURLE_INTERFACE_FAILED, CURLE_PROXY:
            self = .connectionFailed(text)
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            self = .brokenOff(text, facts)
        default:
            self = .protocolError(text)
        }
    }

    /// The error of a broken connection: `truncated` during the body, `connectionFailed` before it.
    private static func brokenOff(_ text: String, _ facts: HopFacts) -> TransferError {
        guard facts.stage == .body else { return .connectionFailed(text) }
        return .truncated(received: facts.receivedByteCount, expected: facts.announcedByteCount)
    }
}
