import HLS
import Testing
import Timeline

@testable import Recorder

@Suite("Shared starts")
struct SharedStartsTests {
    private func listed(_ number: Int64, run: Int64, start: Double) -> ListedSegment {
        ListedSegment(
            placed: PlacedSegment(
                identity: SegmentIdentity(rendition: video(0), run: run, number: number), start: at(start),
                duration: 6 * seconds),
            entry: list(0...0).segments[0], arrival: at(start), flags: [], listedNumber: UInt64(number),
            discontinuityCount: 0, availableUntil: moment(start))
    }

    @Test("A number of one run says nothing of the same number in another")
    func runs() {
        var shared = SharedStarts()
        shared.add([listed(1, run: 7, start: 0), listed(2, run: 7, start: 6)])
        shared.add([listed(1, run: 8, start: 600)])
        #expect(shared.starts(in: 7) == [1: at(0), 2: at(6)])
        #expect(shared.starts(in: 8) == [1: at(600)])
        #expect(shared.starts(in: 9).isEmpty && shared.starts(in: nil).isEmpty)
    }

    @Test("The oldest are dropped, in the order of listing, whatever their numbers are")
    func bounded() {
        var shared = SharedStarts()
        for number in 1_000..<2_200 { shared.add([listed(Int64(number), run: 7, start: Double(number))]) }
        shared.add([listed(0, run: 8, start: 5_000)])
        #expect(shared.starts(in: 8) == [0: at(5_000)])
        #expect(shared.starts(in: 7).count <= 2 * Limits.recentEntries)
        #expect(shared.starts(in: 7)[2_199] == at(2_199) && shared.starts(in: 7)[1_000] == nil)
    }
}
