import Foundation
import HTTP

/// The bytes of a `data:` URI (RFC 2397).
enum DataURI {
    /// Nil when the text is not one.
    static func bytes(of uri: String) -> [UInt8]? {
        guard uri.lowercased().hasPrefix("data:"), let comma = uri.firstIndex(of: ","),
            let content = PercentEncoding.bytes(decoding: uri[uri.index(after: comma)...])
        else { return nil }
        guard uri[..<comma].lowercased().hasSuffix(";base64") else { return content }
        return Data(base64Encoded: Data(content)).map(Array.init)
    }
}
