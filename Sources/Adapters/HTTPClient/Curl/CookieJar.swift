import CCurl

/// The cookies of one session, in memory: a `curl_share` to which its transfers are attached.
///
/// `@unchecked Sendable`: the handle is created here and afterwards used by the loop's thread only, which is
/// also why the share has no lock functions. It is freed after the last transfer that holds the jar.
@safe final class CookieJar: @unchecked Sendable {
    let share: UnsafeMutableRawPointer

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
