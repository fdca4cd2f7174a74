/// Checks whether a media file is complete, as far as its container states where it ends.
///
/// It reads a few bytes for each box or packet that it looks at, whatever the length of the file.
package struct MediaFileInspector<Failure: Error> {
    /// Gives the bytes at an offset, so many or up to the end of the file.
    package typealias Reading = (_ offset: UInt64, _ byteCount: Int) throws(Failure) -> [UInt8]

    private let byteCount: UInt64
    private let read: Reading

    /// `byteCount` is the length of the file.
    package init(byteCount: UInt64, read: @escaping Reading) {
        self.byteCount = byteCount
        self.read = read
    }

    /// The first fault; nil for a file in which none was found.
    package func damage(of kind: MediaFileKind) throws(Failure) -> Damage? {
        switch kind {
        case .boxes: try movieDamage()
        case .transportStream: try packetDamage()
        case .matroska: try segmentDamage()
        case .other: nil
        }
    }

    /// A file has whole packets; some of them are looked at, since a hole that was filled has none.
    private func packetDamage() throws(Failure) -> Damage? {
        let size = UInt64(TransportPacket.byteCount)
        let (count, rest) = byteCount.quotientAndRemainder(dividingBy: size)
        if rest > 0 { return .partialPacket(byteCount: Int(rest)) }
        for sample in 1...UInt64(Limits.filePackets) {
            let packet = (count - 1) * sample / UInt64(Limits.filePackets)
            guard try read(packet * size, 1).first == TransportPacket.syncByte else {
                return .lostSynchronisation(offset: Int(clamping: packet * size))
            }
        }
        return nil
    }

    /// The element that holds the media says how long it is (RFC 8794 §6), unless it is a recording that was
    /// written as it came.
    private func segmentDamage() throws(Failure) -> Damage? {
        var offset: UInt64 = 4
        guard let header = try elementSize(at: &offset) else { return nil }
        let (start, overflows) = offset.addingReportingOverflow(header)
        guard !overflows, start < byteCount else { return .truncatedBox(type: "EBML") }
        guard try read(start, 4) == [0x18, 0x53, 0x80, 0x67] else { return nil }
        offset = start + 4
        guard let length = try elementSize(at: &offset), length > byteCount - min(offset, byteCount) else {
            return nil
        }
        return .truncatedBox(type: "Segment")
    }

    /// The number of one to eight bytes at an offset, which moves behind it; nil for one that is unknown.
    private func elementSize(at offset: inout UInt64) throws(Failure) -> UInt64? {
        let bytes = try read(offset, 8)
        guard let first = bytes.first, first > 0 else { return nil }
        let length = first.leadingZeroBitCount + 1
        guard bytes.count >= length else { return nil }
        let mask = (UInt64(1) << UInt64(7 * length)) - 1
        let value = bytes.prefix(length).reduce(0) { $0 << 8 | UInt64($1) } & mask
        offset += UInt64(length)
        return value == mask ? nil : value
    }
}

/// The boxes of ISO 14496-12 §4.2: each has its size, and they fill the file.
extension MediaFileInspector {
    private struct Found {
        var types: Set<String> = []
        var first: String?
        /// The content of the box with the description of the tracks.
        var movie: Range<UInt64>?
    }

    private func movieDamage() throws(Failure) -> Damage? {
        var found = Found()
        if let damage = try walk(0..<byteCount, &found) { return damage }
        // A segment of a presentation has its description elsewhere.
        let isFragment = found.types.contains("moof") && found.first != "ftyp"
        guard let movie = found.movie else { return isFragment ? nil : .missingBox(type: "moov") }
        guard found.types.contains("mdat") else { return .missingMedia }
        var tracks = Found()
        if let damage = try walk(movie, &tracks) { return damage }
        // QuickTime may compress the description.
        return tracks.types.isDisjoint(with: ["trak", "cmov"]) ? .missingBox(type: "trak") : nil
    }

    private func walk(_ range: Range<UInt64>, _ found: inout Found) throws(Failure) -> Damage? {
        var (offset, count) = (range.lowerBound, 0)
        while offset < range.upperBound {
            let rest = range.upperBound - offset
            let bytes = try read(offset, Int(min(rest, 16)))
            // Some programs end with a few zeros.
            if rest < 8, bytes.allSatisfy({ $0 == 0 }) { break }
            guard rest >= 8 else { return .truncatedBox(type: BoxHeader.text(bytes.dropFirst(4)[...])) }
            guard count < Limits.fileBoxes, let header = BoxHeader(reading: bytes[...]) else {
                return .invalidBox(offset: Int(clamping: offset))
            }
            count += 1
            let start = offset + min(UInt64(header.byteCount), rest)
            let content = header.contentByteCount ?? (range.upperBound - start)
            guard content <= range.upperBound - start else { return .truncatedBox(type: header.type) }
            if found.first == nil { found.first = header.type }
            if header.type == "moov", found.movie == nil { found.movie = start..<(start + content) }
            found.types.insert(header.type)
            offset = start + content
        }
        return nil
    }
}
