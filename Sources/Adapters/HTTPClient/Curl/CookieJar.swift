import CCurl

/// The cookies of one session, in memory: a `curl_share` to which its transfers are attached.
///
/// `@unchecked Sendable`: the handle is created here and afterwards used by the loop's thread only, which is
/// also why the share has no lock functions. It is freed after the last transfer that holds the jar.
@safe final class CookieJar: @unchecked Sendable {
    let share: UnsafeMutableRawPointer
    /// Set-Cookie fields that have come since the cookies were counted.
    private var fieldCount = 0

    private init(owning share: UnsafeMutableRawPointer) {
        unsafe self.share = share
    }

    static func open() throws(HTTPClientError) -> CookieJar {
        guard let share = unsafe curl_share_init() else { throw .unavailable("cookie jar") }
        let jar = unsafe CookieJar(owning: share)
        let cookies = Int(CURL_LOCK_DATA_COOKIE.rawValue)
        guard unsafe ccurl_share_set_long(share, CURLSHOPT_SHARE, cookies) == CURLSHE_OK else {
            throw .unavailable("cookie jar")
        }
        return jar
    }

    deinit {
        unsafe curl_share_cleanup(share)
    }
}

extension CookieJar {
    func fieldArrived() { fieldCount += 1 }

    /// Drops all cookies if there are too many (RFC 6265 §6.1); `easy` is any handle with this jar.
    ///
    /// libcurl keeps every cookie that does not expire, and compares each new one with all of the same site.
    /// A source that sets the same cookies again and again keeps them: only what is held counts.
    func dropExcess(by easy: UnsafeMutableRawPointer) {
        guard fieldCount > Limits.cookies else { return }
        fieldCount = 0
        guard unsafe Self.count(by: easy) > Limits.cookies else { return }
        unsafe ccurl_set_string(easy, CURLOPT_COOKIELIST, "ALL")
    }

    private static func count(by easy: UnsafeMutableRawPointer) -> Int {
        var list: UnsafeMutablePointer<curl_slist>?
        guard unsafe ccurl_get_list(easy, CURLINFO_COOKIELIST, &list) == CURLE_OK else { return 0 }
        defer { unsafe curl_slist_free_all(list) }
        return unsafe sequence(first: list) { unsafe $0?.pointee.next }.prefix { unsafe $0 != nil }.count
    }
}
