import CCurl

/// The owner of a `curl_slist`.
@safe struct HeaderList: ~Copyable {
    private(set) var head: UnsafeMutablePointer<curl_slist>?

    init() {
        unsafe head = nil
    }

    /// Appends a copy of the line; false when there is no memory.
    mutating func append(_ line: String) -> Bool {
        guard let longer = unsafe curl_slist_append(head, line) else { return false }
        unsafe head = longer
        return true
    }

    deinit {
        unsafe curl_slist_free_all(head)
    }
}
