import CCurl

/// The owner of a `CURL`: one hop of one transfer.
///
/// Loop thread only.
///
/// Handles are not pooled: connections, names and TLS sessions belong to the multi handle, and a new handle
/// cannot carry anything from one session to another.
@safe struct EasyHandle: ~Copyable {
    let pointer: UnsafeMutableRawPointer
    /// The context of the callbacks; stored here because it must outlive the handle, as must the next two.
    let context: HopContext
    private let jar: CookieJar
    private var headers = HeaderList()
    private var pinnedNames = HeaderList()

    private init(owning pointer: UnsafeMutableRawPointer, context: HopContext, jar: CookieJar) {
        unsafe self.pointer = pointer
        self.context = context
        self.jar = jar
    }

    /// Creates a handle with the transfer's number, cookies and callbacks.
    static func open(context: HopContext, jar: CookieJar) throws(TransferError) -> EasyHandle {
        guard let pointer = unsafe curl_easy_init() else {
            throw .connectionFailed("no memory for a transfer")
        }
        let handle = unsafe EasyHandle(owning: pointer, context: context, jar: jar)
        unsafe ccurl_set_pointer(
            pointer, CURLOPT_PRIVATE, UnsafeMutableRawPointer(bitPattern: context.id.rawValue))
        unsafe ccurl_set_pointer(pointer, CURLOPT_SHARE, jar.share)
        try handle.set(CURLOPT_COOKIEFILE, "")
        unsafe HopCallbacks.install(on: pointer, context: context)
        context.redirected = {
            // libcurl reads both whenever it compares the speed, each second.
            _ = unsafe ccurl_set_long(pointer, CURLOPT_LOW_SPEED_LIMIT, Limits.redirectBytesPerSecond)
            _ = unsafe ccurl_set_long(pointer, CURLOPT_LOW_SPEED_TIME, 1)
        }
        return handle
    }

    /// The number of the transfer to which the handle belongs.
    static func id(of easy: UnsafeMutableRawPointer) -> TransferID? {
        var value: UnsafeMutablePointer<CChar>?
        guard unsafe ccurl_get_private(easy, &value) == CURLE_OK else { return nil }
        return TransferID(rawValue: UInt(bitPattern: value))
    }

    deinit {
        unsafe curl_easy_cleanup(pointer)
    }
}

extension EasyHandle {
    func set(_ option: CURLoption, _ value: Int) throws(TransferError) {
        try Self.check(unsafe ccurl_set_long(pointer, option, value), option)
    }

    func set(_ option: CURLoption, _ value: String) throws(TransferError) {
        try Self.check(unsafe ccurl_set_string(pointer, option, value), option)
    }

    /// Sets the content of the request, which is copied.
    func set(body: [UInt8]) throws(TransferError) {
        try set(CURLOPT_POSTFIELDSIZE, body.count)
        let code = unsafe body.withUnsafeBytes { unsafe ccurl_copy_content(pointer, $0.baseAddress) }
        try Self.check(code, CURLOPT_COPYPOSTFIELDS)
    }

    /// Sets the header lines of the request.
    mutating func set(headers lines: [String]) throws(TransferError) {
        for line in lines where !headers.append(line) {
            throw .connectionFailed("no memory for a transfer")
        }
        try Self.check(unsafe ccurl_set_list(pointer, CURLOPT_HTTPHEADER, headers.head), CURLOPT_HTTPHEADER)
    }

    /// Sets the addresses of these names, which are then not resolved.
    mutating func set(pinnedNames names: [String]) throws(TransferError) {
        for name in names where !pinnedNames.append(name) {
            throw .connectionFailed("no memory for a transfer")
        }
        try Self.check(unsafe ccurl_set_list(pointer, CURLOPT_RESOLVE, pinnedNames.head), CURLOPT_RESOLVE)
    }

    /// Keeps the number of the session's cookies within its bound.
    func dropExcessCookies() { unsafe jar.dropExcess(by: pointer) }

    /// Resumes a paused transfer; its write callback may run during the call.
    func unpause() {
        unsafe curl_easy_pause(pointer, CURLPAUSE_CONT)
    }

    /// The announced length of the body in bytes, as sent; nil when there is none.
    var announcedByteCount: Int? {
        number(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T).flatMap { $0 < 0 ? nil : $0 }
    }

    /// Bytes of the body received from the network.
    var receivedByteCount: Int { number(CURLINFO_SIZE_DOWNLOAD_T) ?? 0 }

    private func number(_ info: CURLINFO) -> Int? {
        var value: curl_off_t = 0
        return unsafe ccurl_get_offset(pointer, info, &value) == CURLE_OK ? Int(value) : nil
    }

    private static func check(_ code: CURLcode, _ option: CURLoption) throws(TransferError) {
        guard code != CURLE_OK else { return }
        throw .badRequest("curl option \(option.rawValue): \(CurlLibrary.text(of: code))")
    }
}
