import Timeline

/// Key frames as they are found: bounded, in the order of bytes and time.
struct KeyFrameList {
    private var found: [(offset: Int, end: Int, time: MediaTimestamp)] = []

    mutating func add(offset: Int, end: Int, time: MediaTimestamp) {
        guard found.count < Limits.keyFrameCount, end > offset else { return }
        found.append((offset, end, time))
    }

    /// The frames with their times since the first of the segment.
    ///
    /// Those that the segment does not hold whole, or that lie in front of an earlier one, are left out; nil
    /// if none is left.
    func keyFrames(
        since first: MediaTimestamp?, in byteCount: Int, tableByteCount: Int = 0,
    ) -> KeyFrames? {
        guard let first else { return nil }
        var frames: [KeyFrame] = []
        for (offset, end, time) in found where end <= byteCount {
            guard let microseconds = time.microseconds(since: first),
                (0..<Limits.keyFrameMicroseconds).contains(microseconds)
            else { continue }
            let milliseconds = Int((microseconds + 500) / 1000)
            if let last = frames.last, offset < last.end || milliseconds <= last.milliseconds { continue }
            frames.append(
                KeyFrame(offset: offset, byteCount: end - offset, milliseconds: milliseconds))
        }
        return frames.isEmpty ? nil : KeyFrames(tableByteCount: tableByteCount, frames: frames)
    }
}
