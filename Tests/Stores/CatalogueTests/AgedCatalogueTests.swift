import Foundation
import Testing
import Timeline

@testable import Catalogue

@Suite("Resuming on a catalogue with two days of identities")
struct AgedCatalogueTests {
    /// How many channels the measurement takes; it takes three minutes for 100.
    private static let measured = ProcessInfo.processInfo.environment["BACKCAST_AGED_CHANNELS"].flatMap {
        Int($0)
    }

    @Test("Few rows are read, however many there are")
    func plan() async throws {
        try await withCatalogue { test in
            let channels = try await test.fillAged(channels: 1)
            let channel = try #require(channels.first)
            let identities = try await test.plan(
                of: .newestIdentities(of: channel, limit: Int64(Limits.resumedSegments)),
                with: [Limits.resumedRuns, Limits.resumedSegments, Limits.knownDigests, channel])
            let segments = try await test.plan(of: .newestSegments(of: channel), with: [channel])
            #expect(mostRows(in: identities) == 3 * Limits.resumedSegments, "\(identities)")
            #expect(mostRows(in: segments) <= 6, "\(segments)")

            let head = try #require(try await test.catalogue.heads(of: channel).first)
            let newest = TestCatalogue.agedSegments - 1
            #expect(head.known.count == Limits.resumedSegments && head.known.last?.number == newest)
            #expect(head.known.count { !$0.digest.isEmpty } == Int(Limits.knownDigests))
            #expect(head.known.last?.digest.isEmpty == false)
            #expect(head.published == head.last && head.last?.end == midnight + 2 * day)
            let more = try await test.catalogue.heads(of: channel, journalLines: 50).first
            #expect(more?.known.count == Limits.resumedSegments + 50)
            let few = try await test.catalogue.heads(of: channel, isBrief: true).first
            #expect(few?.known.count == Limits.briefResumedSegments && few?.isBrief == true)
            #expect(few?.known.last?.number == newest && more?.isBrief == false)
            let most = try await test.catalogue.heads(of: channel, journalLines: .max / 2).first
            #expect(most?.known.count == Limits.knownSegments)
        }
    }

    /// The most rows that any part of a plan has produced or discarded, over all its runs.
    private func mostRows(in plan: String) -> Int {
        let made = plan.matches(of: /actual rows=(\d+)(?:\.\d+)? loops=(\d+)/).map {
            (Int($0.1) ?? 0) * (Int($0.2) ?? 0)
        }
        let removed = plan.matches(of: /Rows Removed by [A-Za-z ]+: (\d+)/).map { Int($0.1) ?? 0 }
        return (made + removed).max() ?? .max
    }

    @Test("Reading where many channels stopped", .enabled(if: measured != nil))
    func measure() async throws {
        let count = try #require(Self.measured)
        try await withCatalogue { test in
            let channels = try await test.fillAged(channels: count)
            let begin = ContinuousClock.now
            try await withThrowingDiscardingTaskGroup { group in
                for channel in channels {
                    group.addTask { _ = try await test.catalogue.heads(of: channel) }
                }
            }
            print("The heads of \(count) channels took \(ContinuousClock.now - begin)")
        }
    }
}
