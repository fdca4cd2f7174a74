/// A content coding (RFC 9110 §8.4.1) that this program can apply.
package enum ContentCoding: String, Sendable {
    case identity
    case gzip

    /// The coding of the answer (RFC 9110 §12.5.3): gzip where it is allowed and not ranked below identity;
    /// nil when the client refuses both.
    ///
    /// Without Accept-Encoding only identity is allowed: players that send none often cannot decode.
    package static func chosen(for values: [String]) -> ContentCoding? {
        if values.isEmpty { return .identity }
        if values.count == 1, let plain = plainlyChosen(for: values[0]) { return plain }
        let weights = weights(in: values)
        let gzip = weight(of: .gzip, in: weights)
        let identity = weight(of: .identity, in: weights)
        // Identity that is allowed only because it is not named ranks below a coding that is named.
        let named = weights.contains { $0.name == identityName || $0.name == "*" }
        if gzip > 0 && (!named || gzip >= identity) { return .gzip }
        return identity > 0 ? .identity : nil
    }

    /// The coding for a list of names without weights, as clients usually send it; nil for any other.
    private static func plainlyChosen(for value: String) -> ContentCoding? {
        let gzip = "gzip".utf8
        var (isFound, matched, isWhole, count) = (false, 0, true, 0)
        func endName() {
            if isWhole, matched == gzip.count { isFound = true }
            (matched, isWhole, count) = (0, true, count + 1)
        }
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: ","): endName()
            case UInt8(ascii: " ") where matched == 0 && isWhole: continue
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                let isNext =
                    matched < gzip.count && byte == gzip[gzip.index(gzip.startIndex, offsetBy: matched)]
                if isWhole, isNext { matched += 1 } else { isWhole = false }
            default: return nil
            }
        }
        endName()
        guard count <= Limits.contentCodingCount else { return nil }
        return isFound ? .gzip : nil
    }

    private static let identityName = ContentCoding.identity.rawValue

    /// Thousandths; 0 means refused.
    private static func weight(of coding: ContentCoding, in weights: [(name: String, weight: Int)]) -> Int {
        let names = coding == .gzip ? ["gzip", "x-gzip"] : [coding.rawValue]
        if let own = weights.first(where: { names.contains($0.name) }) { return own.weight }
        if let any = weights.first(where: { $0.name == "*" }) { return any.weight }
        return coding == .identity ? 1000 : 0
    }

    /// The named codings in lower case with their weights; malformed elements are left out.
    private static func weights(in values: [String]) -> [(name: String, weight: Int)] {
        FieldList.elements(of: values).prefix(Limits.contentCodingCount).compactMap { element in
            let parts = FieldList.split(element, at: UInt8(ascii: ";"))
            guard let name = parts.first, FieldList.isToken(name), parts.count <= 2 else { return nil }
            guard parts.count == 2 else { return (lowercasedASCII(name), 1000) }
            return weight(parts[1]).map { (lowercasedASCII(name), $0) }
        }
    }

    /// `q=` and a number from 0 to 1 with at most three decimals (RFC 9110 §12.4.2), in thousandths.
    private static func weight(_ part: Substring) -> Int? {
        let bytes = Array(part.utf8)
        guard bytes.count >= 3, bytes.count <= 7, bytes[0].lowercased == UInt8(ascii: "q"),
            bytes[1] == UInt8(ascii: "="),
            bytes[2] == UInt8(ascii: "0") || bytes[2] == UInt8(ascii: "1"),
            bytes.count == 3 || bytes[3] == UInt8(ascii: ".")
        else { return nil }
        let decimals = bytes.dropFirst(4)
        guard let fraction = decimals.isEmpty ? 0 : saturatingDecimal(decimals) else { return nil }
        let scale = [1000, 100, 10, 1][decimals.count]
        let thousandths = Int(bytes[2] - 0x30) * 1000 + Int(fraction) * scale
        return thousandths <= 1000 ? thousandths : nil
    }
}
