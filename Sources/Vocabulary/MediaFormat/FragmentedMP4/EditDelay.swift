/// The empty edit with which an edit list begins: what its track is delayed by (ISO 14496-12 §8.6.6).
struct EditDelay {
    private static let headerByteCount = 8
    /// Version, flags and the number of entries.
    private static let openingByteCount = 8

    /// Where the box of the list begins.
    private let place: Int
    /// Of a duration or a time: 4 or 8 bytes.
    private let width: Int
    private let entryCount: Int
    /// In the timescale of the movie.
    let duration: UInt64

    private var entryByteCount: Int { 2 * width + 4 }
    private var firstEntry: Int { place + Self.headerByteCount + Self.openingByteCount }
    private var end: Int { firstEntry + entryCount * entryByteCount }

    /// Nil when the list of a trak in a section does not begin with an empty edit, or has other entries than
    /// it says.
    init?(track: ByteCursor, in section: [UInt8]) {
        guard let edits = BoxSequence.first("edts", in: track),
            var list = BoxSequence.first("elst", in: edits.content)
        else { return nil }
        place = list.content.position - Self.headerByteCount
        guard let version = list.fullHeader()?.version, let count = list.content.uint32() else { return nil }
        width = version == 1 ? 8 : 4
        entryCount = Int(count)
        guard count > 0, list.content.remaining == entryCount * (2 * width + 4),
            let duration = list.content.value(byteCount: width),
            let time = list.content.value(byteCount: width),
            time == UInt64.max >> UInt64(64 - 8 * width)
        else { return nil }
        self.duration = duration
        // A box with a 64-bit size has a longer header.
        guard section[place...].starts(with: Self.number(end - place, 4)) else { return nil }
    }

    /// Shortens the delay; an entry without a delay is removed, and its bytes become a `free` box.
    func reduce(by taken: UInt64, in bytes: inout [UInt8]) {
        guard taken == duration else {
            let left = Self.number(Int(clamping: duration - taken), width)
            return bytes.replaceSubrange(firstEntry..<firstEntry + width, with: left)
        }
        let others = Array(bytes[firstEntry + entryByteCount..<end])
        let zeros = [UInt8](repeating: 0, count: entryByteCount - Self.headerByteCount)
        let free = Self.number(entryByteCount, 4) + Array("free".utf8) + zeros
        bytes.replaceSubrange(place..<place + 4, with: Self.number(end - place - entryByteCount, 4))
        bytes.replaceSubrange(firstEntry - 4..<firstEntry, with: Self.number(entryCount - 1, 4))
        bytes.replaceSubrange(firstEntry..<end, with: others + free)
    }

    private static func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - $0))) }
    }
}

extension InitSection {
    /// The delay that all tracks of an fMP4 section have, in a timescale.
    package struct Delay: Sendable, Equatable {
        package var duration: UInt64
        package var timescale: UInt32
    }

    /// Removes the delay that all tracks of an fMP4 section have in common; the length stays the same.
    ///
    /// Returns the section and the delay, which is nil if there is none. So a file that is made of segments
    /// begins at once, however late the encoder's clock was.
    package static func withoutDelay(_ bytes: [UInt8]) -> (bytes: [UInt8], delay: Delay?) {
        guard let movie = BoxSequence.first("moov", in: ByteCursor(bytes)),
            let timescale = BoxSequence.first("mvhd", in: movie.content).flatMap(MovieTrackReader.timescale)
        else { return (bytes, nil) }
        let tracks = BoxSequence(movie.content).filter { $0.type == "trak" }
        let delays = tracks.compactMap { EditDelay(track: $0.content, in: bytes) }
        guard delays.count == tracks.count, let common = delays.map(\.duration).min(), common > 0 else {
            return (bytes, nil)
        }
        var moved = bytes
        for delay in delays { delay.reduce(by: common, in: &moved) }
        return (moved, Delay(duration: common, timescale: timescale))
    }
}
