import Concurrency

/// Bytes of bodies that came in one round of the loop.
///
/// Loop thread only.
final class ReceivedBytes {
    var byteCount = 0
    /// Transfers with bytes that may not fill a chunk, whose readers do not wait for a full one.
    private var unfilled: [TransferID: TransferChannel] = [:]

    /// A piece of a body came whose reader does not wait for a full chunk.
    func arrived(for channel: TransferChannel) {
        unfilled[channel.id] = channel
    }

    /// Delivers incomplete chunks that have waited long enough; returns when the next one is due.
    func deliverLate(at now: SteadyInstant) -> SteadyInstant? {
        var next: SteadyInstant?
        for (id, channel) in unfilled {
            if let due = channel.deliverLate(at: now) {
                next = min(next ?? due, due)
            } else {
                unfilled[id] = nil
            }
        }
        return next
    }

    /// How long the loop waits before the next round if no command comes, milliseconds.
    ///
    /// A round costs about the same whether it takes one packet or many: where bodies come in small pieces,
    /// it pays to let some gather. After the last piece of a body there is nothing to wait for.
    func pauseMilliseconds(hasEnded: Bool) -> Int {
        let isLittle = (1..<Limits.roundByteCount).contains(byteCount)
        return isLittle && !hasEnded ? Limits.roundPauseMilliseconds : 0
    }
}
