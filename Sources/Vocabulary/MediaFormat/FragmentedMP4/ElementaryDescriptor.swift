import Encoding

/// The descriptors in an esds box (ISO 14496-1 §7.2.6), which identify the codec of an mp4a entry.
enum ElementaryDescriptor {
    /// `mp4a.` with the object type, and for MPEG-4 audio its own type (RFC 6381 §3.3).
    static func codecString(_ boxes: ByteCursor) -> String? {
        guard var box = esds(boxes), box.fullHeader() != nil,
            var stream = content(tag: 0x03, &box.content), skipStreamFields(&stream),
            var decoder = content(tag: 0x04, &stream), let type = decoder.byte()
        else { return nil }
        guard type == 0x40 else { return "mp4a.\(Hexadecimal.encode([type]))" }
        guard decoder.skip(12), let specific = content(tag: 0x05, &decoder),
            let audio = audioType(specific.rest)
        else { return nil }
        return "mp4a.40.\(audio)"
    }

    /// QuickTime puts the box one level deeper.
    private static func esds(_ boxes: ByteCursor) -> Box? {
        if let box = BoxSequence.first("esds", in: boxes) { return box }
        guard let wave = BoxSequence.first("wave", in: boxes)?.content else { return nil }
        return BoxSequence.first("esds", in: wave)
    }

    /// The next descriptor's content if it has this tag; its length takes at most four bytes of seven bits.
    private static func content(tag: UInt8, _ cursor: inout ByteCursor) -> ByteCursor? {
        guard cursor.byte() == tag else { return nil }
        var length = 0
        for _ in 0..<4 {
            guard let byte = cursor.byte() else { return nil }
            length = length << 7 | Int(byte & 0x7F)
            if byte & 0x80 == 0 { break }
        }
        return cursor.take(length)
    }

    /// Skips the stream's ID, its flags and the fields that the flags announce.
    private static func skipStreamFields(_ stream: inout ByteCursor) -> Bool {
        guard stream.skip(2), let flags = stream.byte() else { return false }
        if flags & 0x80 != 0 && !stream.skip(2) { return false }
        if flags & 0x40 != 0 {
            guard let length = stream.byte(), stream.skip(Int(length)) else { return false }
        }
        return flags & 0x20 == 0 || stream.skip(2)
    }

    /// Five bits, or 31 and six more (ISO 14496-3 §1.6.2.1).
    private static func audioType(_ bytes: ArraySlice<UInt8>) -> Int? {
        var cursor = ByteCursor(bytes)
        guard let first = cursor.byte() else { return nil }
        guard first >> 3 == 31 else { return Int(first >> 3) }
        guard let second = cursor.byte() else { return nil }
        return 32 + (Int(first & 7) << 3 | Int(second >> 5))
    }
}
