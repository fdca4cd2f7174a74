import CCurl

/// The process-wide part of libcurl.
enum CurlLibrary {
    /// Prepares libcurl once; later calls repeat the first result.
    static func prepare() throws(HTTPClientError) {
        guard isReady else { throw .unavailable("libcurl") }
    }

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    static func text(of code: CURLcode) -> String {
        guard let text = unsafe curl_easy_strerror(code) else { return "libcurl error \(code.rawValue)" }
        return unsafe String(cString: text)
    }
}
