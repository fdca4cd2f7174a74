import Foundation
import Synchronization
package import Timeline

/// A zone of the IANA list, which converts a time of day to an instant.
package struct NamedZone: Sendable {
    private let zone: TimeZone

    /// Nil when the list does not have the name, or the platform does not know it.
    ///
    /// Foundation also accepts abbreviations and offsets such as `GMT+1`, which are not names of the list.
    package init?(_ name: String) {
        guard Self.hasForm(name), let zone = TimeZone(identifier: name) else { return nil }
        self.zone = zone
    }

    /// Reads times in the zone with a name; an unknown one counts as UTC.
    package static func reading(_ name: String) -> InstantReading.Zone {
        guard name != "UTC", let zone = known(name) else { return { time, _ in time.instant } }
        return { zone.instant(of: $0, after: $1) }
    }

    /// Microseconds that a zone is east of Greenwich at an instant; nil for an unknown one.
    package static func offset(of name: String, at instant: Instant) -> Int64? {
        name == "UTC" ? 0 : known(name)?.offset(at: instant)
    }

    /// Zones that were used: making one takes longer than all else that a request does.
    ///
    /// At most as many as the list has names.
    static let used = Mutex<[String: NamedZone]>([:])

    private static func known(_ name: String) -> NamedZone? {
        if let zone = used.withLock({ $0[name] }) { return zone }
        guard let zone = NamedZone(name) else { return nil }
        used.withLock { $0[name] = zone }
        return zone
    }

    /// The names that the platform knows, in order.
    package static var names: [String] {
        let single = singleNames.filter { TimeZone(identifier: $0) != nil }
        return Set(TimeZone.knownTimeZoneIdentifiers.filter(hasForm)).union(single).sorted()
    }

    /// The instant of a civil time; nil when the date does not exist.
    ///
    /// A time that occurs twice means the first one that is after `begin`, and the first one of all if none
    /// is. A time that is skipped is read as if the clocks had not been put forward yet.
    package func instant(of time: CivilTime, after begin: Instant? = nil) -> Instant? {
        guard let naive = time.instant else { return nil }
        let offsets = [-Self.day, Self.day].map { offset(at: naive + $0) }
        let candidates = offsets.map { naive - $0 }
        let occurrences = candidates.filter { $0 + offset(at: $0) == naive }.sorted()
        let following = begin.flatMap { begin in occurrences.first { $0 > begin } }
        return following ?? occurrences.first ?? candidates.first
    }

    private static let day = 86_400 * Microseconds.perSecond

    /// Microseconds east of Greenwich.
    private func offset(at instant: Instant) -> Int64 {
        let date = Date(timeIntervalSince1970: Microseconds.seconds(instant.microseconds))
        return Int64(zone.secondsFromGMT(for: date)) * Microseconds.perSecond
    }

    private static func hasForm(_ name: String) -> Bool {
        let isName = name.utf8.allSatisfy { byte in
            (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A) || (0x30...0x39).contains(byte)
                || "/_+-".utf8.contains(byte)
        }
        return isName && (name.contains("/") || singleNames.contains(name))
    }

    /// The names of the list without an area, except for those that are also abbreviations, such as `CET`.
    private static let singleNames: Set<String> = [
        "Cuba", "Egypt", "Eire", "GB", "GB-Eire", "GMT", "Greenwich", "Hongkong", "Iceland", "Iran", "Israel",
        "Jamaica", "Japan", "Kwajalein", "Libya", "NZ", "NZ-CHAT", "Navajo", "PRC", "Poland", "Portugal",
        "ROC", "ROK", "Singapore", "Turkey", "UCT", "UTC", "Universal", "W-SU", "Zulu",
    ]
}
