import HLS
import Testing
import Timeline

@testable import Recorder

@Suite("Number alignment")
struct NumberAlignmentTests {
    /// The media sequence numbers that one alignment makes of these lists.
    private func numbers(_ lists: MediaPlaylist...) -> [UInt64] {
        var alignment = NumberAlignment()
        return lists.map { alignment.corrected($0).mediaSequence }
    }

    /// A list whose number stands at zero, of the segments that carry these names.
    private func standing(_ names: ClosedRange<Int>, date: ((Int) -> Double)? = nil) -> MediaPlaylist {
        let count = names.count
        return list(
            0...count - 1, name: { "seg\(names.lowerBound + $0).ts" },
            date: date.map { date in { date(names.lowerBound + $0) } })
    }

    @Test("A number that stands still counts on with the names, and so on for ever")
    func standingStill() {
        #expect(numbers(standing(0...5), standing(1...6), standing(3...8), standing(8...13)) == [0, 1, 3, 8])
    }

    @Test("The same list once more says the same")
    func same() {
        #expect(numbers(standing(0...5), standing(2...7), standing(2...7), standing(3...8)) == [0, 2, 2, 3])
    }

    @Test("A list that grows before it slides is no trouble")
    func growing() {
        #expect(numbers(standing(0...2), standing(0...5), standing(1...6)) == [0, 0, 1])
    }

    @Test("Dates must agree with the names")
    func dates() {
        let steady = { (name: Int) in Double(name * 6) }
        #expect(numbers(standing(0...5, date: steady), standing(1...6, date: steady)) == [0, 1])
        let later = { (name: Int) in Double(name * 6 + 600) }
        #expect(numbers(standing(0...5, date: steady), standing(1...6, date: later)) == [0, 0])
    }

    @Test("Numbers that go on as they should are not touched")
    func regular() {
        #expect(numbers(list(10...15), list(11...16), list(20...25), list(0...5)) == [10, 11, 20, 0])
    }

    @Test("A ring of file names is not touched")
    func ring() {
        let ring = { (number: Int) in "seg\(number % 6).ts" }
        #expect(
            numbers(list(10...15, name: ring), list(13...18, name: ring), list(16...21, name: ring))
                == [10, 13, 16])
    }

    @Test("Names that change with each load are not touched")
    func volatileNames() {
        #expect(
            numbers(list(10...15, name: { "a\($0).ts" }), list(10...15, name: { "b\($0).ts" })) == [10, 10])
    }

    @Test("Byte ranges of one growing file are told by their offsets")
    func byteRanges() {
        func ranges(_ names: ClosedRange<Int>) -> MediaPlaylist {
            var list = standing(names)
            for (index, name) in names.enumerated() {
                list.segments[index].uri = "all.ts"
                list.segments[index].byteRange = ByteRange(length: 1_000, offset: UInt64(name) * 1_000)
            }
            return list
        }
        #expect(numbers(ranges(0...5), ranges(1...6), ranges(2...7)) == [0, 1, 2])
    }

    @Test("A number at the end of its range does no harm")
    func limit() {
        var (first, second) = (standing(0...5), standing(1...6))
        first.mediaSequence = .max - 10
        second.mediaSequence = .max - 10
        _ = numbers(first, second, first)
    }
}
