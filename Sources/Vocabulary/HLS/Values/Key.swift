import Encoding

/// A key for segments (EXT-X-KEY) or announced for a session (EXT-X-SESSION-KEY).
package struct Key: Sendable, Hashable {
    /// The method of encryption; those that the program distinguishes have names, others are kept verbatim.
    package struct Method: RawRepresentable, Sendable, Hashable {
        package var rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package static let aes128 = Method(rawValue: "AES-128")
        package static let sampleAES = Method(rawValue: "SAMPLE-AES")
        package static let sampleAESCTR = Method(rawValue: "SAMPLE-AES-CTR")
        /// Nothing is encrypted.
        ///
        /// A clear segment has an empty list of keys instead of this method.
        static let none = Method(rawValue: "NONE")

        /// Only samples are encrypted: the container can be read without a key (RFC 8216bis §4.4.4.4).
        package var leavesContainerClear: Bool { self == .sampleAES || self == .sampleAESCTR }
    }

    package var method: Method
    package var uri: String?
    /// The explicit IV as a 128-bit big-endian number.
    package var initializationVector: UInt128?
    package var keyFormat: String
    package var keyFormatVersions: String?
    package var otherAttributes: AttributeList

    package static let identityFormat = "identity"

    package init(
        method: Method, uri: String?, initializationVector: UInt128? = nil,
        keyFormat: String = Key.identityFormat, keyFormatVersions: String? = nil,
        otherAttributes: AttributeList = AttributeList(),
    ) {
        self.method = method
        self.uri = uri
        self.initializationVector = initializationVector
        self.keyFormat = keyFormat
        self.keyFormatVersions = keyFormatVersions
        self.otherAttributes = otherAttributes
    }

    /// The IV that decrypts a segment: the explicit one, else its media sequence number (RFC 8216bis §5.2).
    package func effectiveInitializationVector(mediaSequenceNumber: UInt64) -> UInt128 {
        initializationVector ?? UInt128(mediaSequenceNumber)
    }

    /// The 16 bytes of an IV, most significant first.
    package static func bytes(ofInitializationVector vector: UInt128) -> [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: vector >> UInt128(8 * (15 - $0))) }
    }
}

extension Key {
    /// Reads the attributes of a key; nil without METHOD.
    init?(_ attributes: AttributeList) {
        var rest = attributes
        guard let method = rest.take("METHOD", Method.init(rawValue:)) else { return nil }
        self.init(
            method: method, uri: rest.take("URI"),
            initializationVector: rest.take("IV", Self.initializationVector(hexadecimal:)),
            keyFormat: rest.take("KEYFORMAT") ?? Key.identityFormat,
            keyFormatVersions: rest.take("KEYFORMATVERSIONS"))
        otherAttributes = rest
    }

    /// The attributes to write.
    var attributes: AttributeList {
        var list = AttributeList()
        list.append("METHOD", method.rawValue)
        list.append("URI", quoted: uri)
        list.append("IV", initializationVector.map(Self.hexadecimal))
        list.append("KEYFORMAT", quoted: keyFormat == Key.identityFormat ? nil : keyFormat)
        list.append("KEYFORMATVERSIONS", quoted: keyFormatVersions)
        list.append(otherAttributes)
        return list
    }

    /// `0x` and at most 32 digits as a number.
    private static func initializationVector(hexadecimal text: String) -> UInt128? {
        guard text.hasPrefix("0x") || text.hasPrefix("0X") else { return nil }
        let digits = text.utf8.dropFirst(2)
        guard (1...32).contains(digits.count) else { return nil }
        var value: UInt128 = 0
        for byte in digits {
            guard let digit = Hexadecimal.value(of: byte) else { return nil }
            value = value << 4 | UInt128(digit)
        }
        return value
    }

    private static func hexadecimal(_ vector: UInt128) -> String {
        let digits = String(vector, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 32 - digits.count) + digits
    }
}

extension [Key] {
    /// The keys in force after another EXT-X-KEY, which takes the place of the one of its KEYFORMAT (RFC
    /// 8216bis §4.4.4.4).
    func replacing(with key: Key) -> [Key] {
        guard let place = firstIndex(where: { $0.keyFormat == key.keyFormat }) else { return self + [key] }
        var keys = self
        keys[place] = key
        return keys
    }
}
