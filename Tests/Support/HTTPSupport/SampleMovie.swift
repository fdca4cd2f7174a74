/// MP4 files as far as their boxes go (ISO 14496-12 §4.2).
package enum SampleMovie {
    /// A file of so many bytes, at least a few dozen, in which no two stretches are alike.
    package static func bytes(count: Int) -> [UInt8] {
        let opening = box("ftyp", Array("isom".utf8)) + box("moov", box("trak", []))
        let media = (0..<count - opening.count - 8).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
        return opening + box("mdat", media)
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let length = content.count + 8
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + Array(type.utf8) + content
    }
}
