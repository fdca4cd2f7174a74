/// Why a text is not a URL that can be fetched.
///
/// The text is not included, because URLs may contain secrets.
package enum HTTPURLError: Error, Equatable, CustomStringConvertible {
    case tooLong
    case controlCharacter
    /// The scheme is missing or neither http nor https.
    case notHTTP(scheme: String?)
    case missingHost
    /// The host contains a byte that host names and addresses in ASCII form do not have.
    case invalidHost
    case invalidPort
    /// The authority has more than one "@", so that implementations disagree on the host.
    case ambiguousUserInfo

    package var description: String {
        switch self {
        case .tooLong: "the URL is longer than \(Limits.urlByteCount) bytes"
        case .controlCharacter: "the URL contains a control character"
        case .notHTTP(let scheme?): "the URL's scheme is \(scheme), not http or https"
        case .notHTTP(nil): "the URL has no scheme; it must begin with http:// or https://"
        case .missingHost: "the URL has no host"
        case .invalidHost: "the URL's host is not a host name or address in ASCII form"
        case .invalidPort: "the URL's port is not a number of 1 to 65535"
        case .ambiguousUserInfo: "the URL has more than one @ before its path"
        }
    }
}
