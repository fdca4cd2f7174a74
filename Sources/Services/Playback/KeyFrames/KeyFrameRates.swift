import Catalogue
import Synchronization
import Timeline

/// The highest bit rates of the key frames of quarters, so that a multivariant playlist states them without
/// reading any.
final class KeyFrameRates: Sendable {
    /// A content of a quarter.
    struct CacheKey: Hashable {
        var quarter: Quarter
        var version: QuarterVersion?
        /// Whether it is the content with the better bytes of repaired segments.
        var isRepaired: Bool
    }

    private let rates = Mutex<[CacheKey: Int64]>([:])

    /// The highest rate of some quarters, bits per second; nil if one is not known.
    func highest(of places: [CacheKey]) -> Int64? {
        rates.withLock { rates in
            var highest: Int64 = 0
            for place in places {
                guard let rate = rates[place] else { return nil }
                highest = max(highest, rate)
            }
            return highest
        }
    }

    func unknown(_ blocks: [Block]) -> [Block] {
        rates.withLock { rates in blocks.filter { rates[$0.place] == nil } }
    }

    func keep(_ rate: Int64, for place: CacheKey) {
        rates.withLock { rates in
            if rates.count >= Limits.keyFrameRates { rates = [:] }
            rates[place] = rate
        }
    }
}

extension Block {
    var place: KeyFrameRates.CacheKey {
        .init(quarter: quarter, version: version, isRepaired: isRepaired)
    }

    /// The highest bit rate of a key frame, bits per second.
    ///
    /// A frame lasts until the next one or the end of its segment; it is never shorter in a window.
    func keyFrameRate(_ found: QuarterKeyFrames) -> Int64 {
        var matching = KeyFrameMatching(found)
        var highest: Int64 = 0
        for row in segments.indices where segments[row].flags.contains(.hasKeyFrames) {
            let entry = matching.entry(of: segments[row].start, segments[row].revision)
            let (frames, duration) = (found.frames[entry?.frames ?? 0..<0], segments[row].duration)
            for (index, frame) in zip(frames.indices, frames) {
                let end = index + 1 < frames.endIndex ? frames[index + 1].time : duration
                let lasting = max(Microseconds.perMillisecond, min(end, duration) - frame.time)
                let rate = (Double(frame.byteCount) * 8_000_000 / Double(lasting)).rounded(.up)
                highest = max(highest, Int64(min(rate, Double(Limits.bitRate))))
            }
        }
        return highest
    }
}
