import Testing

@testable import Catalogue

@Suite("Known faults")
struct KnownFaultsTests {
    @Test("A fault is reported once, and again if its text changes or it recurs")
    func news() {
        let known = KnownFaults()
        let rounds: [(faults: [String: String], news: [String])] = [
            (["b": "x", "a": "x"], ["a", "b"]), (["a": "x", "b": "x"], []), (["a": "y", "b": "x"], ["a"]),
            (["a": "y"], []), (["a": "y", "b": "x"], ["b"]),
        ]
        for round in rounds {
            #expect(known.news(in: round.faults).map { $0.name } == round.news)
        }
    }
}
