/// The state of one PID that carries media.
struct ElementaryStream {
    let pid: UInt16
    let streamID: UInt8
    private(set) var times = TimeSpan()
    /// The beginning of the first unit, and whether it was marked as a random access point.
    private(set) var opening: [UInt8] = []
    let opensWithRandomAccess: Bool
    /// The beginning of the first later unit with that mark, when the first had none.
    private(set) var entry: [UInt8] = []
    private var collecting = Collecting.opening
    private var unitCount = 0
    /// Bytes of all units, and of the last one.
    private var byteCount: UInt64 = 0
    private var lastUnitByteCount: UInt64 = 0

    private enum Collecting {
        case opening
        case entry
        case nothing
    }

    init(pid: UInt16, header: PESHeader, isRandomAccess: Bool) {
        self.pid = pid
        streamID = header.streamID
        opensWithRandomAccess = isRandomAccess
    }

    /// How long the stream plays, microseconds; nil when that cannot be told.
    ///
    /// A unit of audio has several frames, and the last one often fewer: its bytes tell how many. A unit of
    /// video is one picture, whatever its size.
    func durationMicroseconds(_ kind: Track.Kind) -> Int64? {
        guard kind == .audio, let span = times.spanMicroseconds, byteCount > lastUnitByteCount else {
            return times.durationMicroseconds
        }
        let share = Double(lastUnitByteCount) / Double(byteCount - lastUnitByteCount)
        return Int64(exactly: (Double(span) * (1 + share)).rounded())
    }

    mutating func beginUnit(_ header: PESHeader, payload: Span<UInt8>, isRandomAccess: Bool) {
        if let time = header.presentationTime { times.add(time) }
        unitCount += 1
        lastUnitByteCount = 0
        if unitCount == 1 {
            collecting = .opening
        } else {
            let isEntry = isRandomAccess && !opensWithRandomAccess && entry.isEmpty
            collecting = isEntry ? .entry : .nothing
        }
        continueUnit(payload.extracting(min(header.byteCount, payload.count)..<payload.count))
    }

    /// Whether nothing but the length of the unit's rest matters.
    var isOnlyCounted: Bool { collecting == .nothing }

    /// Counts bytes of the unit.
    mutating func count(_ added: Int) {
        byteCount += UInt64(added)
        lastUnitByteCount += UInt64(added)
    }

    mutating func continueUnit(_ payload: Span<UInt8>) {
        count(payload.count)
        switch collecting {
        case .opening: Self.append(payload, to: &opening, &collecting)
        case .entry: Self.append(payload, to: &entry, &collecting)
        case .nothing: break
        }
    }

    private static func append(
        _ payload: Span<UInt8>, to bytes: inout [UInt8], _ collecting: inout Collecting
    ) {
        let count = min(payload.count, Limits.accessUnitByteCount - bytes.count)
        for index in 0..<count { bytes.append(payload[index]) }
        if bytes.count >= Limits.accessUnitByteCount { collecting = .nothing }
    }
}

/// The earliest and latest timestamp of a stream; they may be out of order and may wrap.
struct TimeSpan {
    private var origin: UInt64 = 0
    private var lowest: Int64 = 0
    private var highest: Int64 = 0
    private(set) var count = 0
    private var latest: Int64 = 0
    /// The distances from one time to the next: their sum, and the longest.
    private var steps: UInt64 = 0
    private var longestStep: UInt64 = 0

    mutating func add(_ time: UInt64) {
        if count == 0 { origin = time }
        let offset = PresentationTime.difference(time, origin)
        let step = (offset - latest).magnitude
        if count > 0 { (steps, longestStep) = (steps &+ step, max(longestStep, step)) }
        latest = offset
        lowest = min(lowest, offset)
        highest = max(highest, offset)
        count += 1
    }

    var first: MediaTimestamp? { count > 0 ? timestamp(lowest) : nil }
    var last: MediaTimestamp? { count > 0 ? timestamp(highest) : nil }

    /// Whether the clock of the media was reset within the segment: one step is far longer than the others.
    private var jumps: Bool {
        guard count > 2, longestStep > UInt64(PresentationTime.timescale) else { return false }
        return longestStep > (steps - longestStep) / UInt64(count - 2) * Limits.jumpShare
    }

    /// From the earliest to the latest time; nil with fewer than two, and when the times jump.
    var spanMicroseconds: Int64? {
        guard count > 1, !jumps else { return nil }
        return MediaTimestamp.microseconds(UInt64(highest - lowest), PresentationTime.timescale)
    }

    /// The span plus one mean unit for the last; nil with fewer than two, and when the times jump.
    var durationMicroseconds: Int64? {
        guard count > 1, !jumps else { return nil }
        let span = UInt64(highest - lowest)
        return MediaTimestamp.microseconds(span + span / UInt64(count - 1), PresentationTime.timescale)
    }

    private func timestamp(_ offset: Int64) -> MediaTimestamp {
        MediaTimestamp(mpeg: origin &+ UInt64(bitPattern: offset))
    }
}
