/// Bytes of bodies that came in one round of the loop.
///
/// Loop thread only.
final class ReceivedBytes {
    var byteCount = 0

    /// How long the loop waits before the next round if no command comes, milliseconds.
    ///
    /// A round costs about the same whether it takes one packet or many: where bodies come in small pieces,
    /// it pays to let some gather. After the last piece of a body there is nothing to wait for.
    func pauseMilliseconds(hasEnded: Bool) -> Int {
        let isLittle = (1..<Limits.roundByteCount).contains(byteCount)
        return isLittle && !hasEnded ? Limits.roundPauseMilliseconds : 0
    }
}
