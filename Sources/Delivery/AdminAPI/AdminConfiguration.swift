package import Access
import HTTP

/// The settings of the admin API.
package struct AdminConfiguration: Sendable {
    package var token: AdminToken
    /// The program's version, as `/`, the metrics and the OpenAPI document name it.
    package var version: String
    /// Retention of a channel that does not set one, seconds.
    package var defaultRetentionSeconds: Int64
    /// Seconds that bytes outlive their entry in the catalogue.
    package var deleteGraceSeconds: Int
    /// How long a request waits for the purge of a channel.
    var purgeAnswer = Limits.purgeAnswer
    /// Why a source may not use a host and port, as words that follow "the address"; nil when it may.
    ///
    /// Receives the host as in the URL, an IPv6 address in brackets; names are not resolved.
    package var refusalOfAddress: @Sendable (_ host: String, _ port: UInt16) -> String?
    /// Makes playback tokens; nil: playback is open.
    package var tokenSigner: TokenSigner?
    /// Whether channels play at the address of the admin API without a token.
    package var playsChannels: Bool
    /// Whether a Host without its port is a name or an address of this service.
    ///
    /// A page in a browser can give its own name any address (DNS rebinding), but cannot send another Host.
    package var isOwnHost: @Sendable (_ host: String) -> Bool

    /// Whether ffmpeg is there, which some downloads and pictures need.
    package var hasFFmpeg: @Sendable () -> Bool

    package init(
        token: AdminToken, version: String, defaultRetentionSeconds: Int64 = 604_800,
        deleteGraceSeconds: Int = 7200,
        tokenSigner: TokenSigner? = nil,
        playsChannels: Bool,
        refusalOfAddress: @escaping @Sendable (_ host: String, _ port: UInt16) -> String? = { _, _ in nil },
        isOwnHost: @escaping @Sendable (_ host: String) -> Bool = { _ in true },
        hasFFmpeg: @escaping @Sendable () -> Bool = { true },
    ) {
        self.token = token
        self.version = version
        self.defaultRetentionSeconds = defaultRetentionSeconds
        self.deleteGraceSeconds = deleteGraceSeconds
        self.refusalOfAddress = refusalOfAddress
        self.tokenSigner = tokenSigner
        self.playsChannels = playsChannels
        self.isOwnHost = isOwnHost
        self.hasFFmpeg = hasFFmpeg
    }
}

extension AdminConfiguration {
    /// Refuses a request whose Host is not this service (RFC 9110 §15.5.20); one of HTTP/1.0 has none.
    func checkHost(_ headers: HTTPHeaders) throws(Problem) {
        guard let field = headers["Host"] else { return }
        if let host = HostField.host(of: field), isOwnHost(host) { return }
        throw Problem(
            .misdirectedRequest,
            "the admin API has no such host; its names are set in BACKCAST_ADMIN_HOSTS, and addresses and local names are always allowed"
        )
    }
}
