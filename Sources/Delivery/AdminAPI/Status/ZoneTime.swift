import Foundation
import Timeline

/// The meaning of a time of day in a channel's zone.
struct ZoneTime {
    private let zone: TimeZone

    /// Nil when the platform does not know the zone.
    init?(_ name: String) {
        guard let zone = TimeZone(identifier: name) else { return nil }
        self.zone = zone
    }

    /// The instant of a civil time; nil when there is no such date.
    ///
    /// A time that the clocks show twice means the first, one that they skip is meant as if they had not been put
    /// forward yet.
    func instant(of time: CivilTime) -> Instant? {
        guard let naive = time.instant else { return nil }
        let offsets = [-Self.day, Self.day].map { offset(at: naive + $0) }
        let candidates = offsets.map { naive - $0 }
        return candidates.filter { $0 + offset(at: $0) == naive }.min() ?? candidates.first
    }

    private static let day = 86_400 * Microseconds.perSecond

    /// Microseconds east of Greenwich.
    private func offset(at instant: Instant) -> Int64 {
        let date = Date(timeIntervalSince1970: Microseconds.seconds(instant.microseconds))
        return Int64(zone.secondsFromGMT(for: date)) * Microseconds.perSecond
    }
}
