import Digest

/// AES-128-CBC over whole segments with PKCS#7 padding (RFC 8216 §4.3.2.4).
struct SegmentCipher: Sendable, Equatable {
    var key: [UInt8]
    var keyIndex: Int
    var initializationVector: [UInt8]
    /// Whether the playlist states the IV.
    var isExplicit: Bool

    /// The media sequence number as 128 bits, or an IV of its own.
    init(key: [UInt8], keyIndex: Int, number: Int, isExplicit: Bool) {
        self.key = key
        self.keyIndex = keyIndex
        self.isExplicit = isExplicit
        let counter = UInt64(max(0, number))
        let high: UInt64 = isExplicit ? 0x6C69_7665_6F72_6967 : 0
        initializationVector = [high, counter].flatMap { half in
            (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * UInt64($0))) }
        }
    }

    /// Sixteen random bytes.
    static func freshKey() -> [UInt8] {
        (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// The segment as it is served.
    func encrypted(_ clear: [UInt8]) throws -> [UInt8] {
        var cipher = try AES128CBC(.encrypt, key: key, iv: initializationVector)
        let head = try cipher.update(clear)
        return head + (try cipher.finish())
    }

    /// The attributes of the KEY tag, the URI relative to the media playlist.
    var attributes: String {
        let vector = initializationVector.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "METHOD=AES-128,URI=\"key/\(keyIndex)\"" + (isExplicit ? ",IV=0x\(vector)" : "")
    }
}
