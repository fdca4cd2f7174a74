import CCurl

/// The owner of a `CURLM`: the running transfers, their connections and their resolved names.
///
/// `@unchecked Sendable`: everything except `wakeUp` belongs to the loop's thread; `curl_multi_wakeup` may be
/// called from any thread while the handle exists.
@safe struct MultiHandle: ~Copyable, @unchecked Sendable {
    private let pointer: UnsafeMutableRawPointer

    private init(owning pointer: UnsafeMutableRawPointer) {
        unsafe self.pointer = pointer
    }

    static func open() throws(HTTPClientError) -> MultiHandle {
        guard let pointer = unsafe curl_multi_init() else { throw .unavailable("curl_multi") }
        let handle = unsafe MultiHandle(owning: pointer)
        unsafe ccurl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, Limits.cachedConnections)
        return handle
    }

    func add(_ easy: borrowing EasyHandle) -> Bool {
        unsafe curl_multi_add_handle(pointer, easy.pointer) == CURLM_OK
    }

    /// Removes a transfer; one that is not finished loses its connection.
    func remove(_ easy: borrowing EasyHandle) {
        unsafe curl_multi_remove_handle(pointer, easy.pointer)
    }

    /// Reads and writes whatever is ready.
    ///
    /// The transfers' callbacks run during the call.
    func perform() -> CURLMcode {
        var running: Int32 = 0
        return unsafe curl_multi_perform(pointer, &running)
    }

    /// The next finished transfer.
    func nextFinished() -> (id: TransferID, code: CURLcode)? {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(pointer, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle,
                let id = unsafe EasyHandle.id(of: easy)
            else { continue }
            return (id, unsafe message.pointee.data.result)
        }
        return nil
    }

    /// Sleeps until a socket is ready, one of curl's timers is due, or `wakeUp` is called.
    func poll(milliseconds: Int) -> CURLMcode {
        unsafe curl_multi_poll(pointer, nil, 0, Int32(clamping: milliseconds), nil)
    }

    /// Ends `poll`, or the next call of it when none is running.
    ///
    /// Any thread.
    func wakeUp() {
        unsafe curl_multi_wakeup(pointer)
    }

    deinit {
        unsafe curl_multi_cleanup(pointer)
    }
}
