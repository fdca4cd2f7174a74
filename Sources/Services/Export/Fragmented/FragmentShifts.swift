import MediaFormat

/// How far the times of each track are moved in each continuous run of a file.
///
/// The earliest track begins at 0, the others keep their distance, and a run begins where the one before has
/// ended.
struct FragmentShifts {
    /// By track ID, in the track's timescale.
    private(set) var current: [UInt32: Int64] = [:]
    /// Where each track ends in the file.
    private var ends: [UInt32: Int64] = [:]

    typealias Times = FragmentRewriter.TrackTimes

    /// Begins a run whose first segment has these times.
    ///
    /// `timescales` are those of all tracks of the file, by track ID: a track that is not in the first
    /// segment is moved with the others.
    mutating func begin(_ tracks: [Times], timescales: [UInt32: UInt32]) {
        guard let earliest = tracks.min(by: Self.isEarlier) else { return }
        let own = Dictionary(tracks.map { ($0.id, $0.timescale) }, uniquingKeysWith: { first, _ in first })
        let timescales = timescales.filter { $0.value > 0 }.merging(own) { _, own in own }
        var shifts = timescales.mapValues { -Self.scaled(earliest.first, $0, earliest.timescale) }
        var place: Int64 = 0
        for track in tracks {
            guard let end = ends[track.id], let shift = shifts[track.id] else { continue }
            let overlap = end - (Self.bounded(track.first) + shift)
            place = max(place, Self.microseconds(overlap, track.timescale))
        }
        for (id, timescale) in timescales { shifts[id, default: 0] += Self.ticks(place, timescale) }
        current = shifts
    }

    /// Ends the run, whose last segment has these times.
    mutating func end(_ tracks: [Times]) {
        for track in tracks {
            guard let shift = current[track.id] else { continue }
            ends[track.id] = max(ends[track.id] ?? 0, Self.bounded(track.end) + shift)
        }
    }

    /// The largest value in any timescale: sums of three of them fit in 64 bits.
    static let largest = Int64.max / 4

    private static func bounded(_ ticks: UInt64) -> Int64 { min(Int64(clamping: ticks), largest) }

    private static func isEarlier(_ one: Times, _ other: Times) -> Bool {
        one.first.multipliedFullWidth(by: UInt64(other.timescale))
            < other.first.multipliedFullWidth(by: UInt64(one.timescale))
    }

    /// Ticks in another timescale, rounded down.
    private static func scaled(_ ticks: UInt64, _ timescale: UInt32, _ from: UInt32) -> Int64 {
        let product = ticks.multipliedFullWidth(by: UInt64(timescale))
        guard product.high < UInt64(from) else { return largest }
        return bounded(UInt64(from).dividingFullWidth(product).quotient)
    }

    /// Rounded up.
    private static func microseconds(_ ticks: Int64, _ timescale: UInt32) -> Int64 {
        guard ticks > 0 else { return 0 }
        return scaled(UInt64(ticks), 1_000_000, timescale) + 1
    }

    /// Rounded up.
    private static func ticks(_ microseconds: Int64, _ timescale: UInt32) -> Int64 {
        guard microseconds > 0 else { return 0 }
        return scaled(UInt64(microseconds), timescale, 1_000_000) + 1
    }
}
