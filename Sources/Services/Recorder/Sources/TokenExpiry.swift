import Concurrency
import Digest
import HTTP
import Timeline

/// When the tokens in URLs expire, as far as the URLs say it.
///
/// CDNs write the instant in Unix seconds or milliseconds into the query or the path: `expires=1700000000`,
/// `e=…`, or `exp=…` as a part of another value, as in `hdnts=exp=1700000000~acl=/*~hmac=…`. Signed URLs of
/// object stores say when they were made and for how long they hold, and a JSON Web Token has a claim.
enum TokenExpiry {
    private static let names: Set<String> = [
        "e", "exp", "expire", "expires", "expiry", "expiration", "validto", "valid_to", "validuntil",
        "valid_until",
    ]
    /// The parameters of signed URLs: when they were made, and for how many seconds they hold.
    private static let signatures = [
        ("x-amz-date", "x-amz-expires"), ("x-goog-date", "x-goog-expires"),
    ]
    private static let escapes = [("%3d", "="), ("%3D", "="), ("%7e", "~"), ("%7E", "~"), ("%26", "&")]

    /// When new URLs are to be asked for: before the first of these expires.
    ///
    /// Nil when none says when, or the time has passed: such a token is not what its name says, or the clocks
    /// differ.
    static func renewal(of urls: some Sequence<HTTPURL>, at now: Moment) -> SteadyInstant? {
        let left = urls.compactMap { expiry(of: $0.absoluteString) }.map { $0 - now.date }.filter { $0 > 0 }
        guard let least = left.min() else { return nil }
        return now.steady + .microseconds(least - min(Limits.tokenLead, least / 4))
    }

    /// The earliest instant that a URL names as its end.
    static func expiry(of url: String) -> Instant? {
        let text = escapes.reduce(url) { $0.replacing($1.0, with: $1.1) }
        let fields = text.split { "?&~;/,".contains($0) }.map { $0.split(separator: "=") }
        let named = fields.filter { $0.count >= 2 }.compactMap { field in
            field.last.map { (name: field[field.count - 2].lowercased(), value: String($0)) }
        }
        let stated = named.filter { names.contains($0.name) }.compactMap { instant(of: $0.value) }
        let claimed = fields.compactMap { $0.last.flatMap(claim) }
        return (stated + claimed + signed(named)).min()
    }

    private static func instant(of digits: String) -> Instant? {
        guard let number = Int64(digits) else { return nil }
        switch digits.count {
        case 10: return Instant(seconds: number)
        case 13: return Instant(milliseconds: number)
        default: return nil
        }
    }

    /// The ends of signed URLs.
    private static func signed(_ named: [(name: String, value: String)]) -> [Instant] {
        signatures.compactMap { made, lasts in
            guard let date = named.first(where: { $0.name == made })?.value,
                let begin = InstantReading.reading(date.replacing("T", with: "")),
                let seconds = named.first(where: { $0.name == lasts }).flatMap({ Int64($0.value) }),
                (1...Limits.longestSignature).contains(seconds)
            else { return nil }
            return begin + seconds * Microseconds.perSecond
        }
    }

    /// The `exp` claim of a JSON Web Token (RFC 7519 §4.1.4), seconds since 1970.
    private static func claim(_ text: Substring) -> Instant? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        // A token begins with the object of its header: `{"`.
        guard parts.count == 3, text.hasPrefix("eyJ"), let payload = Base64URL.decode(parts[1]) else {
            return nil
        }
        let claims = String(decoding: payload, as: UTF8.self)
        guard let name = claims.firstRange(of: "\"exp\"") else { return nil }
        let value = claims[name.upperBound...].drop { $0 == ":" || $0.isWhitespace }
        return instant(of: String(value.prefix { $0.isASCII && $0.isNumber }))
    }
}
