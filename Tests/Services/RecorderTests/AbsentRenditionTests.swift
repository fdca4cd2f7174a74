import Catalogue
import Testing
import Timeline

@testable import Recorder

@Suite("A rendition that brings nothing while the others go on")
struct AbsentRenditionTests {
    /// Six-second segments, five of them listed.
    private static func channel(_ faults: SimulatedSource.Fault...) -> SimulatedChannel {
        SimulatedChannel([
            SimulatedSource(
                url: "http://one.test/live/index.m3u8", renditions: [video(0), audio], faults: faults)
        ])
    }

    private static func edge(_ channel: SimulatedChannel) -> Instant {
        channel.batches.last?.publishedHead.watermark ?? at(0)
    }

    /// What the timeline says of all that was entered.
    private static func gaps(_ channel: SimulatedChannel) -> [Gap] {
        var held: [RenditionID: [TimeWindow]] = [:]
        for segment in channel.segments {
            held[segment.fact.identity.rendition, default: []].append(segment.fact.placed.window)
        }
        return Gaps.computed(
            intended: WindowSet([TimeWindow(begin: at(60), end: edge(channel))]),
            held: held.mapValues { WindowSet($0) }, losses: channel.losses)
    }

    @Test(
        "has a gap up to the live edge with its reason, which stays when it comes back",
        arguments: [
            (SimulatedSource.Fault.away(audio, 200...320), GapReason.sourceUnreachable),
            (SimulatedSource.Fault.frozen(audio, 200...320), GapReason.sourceStalled),
        ])
    func growing(_ fault: SimulatedSource.Fault, _ reason: GapReason) throws {
        var channel = Self.channel(fault)
        for time in [260.0, 300] {
            channel.run(until: time)
            let gap = try #require(Self.gaps(channel).first)
            #expect(Self.gaps(channel).count == 1 && gap.rendition == audio && gap.reason == reason)
            #expect((186...198).contains(PublisherStage.seconds(gap.window.begin)))
            #expect(gap.window.end == Self.edge(channel))
            #expect(PublisherStage.seconds(gap.window.end) >= time - 18)
            // A strict window sees the loss, as the rendition holds nothing after it.
            #expect(channel.losses.map(\.window.end).max() == Self.edge(channel))
        }
        // One row: each loss is the one before, longer.
        #expect(Set(channel.losses.map(\.window.begin)).count == 1)
        channel.run(until: 600)
        let gap = try #require(Self.gaps(channel).first)
        #expect(Self.gaps(channel).count == 1 && gap.rendition == audio && gap.reason == reason)
        #expect((270...320).contains(PublisherStage.seconds(gap.window.end)))
        channel.stop()
        #expect(channel.published(audio).count >= 70)
    }

    @Test(
        "has no gap where the source does not name it any more",
        arguments: [
            SimulatedSource.Fault.away(audio, 200...900), SimulatedSource.Fault.frozen(audio, 200...900),
        ])
    func unnamed(_ fault: SimulatedSource.Fault) {
        var channel = Self.channel(fault, .unnamed(audio, from: 200))
        channel.run(until: 600)
        #expect(channel.losses.isEmpty)
        #expect(PublisherStage.seconds(Self.edge(channel)) >= 580)
        #expect(channel.messages.contains("The source is opened again"))
    }

    @Test("does not hold the live edge after a start, where the source does not name it any more")
    func former() throws {
        let last = LastSegment(
            end: at(0), discontinuitySequence: 0, format: SegmentFormat(container: .transportStream))
        let heads = [video(0), audio].map {
            RenditionHead(
                description: RenditionDescription(id: $0), nextNumber: 5, last: last, published: last,
                known: [])
        }
        var driver = try StateDriver(
            [SourceSettings(url: "http://one.test/live.m3u8")], heads: heads, begun: 20)
        let opening = try #require(driver.begin(at: 20).playlistRequests.first)
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + (0..<3).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
        for request in try driver.answer(opening, text, at: 20).segmentRequests {
            let stored = PartialSegmentTests.stored(request.segment, measured: nil, timestamp: nil)
            driver.send(.segmentStored(stored, request), at: 20.1)
        }
        var batches: [Batch] = []
        for time in stride(from: 20.2, to: 22, by: 0.1) {
            let isFirst = batches.isEmpty
            var actions = driver.send(isFirst ? .catalogueAnswered(.success(true)) : .clockAdvanced, at: time)
            while let action = actions.popLast() {
                guard case .commit(let batch) = action else { continue }
                batches.append(batch)
                actions += driver.send(.catalogueAnswered(.success(true)), at: time)
            }
        }
        #expect(batches.flatMap(\.segments).map(\.number) == [5, 6, 7])
        #expect(batches.last?.publishedHead.watermark == at(20))
    }
}
