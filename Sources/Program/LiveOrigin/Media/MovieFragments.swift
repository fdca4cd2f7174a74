/// The fields of a fragmented MP4 segment that a repetition has to change.
enum MovieFragments {
    /// Ticks per second of each track, from an initialization section.
    static func timescales(of initialization: [UInt8]) -> [UInt32: UInt32] {
        var timescales: [UInt32: UInt32] = [:]
        for track in MovieBox.all(["moov", "trak"], of: initialization) {
            let header = MovieBox.all(["tkhd"], of: initialization, in: track.content).first
            let media = MovieBox.all(["mdia", "mdhd"], of: initialization, in: track.content).first
            guard let header, let media else { continue }
            let id = field(initialization, header, short: 12, long: 20)
            timescales[UInt32(truncatingIfNeeded: id)] =
                UInt32(truncatingIfNeeded: field(initialization, media, short: 12, long: 20))
        }
        return timescales
    }

    /// Moves decode times by `ticks` of 90 kHz and fragment numbers by `fragments`.
    static func shift(
        _ bytes: inout [UInt8], ticks: UInt64, timescales: [UInt32: UInt32], fragments: UInt32,
    ) {
        for header in MovieBox.all(["moof", "mfhd"], of: bytes) {
            MovieBox.add(UInt64(fragments), to: &bytes, at: header.content.lowerBound + 4, length: 4)
        }
        for time in decodeTimes(of: bytes) {
            guard let timescale = timescales[time.track] else { continue }
            MovieBox.add(scaled(ticks, timescale), to: &bytes, at: time.offset, length: time.length)
        }
        for index in MovieBox.all(["sidx"], of: bytes) {
            let start = index.content.lowerBound
            let timescale = UInt32(truncatingIfNeeded: MovieBox.number(bytes, at: start + 8, length: 4))
            let length = MovieBox.number(bytes, at: start, length: 1) == 0 ? 4 : 8
            MovieBox.add(scaled(ticks, timescale), to: &bytes, at: start + 12, length: length)
        }
    }

    /// The first track's decode time in 90 kHz; nil when there is none.
    static func firstTimestamp(of bytes: [UInt8], timescales: [UInt32: UInt32]) -> UInt64? {
        guard let time = decodeTimes(of: bytes).first, let timescale = timescales[time.track], timescale > 0
        else { return nil }
        let value = MovieBox.number(bytes, at: time.offset, length: time.length)
        return value.multipliedReportingOverflow(by: 90_000).partialValue / UInt64(timescale)
    }

    /// The number of fragments in a segment, by which the fragment numbers advance.
    static func fragmentCount(of bytes: [UInt8]) -> Int {
        MovieBox.all(["moof"], of: bytes).count
    }

    /// The positions of the decode time of each track fragment (`tfdt`, ISO/IEC 14496-12 §8.8.12).
    private static func decodeTimes(of bytes: [UInt8]) -> [(track: UInt32, offset: Int, length: Int)] {
        MovieBox.all(["moof", "traf"], of: bytes).compactMap { fragment in
            guard let header = MovieBox.all(["tfhd"], of: bytes, in: fragment.content).first,
                let time = MovieBox.all(["tfdt"], of: bytes, in: fragment.content).first
            else { return nil }
            let track = MovieBox.number(bytes, at: header.content.lowerBound + 4, length: 4)
            let isLong = MovieBox.number(bytes, at: time.content.lowerBound, length: 1) == 1
            return (UInt32(truncatingIfNeeded: track), time.content.lowerBound + 4, isLong ? 8 : 4)
        }
    }

    /// A 32-bit field whose position depends on the box's version.
    private static func field(_ bytes: [UInt8], _ box: MovieBox, short: Int, long: Int) -> UInt64 {
        let isLong = MovieBox.number(bytes, at: box.content.lowerBound, length: 1) == 1
        return MovieBox.number(bytes, at: box.content.lowerBound + (isLong ? long : short), length: 4)
    }

    private static func scaled(_ ticks: UInt64, _ timescale: UInt32) -> UInt64 {
        let (whole, rest) = ticks.quotientAndRemainder(dividingBy: 90_000)
        return whole &* UInt64(timescale) &+ rest &* UInt64(timescale) / 90_000
    }
}
