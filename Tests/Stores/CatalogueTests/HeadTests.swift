import Testing
import Timeline

@testable import Catalogue

@Suite("Heads")
struct HeadTests {
    @Test("A channel without renditions has none")
    func empty() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            #expect(try await test.catalogue.heads(of: recording.row).isEmpty)
        }
    }

    @Test("Renditions are ordered, with the next number and the newest segment, published or not")
    func last() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var batch = recording.batch(
                recording.published(0..<3, of: audio) + recording.published(5..<8, sequence: 2) + [
                    .archived(recording.fact(9))
                ]
            )
            var description = RenditionDescription(id: video)
            (description.codecs, description.bandwidth, description.isDefault) = ("avc1", 5_000_000, true)
            batch.renditions = [RenditionDescription(id: audio), description]
            batch.discontinuityStarts = [
                DiscontinuityStart(sequence: 2, begin: midnight, cause: .start, targetSeconds: 4)
            ]
            _ = try await test.catalogue.commit(batch)
            let heads = try await test.catalogue.heads(of: recording.row)
            #expect(heads.map(\.description) == [description, RenditionDescription(id: audio)])
            #expect(heads.map(\.nextNumber) == [8, 3])
            #expect(
                heads.first?.last
                    == LastSegment(
                        end: midnight + 40 * second, discontinuitySequence: 2, format: .plain,
                        firstTimestamp: 9 * 360_000))
        }
    }

    @Test(
        "Known identities are those of the two source runs that reach furthest, oldest first, with all their fields"
    )
    func known() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let places: [(run: Int64, number: Int64)] = [(3, 2), (1, 7), (2, 100), (3, 1), (2, 99)]
            var batch = recording.batch(
                places.enumerated().map { index, place in
                    .archived(recording.fact(place.number, run: place.run, at: Int64(index) * 4 * second))
                })
            batch.lost = [
                PlacedSegment(
                    identity: SegmentIdentity(rendition: video, run: 3, number: 3), start: midnight + hour,
                    duration: 2 * second)
            ]
            _ = try await test.catalogue.commit(batch)
            let known = try await test.catalogue.heads(of: recording.row).first?.known ?? []
            #expect(known.map(\.run) == [2, 2, 3, 3, 3])
            #expect(known.map(\.number) == [99, 100, 1, 2, 3])
            #expect(known.map { ($0.start - midnight) / second } == [16, 8, 12, 0, 3600])
            #expect(known.map { $0.duration / second } == [4, 4, 4, 4, 2])
            #expect(known.map(\.isLost) == [false, false, false, false, true])
            #expect(known.map(\.digest.first) == [99, 100, 1, 2, nil])
            let timestamps = known.map { $0.firstTimestamp.map { $0 / 360_000 } }
            #expect(timestamps == [99, 100, 1, 2, nil])
        }
    }

    @Test(
        "The run of a node that was cut off does not hide the run that reaches further, however long it is",
        arguments: [false, true])
    func splitBrain(isBrief: Bool) async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            let count: Int64 = isBrief ? 130 : 1010
            // Run 1 is the owner's; runs 2 and 3 of the former owner began later and lie within it.
            let runs: [(run: Int64, numbers: Range<Int64>, begin: Int64)] = [
                (0, 0..<10, 0), (1, 100..<(110 + count), 40 * second), (2, 0..<count, 42 * second),
                (3, 0..<5, 62 * second),
            ]
            for (run, numbers, begin) in runs {
                // They are on their way: facts of the same time would shorten each other.
                let facts = numbers.map { number in
                    recording.fact(number, run: run, at: begin + (number - numbers.lowerBound) * 4 * second)
                }
                for place in stride(from: 0, to: facts.count, by: 500) {
                    var batch = recording.batch()
                    batch.listed = facts[place..<min(place + 500, facts.count)].map(\.placed)
                    #expect(try await test.catalogue.commit(batch))
                }
            }
            let head = try #require(
                try await test.catalogue.heads(of: recording.row, isBrief: isBrief).first)
            let limit = isBrief ? Limits.briefResumedSegments : Limits.resumedSegments
            let owners = head.known.filter { $0.run == 1 }
            let others = head.known.dropLast(owners.count)
            #expect(owners.count == limit && owners.last?.number == 109 + count)
            #expect(others.count == limit && others.last?.number == count - 1)
            #expect(Set(others.map(\.run)) == [2])
            #expect(head.isBrief == isBrief)
        }
    }

    @Test("Of lost segments those are told that the source listed as gaps")
    func gaps() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var batch = recording.batch([
                .archived(recording.fact(0)), .archived(recording.fact(0, of: audio)),
            ])
            let places = (1...3 as ClosedRange<Int64>).flatMap { number in
                [video, audio].map { id in
                    PlacedSegment(
                        identity: SegmentIdentity(rendition: id, run: 1, number: number),
                        start: midnight + number * 4 * second, duration: 4 * second)
                }
            }
            batch.lost = places
            batch.losses = places.map { place in
                let isGap = place.identity == SegmentIdentity(rendition: video, run: 1, number: 2)
                return Loss(
                    window: place.window, reason: isGap ? .sourceGap : .segmentMissing,
                    rendition: place.identity.rendition)
            }
            _ = try await test.catalogue.commit(batch)
            let heads = try await test.catalogue.heads(of: recording.row)
            let lost = [false, true, true, true]
            #expect(heads.map { $0.known.map(\.isLost) } == [lost, lost])
            let areGaps = heads.map { $0.known.map(\.isGap) }
            #expect(areGaps == [[false, false, true, false], [false, false, false, false]])
        }
    }

    @Test("Timestamps of another encoder's segments are not told")
    func spliced() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            var other = recording.fact(1)
            other.flags.insert(.spliced)
            _ = try await test.catalogue.commit(
                recording.batch([.archived(recording.fact(0)), .archived(other)]))
            let known = try await test.catalogue.heads(of: recording.row).first?.known ?? []
            #expect(known.map(\.firstTimestamp) == [0, nil])
        }
    }

    @Test("An identity whose segment has expired is known without a digest")
    func expiredBefore() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<2, on: recording)
            try await test.catalogue.expire(recording.channel, before: midnight + 4 * second, graceSeconds: 0)
            let head = try await test.catalogue.heads(of: recording.row).first
            #expect(head?.known.map(\.digest.isEmpty) == [true, false])
            try await test.catalogue.expire(recording.channel, before: midnight + 8 * second, graceSeconds: 0)
            let bare = try await test.catalogue.heads(of: recording.row).first
            #expect(bare?.last == nil && bare?.nextNumber == 2 && bare?.known.count == 2)
        }
    }
}
