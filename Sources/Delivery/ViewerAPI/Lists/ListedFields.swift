import Catalogue
import Timeline

extension ListedChannel {
    var id: String { channel.id.text }

    /// Days of which something is held, the first one counted whole; 0 if nothing is held.
    ///
    /// They do not exceed the retention, because older recordings are deleted soon.
    func heldDays(at now: Instant) -> Int64 {
        guard let oldest else { return 0 }
        let held = Self.days(seconds: (now - oldest + Microseconds.perSecond - 1) / Microseconds.perSecond)
        return channel.settings.retentionSeconds.map { min(held, Self.days(seconds: $0)) } ?? held
    }

    /// Days, rounded up; at least one.
    private static func days(seconds: Int64) -> Int64 { max(1, (seconds - 1) / 86_400 + 1) }
}
