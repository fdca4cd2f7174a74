/// The text form of an IPv6 address (RFC 4291 §2.2).
enum IPv6Literal {
    /// Whether the bytes between the brackets of a URL's host are an address.
    static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let gap = text.range(of: "::") else { return groups(text).map { $0 == 8 } ?? false }
        let before = text[..<gap.lowerBound]
        let after = text[gap.upperBound...]
        guard !after.hasPrefix(":"), !before.contains("."),
            let count = groups(before), let rest = groups(after)
        else { return false }
        return count + rest < 8
    }

    /// The number of 16-bit groups in a part; nil when one is malformed.
    ///
    /// A dotted IPv4 address at the end counts two.
    private static func groups(_ part: some StringProtocol) -> Int? {
        if part.isEmpty { return 0 }
        let words = part.split(separator: ":", omittingEmptySubsequences: false)
        var count = 0
        for (index, word) in words.enumerated() {
            if word.contains("."), index == words.count - 1, isDotted(word) {
                count += 2
            } else if (1...4).contains(word.utf8.count), word.utf8.allSatisfy({ $0.hexValue != nil }) {
                count += 1
            } else {
                return nil
            }
        }
        return count
    }

    private static func isDotted(_ word: some StringProtocol) -> Bool {
        let bytes = word.split(separator: ".", omittingEmptySubsequences: false)
        return bytes.count == 4 && bytes.allSatisfy { UInt8($0) != nil && !$0.hasPrefix("+") }
    }
}

extension String {
    /// The first occurrence of a short text.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(text) {
                return index..<self.index(index, offsetBy: text.count)
            }
            index = self.index(after: index)
        }
        return nil
    }
}
