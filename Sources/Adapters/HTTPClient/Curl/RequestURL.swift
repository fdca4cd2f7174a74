import CCurl

/// An absolute http or https URL, parsed by the same code that fetches it.
struct RequestURL: Sendable, Equatable {
    /// The URL without its fragment.
    ///
    /// It may contain user info and secrets in its query and must not be printed.
    let text: String
    let host: String
    let port: UInt16
    /// Scheme, host and port: the scope of user info.
    let origin: String

    var isSecure: Bool { origin.hasPrefix("https:") }

    static func reading(_ text: String) throws(TransferError) -> RequestURL {
        let handle = try URLHandle.open()
        try handle.read(text)
        return try handle.requestURL()
    }

    /// The target of a `Location` in the response for this URL (RFC 9110 §10.2.2).
    ///
    /// User info stays within the origin.
    func following(_ location: String) throws(TransferError) -> RequestURL {
        let handle = try URLHandle.open()
        try handle.read(text)
        let user = handle.part(CURLUPART_USER)
        let password = handle.part(CURLUPART_PASSWORD)
        try handle.read(location)
        let target = try handle.requestURL()
        guard let user, target.origin == origin, handle.part(CURLUPART_USER) == nil else { return target }
        handle.set(CURLUPART_USER, user)
        if let password { handle.set(CURLUPART_PASSWORD, password) }
        return try handle.requestURL()
    }
}

/// The owner of a `CURLU`.
@safe private struct URLHandle: ~Copyable {
    private let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    static func open() throws(TransferError) -> URLHandle {
        guard let pointer = unsafe curl_url() else { throw .connectionFailed("no memory for a transfer") }
        return unsafe URLHandle(owning: pointer)
    }

    /// Reads an absolute URL, or one relative to the URL read before.
    ///
    /// Spaces and bytes outside ASCII are encoded.
    func read(_ text: String) throws(TransferError) {
        guard !text.isEmpty, text.utf8.count <= Limits.urlByteCount, !text.utf8.contains(0) else {
            throw .badRequest("a URL has 1 to \(Limits.urlByteCount) bytes")
        }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE)
        let code = unsafe curl_url_set(pointer, CURLUPART_URL, text, flags)
        guard code == CURLUE_OK else { throw .badRequest("not an absolute URL (\(Self.text(of: code)))") }
    }

    func set(_ part: CURLUPart, _ value: String?) {
        unsafe curl_url_set(pointer, part, value, 0)
    }

    /// A part as written in the URL; nil when it has none.
    func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(pointer, part, &text, UInt32(flags)) == CURLUE_OK, let text = unsafe text
        else {
            return nil
        }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }

    func requestURL() throws(TransferError) -> RequestURL {
        let scheme = part(CURLUPART_SCHEME)?.lowercased() ?? "none"
        guard scheme == "http" || scheme == "https" else { throw .schemeRefused(scheme) }
        set(CURLUPART_FRAGMENT, nil)
        guard let host = part(CURLUPART_HOST), !host.isEmpty, let text = part(CURLUPART_URL) else {
            throw .badRequest("the URL has no host")
        }
        let name = HostPattern.canonical(host)
        guard let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap({ UInt16($0) }) else {
            throw .badRequest("the URL's port is not a valid port")
        }
        return RequestURL(text: text, host: name, port: port, origin: "\(scheme)://\(name):\(port)")
    }

    private static func text(of code: CURLUcode) -> String {
        guard let text = unsafe curl_url_strerror(code) else { return "\(code.rawValue)" }
        return unsafe String(cString: text)
    }

    deinit {
        unsafe curl_url_cleanup(pointer)
    }
}
