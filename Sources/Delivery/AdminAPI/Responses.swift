import HTTP

extension HTTPResponse {
    /// An answer from memory.
    static func bytes(_ bytes: [UInt8], type: String, cacheControl: String = "no-store") -> HTTPResponse {
        HTTPResponse(
            status: .ok,
            headers: [
                "Content-Type": type, "Cache-Control": cacheControl, "X-Content-Type-Options": "nosniff",
            ],
            body: .bytes(bytes))
    }
}
