import HTTP
import Timeline

/// When the tokens in URLs expire, as far as the URLs say it.
///
/// CDNs write the instant in Unix seconds or milliseconds into the query or the path: `expires=1700000000`,
/// `e=…`, or `exp=…` as a part of another value, as in `hdnts=exp=1700000000~acl=/*~hmac=…`.
enum TokenExpiry {
    private static let names: Set<String> = [
        "e", "exp", "expire", "expires", "expiry", "expiration", "validto", "valid_to", "validuntil",
        "valid_until",
    ]

    /// When new URLs are to be asked for: before the first of these expires.
    ///
    /// Nil when none says when, or the time has passed: such a token is not what its name says, or the clocks
    /// differ.
    static func renewal(of urls: some Sequence<HTTPURL>, at now: Moment) -> ContinuousClock.Instant? {
        let left = urls.compactMap { expiry(of: $0.absoluteString) }.map { $0 - now.date }.filter { $0 > 0 }
        guard let least = left.min() else { return nil }
        return now.steady + .microseconds(least - min(Limits.tokenLead, least / 4))
    }

    /// The earliest instant that a URL names as its end.
    static func expiry(of url: String) -> Instant? {
        let text = url.lowercased().replacing("%3d", with: "=").replacing("%7e", with: "~")
            .replacing("%26", with: "&")
        let fields = text.split { "?&~;/,".contains($0) }.map { $0.split(separator: "=") }
        return fields.compactMap { field in
            guard field.count >= 2, let value = field.last, let name = field.dropLast().last,
                names.contains(String(name)), let number = Int64(value)
            else { return nil }
            switch value.count {
            case 10: return Instant(seconds: number)
            case 13: return Instant(microseconds: number * Microseconds.perMillisecond)
            default: return nil
            }
        }.min()
    }
}
