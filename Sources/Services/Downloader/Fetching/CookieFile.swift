import HTTP

/// The cookies of a file in the format of Netscape, as browsers and curl write it.
package enum CookieFile {
    /// The value of the Cookie field for a URL; nil when no cookie of the file is for it.
    ///
    /// `now` in seconds since 1970; cookies that have expired by then are left out.
    package static func field(in text: String, for url: String, now: Int64) throws(DownloadError) -> String? {
        let target: HTTPURL
        do {
            target = try HTTPURL(url)
        } catch {
            throw .unusable("\(error)")
        }
        let cookies = text.split(whereSeparator: \.isNewline).compactMap { line in
            cookie(in: line, for: target, now: now)
        }
        return cookies.isEmpty ? nil : cookies.joined(separator: "; ")
    }

    /// Seven fields: domain, subdomains match, path, https only, expiry, name, value.
    ///
    /// The two flags are TRUE or FALSE; the expiry is in seconds since 1970 (0: never).
    private static func cookie(in line: Substring, for url: HTTPURL, now: Int64) -> String? {
        let mark = "#HttpOnly_"
        let line = line.hasPrefix(mark) ? line.dropFirst(mark.count) : line
        guard !line.hasPrefix("#") else { return nil }
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 7, let end = Int64(fields[4]), end == 0 || end > now,
            fields[3] != "TRUE" || url.scheme == .https,
            isOf(fields[0], withBelow: fields[1] == "TRUE", host: url.host), isBelow(fields[2], url.path)
        else { return nil }
        return "\(fields[5])=\(fields[6])"
    }

    private static func isOf(_ domain: Substring, withBelow: Bool, host: String) -> Bool {
        let name = domain.drop { $0 == "." }.lowercased()
        return host == name || withBelow && !name.isEmpty && host.hasSuffix(".\(name)")
    }

    /// Whether a path is that of a cookie or below it (RFC 6265 §5.1.4).
    private static func isBelow(_ cookie: Substring, _ path: String) -> Bool {
        guard path.hasPrefix(cookie) else { return false }
        return cookie.hasSuffix("/") || path.count == cookie.count
            || path.dropFirst(cookie.count).first == "/"
    }
}
