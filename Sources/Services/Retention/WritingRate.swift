import Concurrency
import SegmentStore

/// How fast free space shrinks while nothing is deleted under disk pressure: what recorders and others write.
struct WritingRate {
    /// Bytes per second, averaged over some seconds.
    private var rate = 0.0
    /// The last look since which nothing has been deleted.
    private var last: (bytes: Int64, at: SteadyInstant)?

    /// Records the free space; `isQuiet` means that no deletion is still taking effect.
    ///
    /// While recording is stopped nothing counts as written.
    mutating func look(_ space: StorageSpace, isRecording: Bool, isQuiet: Bool, at now: SteadyInstant) {
        if !isRecording { rate = 0 }
        guard isRecording, isQuiet else {
            last = nil
            return
        }
        if let last, now > last.at {
            let seconds = (now - last.at) / .seconds(1)
            let shrunk = Double(max(0, last.bytes - space.availableBytes)) / seconds
            rate += (shrunk - rate) * min(1, seconds / Limits.writingSeconds)
        }
        last = (space.availableBytes, now)
    }

    /// A deletion changes the free space.
    mutating func interrupt() { last = nil }

    /// What has been written in a time by this rate, bytes.
    func bytes(in time: Duration) -> Int64 {
        Int64(rate * max(0, time / .seconds(1)))
    }
}
