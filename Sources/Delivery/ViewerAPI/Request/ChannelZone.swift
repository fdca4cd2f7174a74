import Foundation
import Timeline

/// The civil time of an IANA zone.
struct ChannelZone {
    private let zone: TimeZone?

    /// An unknown name counts as UTC.
    init(named name: String) {
        zone = name == "UTC" ? nil : TimeZone(identifier: name)
    }

    /// The instant that clocks in the zone show this time at.
    ///
    /// In the hour that clocks show twice it is the first; in the one that they leave out, they count as not yet set.
    func instant(_ time: CivilTime) -> Instant? {
        guard let asUTC = time.instant, let zone else { return time.instant }
        let day: Int64 = 86_400 * Microseconds.perSecond
        let before = offset(zone, at: asUTC - day)
        let candidates = [before, offset(zone, at: asUTC + day)].map { (asUTC - $0, $0) }
        let real = candidates.filter { offset(zone, at: $0.0) == $0.1 }.map(\.0)
        return real.min() ?? asUTC - before
    }

    /// Microseconds east of Greenwich.
    private func offset(_ zone: TimeZone, at instant: Instant) -> Int64 {
        let date = Date(timeIntervalSince1970: Microseconds.seconds(instant.microseconds))
        return Int64(zone.secondsFromGMT(for: date)) * Microseconds.perSecond
    }
}
