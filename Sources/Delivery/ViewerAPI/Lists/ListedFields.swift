import Catalogue
import Timeline

extension ListedChannel {
    var id: String { channel.id.text }

    /// Days of which something is held, the first one counted whole; 0 if nothing is held.
    func heldDays(at now: Instant) -> Int64 {
        guard let oldest else { return 0 }
        let day = 86_400 * Microseconds.perSecond
        return max(1, (now - oldest + day - 1) / day)
    }
}
