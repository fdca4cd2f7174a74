/// Finds a tag by the bytes of its name, without a string for each.
enum TagNames {
    private static let byHash: [UInt64: PlaylistTag] = Dictionary(
        PlaylistTag.allCases.map { (hash($0.rawValue.utf8), $0) }, uniquingKeysWith: { first, _ in first })

    /// The known tag with this name, or nil; names are case-sensitive (RFC 8216bis §4.1).
    static func tag(named name: ArraySlice<UInt8>) -> PlaylistTag? {
        guard let tag = byHash[hash(name)], tag.rawValue.utf8.elementsEqual(name) else { return nil }
        return tag
    }

    /// FNV-1a over the bytes of a name.
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return value
    }
}
