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
}
