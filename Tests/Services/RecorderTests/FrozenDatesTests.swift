import Catalogue
import HLS
import Monitoring
import Testing
import Timeline

@testable import Recorder

@Suite("A source whose playlists all begin with the same date")
struct FrozenDatesTests {
    @Test(
        "is recorded by arrival, without loss, and the status says so",
        arguments: [-1_350.0, 0, 100_000], [false, true])
    func recorded(date: Double, isOnEach: Bool) {
        var source = SimulatedSource(url: "http://one.test/live/index.m3u8", renditions: [video(0)])
        (source.standingDate, source.datesEach) = (date, isOnEach)
        var channel = SimulatedChannel([source])
        channel.run(until: 1_200)
        let segments = channel.segments.map(\.fact).sorted { $0.identity.number < $1.identity.number }
        #expect(segments.count > 190)
        #expect(segments.map(\.identity.number) == Array(0..<Int64(segments.count)))
        #expect(zip(segments, segments.dropFirst()).allSatisfy { $0.end <= $1.start })
        #expect(channel.status?.clock == "arrival")
        #expect(channel.status?.detail == "the source's dates do not advance")
        // The first few were placed before it showed.
        let distances = segments.filter { $0.identity.number >= 12 }
            .map { Double(($0.start - at(Double($0.identity.number) * 6)).magnitude) / 1_000_000 }
        #expect((distances.max() ?? .infinity) < 18)
    }

    /// Whether dates stand still after playlists that begin with these dates and numbers.
    private static func frozen(_ begins: [(date: Double, number: Int)]) -> FrozenDates {
        var frozen = FrozenDates()
        for begin in begins {
            frozen.look(at: list(begin.number...begin.number + 4, date: { _ in begin.date }))
        }
        return frozen
    }

    @Test("is told from one whose edges count or list otherwise")
    func others() {
        #expect(Self.frozen([(0, 1), (0, 2), (0, 2), (0, 4)]).areFrozen)
        #expect(!Self.frozen([(0, 1), (0, 2), (0, 2), (0, 1)]).areFrozen)
        #expect(!Self.frozen([(0, 1), (6, 2), (0, 1), (12, 3), (6, 2)]).areFrozen)
        #expect(!Self.frozen([(0, 1), (0, 9), (6, 2), (6, 10), (12, 3), (12, 11)]).areFrozen)
        #expect(!Self.frozen([(0, 1), (0, 2), (0, 3), (6, 4)]).areFrozen)
        #expect(!Self.frozen([(0, 1), (0, 2), (0, 3)]).haveMoved)
        #expect(Self.frozen([(0, 1), (6, 2), (6, 3), (6, 4)]).haveMoved)
    }

    @Test("keeps the timeline where its dates were right before")
    func rightBefore() {
        var placing = TimePlacing(choice: .auto)
        let entry = TimePlacing.Entry(duration: 6 * seconds, programDateTime: at(70))
        _ = placing.place([entry], arrival: arrived(106), target: 6 * seconds)
        placing.rejectFrozenDates(fromBeginning: false)
        #expect(placing.clock == .arrival && placing.sourceOffset == -30 * seconds)
        placing.rejectFrozenDates(fromBeginning: true)
        #expect(placing.clock == .arrival && placing.sourceOffset == nil)
    }
}
