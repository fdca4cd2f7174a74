import HLS
import Timeline

@testable import Recorder

/// A live list as a source would write it: six-second segments with these numbers, and dates if they are
/// given.
func list(
    _ numbers: ClosedRange<Int>, name: (Int) -> String = { "seg\($0).ts" }, date: ((Int) -> Double)? = nil,
    discontinuitySequence: UInt64? = nil, ended: Bool = false,
) -> MediaPlaylist {
    var list = MediaPlaylist()
    list.targetDurationSeconds = 6
    list.mediaSequence = UInt64(numbers.lowerBound)
    list.discontinuitySequence = discontinuitySequence
    list.isEnded = ended
    list.segments = numbers.map { number in
        MediaSegment(
            uri: name(number), durationMicroseconds: 6 * seconds,
            programDateTimeMicroseconds: date.map { at($0(number)).microseconds })
    }
    return list
}
