import Encoding

extension String: PostgresDecodable {
    package static func decode(_ bytes: Span<UInt8>, of type: PostgresType) -> String? {
        switch type {
        case .text, .varchar, .bpchar, .name, .json, .unknown: decode(text: bytes)
        case .jsonb: bytes.count > 0 && bytes[0] == 1 ? decode(text: bytes.extracting(1..<bytes.count)) : nil
        case .uuid: bytes.count == 16 ? decode(uuid: bytes) : nil
        default: type.isUserDefined ? decode(text: bytes) : nil
        }
    }

    private static func decode(text bytes: Span<UInt8>) -> String? {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        return String(copying: text)
    }

    /// The 8-4-4-4-12 form of RFC 9562, section 4.
    private static func decode(uuid bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        for index in bytes.indices {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text += Hexadecimal.digits(of: bytes[index])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
