import Testing
import Timeline

@testable import Catalogue

@Suite("Recording summary")
struct RecordingSummaryTests {
    @Test("Without segments there is neither a source run nor a rendition")
    func nothing() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let summary = try await test.catalogue.recordingSummary(of: recording.row)
            #expect(summary.newestSourceRun == nil && summary.renditions.isEmpty)
            #expect(summary.publishedHead.watermark == Instant(microseconds: 0))
        }
    }

    @Test(
        "The summary has the newest source run and, per rendition, the newest segment and bit rate"
    )
    func renditions() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let facts = [
                recording.fact(0, bytes: 9_000_000), recording.fact(1, at: hour, bytes: 1_000_000),
                recording.fact(2, at: hour + 4 * second, bytes: 3_000_000),
                recording.fact(0, of: audio, bytes: 64_000),
            ]
            var batch = recording.batch(facts.map { .archived($0) }, watermark: hour)
            batch.renditions = [RenditionDescription(id: secondVideo)]
            batch.sourceRuns = [(1, minute), (2, 0)].map {
                SourceRun(id: $0, source: "http://origin.test/\($0)", began: midnight + $1, clock: "source")
            }
            _ = try await test.catalogue.commit(batch)
            let summary = try await test.catalogue.recordingSummary(of: recording.row)
            #expect(
                summary.renditions == [
                    RenditionSummary(
                        id: video, lastSegment: midnight + hour + 4 * second, bitsPerSecond: 4_000_000),
                    RenditionSummary(id: secondVideo, lastSegment: nil, bitsPerSecond: 0),
                    RenditionSummary(id: audio, lastSegment: midnight, bitsPerSecond: 128_000),
                ])
            #expect(summary.newestSourceRun == batch.sourceRuns[1])
            #expect(summary.publishedHead.watermark == midnight + hour)
        }
    }

    @Test("The bit rate counts the better bytes of a segment, and not those that they replace")
    func repaired() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let facts = [
                recording.fact(0, bytes: 1_000_000), recording.fact(1, at: 4 * second, bytes: 400_000),
            ]
            _ = try await test.catalogue.commit(recording.batch(facts.map { .archived($0) }))
            var better = facts[1]
            (better.replaces, better.revision, better.storedBytes) = (0, 1, 1_000_000)
            _ = try await test.catalogue.commit(recording.batch([.archived(better)]))
            let summary = try await test.catalogue.recordingSummary(of: recording.row)
            #expect(summary.renditions.map(\.bitsPerSecond) == [2_000_000])
            #expect(try await test.catalogue.archiveUsage().map(\.bytes) == [2_400_000])
        }
    }

    @Test("Archive usage is summed per channel, with kept segments and deleted channels")
    func archiveUsage() async throws {
        try await withCatalogue { test in
            let (one, other) = (
                try await ChannelRecording("one", in: test), try await ChannelRecording("other", in: test)
            )
            _ = try await ChannelRecording("empty", in: test)
            try await test.publish(3..<8, on: one)
            try await test.publish(4..<6, of: audio, on: one)
            try await test.publish(0..<2, on: other)
            try await test.catalogue.delete(other.channel.id)
            #expect(
                try await test.catalogue.archiveUsage() == [
                    ArchiveUsage(channel: one.channel.id, bytes: 7000, oldest: midnight + 12 * second),
                    ArchiveUsage(channel: other.channel.id, bytes: 2000, oldest: midnight),
                ])
        }
    }
}
