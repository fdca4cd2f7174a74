import Catalogue
import Journal
import Testing
import Timeline

@testable import Recorder

@Suite("A catalogue that is away")
struct CatalogueAwayTests {
    private static let media =
        "#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + (0..<3).map { "#EXTINF:6,\n\($0).ts\n" }.joined()

    /// Stores three segments and lets the catalogue refuse everything until a time.
    ///
    /// - Returns: when it was asked, and what was logged of it
    private func run(until back: Double) throws -> (asked: [Double], messages: [String]) {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/live.m3u8")])
        var (asked, messages): ([Double], [String]) = ([], [])
        var actions = driver.begin(at: 0)
        for tick in 1...Int(back * 20) + 20 {
            let time = Double(tick) / 20
            var next: [RecordingAction] = []
            for action in actions {
                switch action {
                case .fetchPlaylist(let request) where time < 1:
                    next += try driver.answer(request, Self.media, at: time)
                case .fetchSegment(let request):
                    let stored = PartialSegmentTests.stored(request.segment, measured: nil, timestamp: nil)
                    next += driver.send(.segmentStored(stored, request), at: time)
                case .readJournal: next += driver.send(.journalRead(.success([])), at: time)
                case .commit:
                    asked.append(time)
                    next += driver.send(
                        .catalogueAnswered(time < back ? .failure(.notInTime) : .success(true)), at: time)
                case .log(let message) where message.text.contains("catalogue"):
                    messages.append(message.text)
                default: break
                }
            }
            actions = next + driver.send(.clockAdvanced, at: time)
        }
        return (asked, messages)
    }

    @Test("is asked at least every second, and said to be away once")
    func asked() throws {
        let (asked, messages) = try run(until: 60)
        #expect(zip(asked, asked.dropFirst()).allSatisfy { $1 - $0 < 1.2 })
        #expect(asked.filter { $0 < 60 }.count < 70)
        #expect(asked.contains { (60..<61.2).contains($0) })
        #expect(messages == ["The catalogue does not take facts", "The catalogue takes facts again"])
    }
}
