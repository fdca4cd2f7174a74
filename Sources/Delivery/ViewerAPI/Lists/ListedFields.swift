import Catalogue
import Timeline

extension ListedChannel {
    var id: String { channel.id.text }

    /// Days of which something is held, the first one counted whole; 0 if nothing is held.
    ///
    /// They are no more than the retention has: what is older goes soon.
    func heldDays(at now: Instant) -> Int64 {
        guard let oldest else { return 0 }
        let held = Self.days(seconds: (now - oldest + Microseconds.perSecond - 1) / Microseconds.perSecond)
        return channel.settings.retentionSeconds.map { min(held, Self.days(seconds: $0)) } ?? held
    }

    /// Days that are begun, at least one.
    private static func days(seconds: Int64) -> Int64 { max(1, (seconds - 1) / 86_400 + 1) }
}
