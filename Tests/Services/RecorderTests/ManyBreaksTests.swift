import Catalogue
import Testing
import Timeline

@testable import Recorder

/// Breaks of ten seconds, one every half a minute: 240 discontinuities in an hour.
@Suite("Breaks for advertising, with other hosts, codecs and keys")
struct ManyBreaksTests {
    private static let renditions = [video(0), audio]
    private static let breaks = SimulatedBreaks(period: 15, length: 5)

    /// Twenty minutes of two-second segments.
    private static func record(_ breaks: SimulatedBreaks?) -> SimulatedChannel {
        var source = SimulatedSource(url: "http://one.test/live/index.m3u8", renditions: renditions)
        (source.segmentDuration, source.segmentsPerKey, source.breaks) = (2, 15, breaks)
        var channel = SimulatedChannel([source])
        channel.run(until: 1_200)
        channel.stop()
        return channel
    }

    /// The numbers behind the discontinuities among what was published.
    private static func discontinuities(_ published: [DecidedSegment]) -> [Int64] {
        published.dropFirst().map(\.fact.identity.number).filter(breaks.isDiscontinuity)
    }

    @Test("begin one discontinuity sequence at each of their ends, and miss nothing")
    func sequences() {
        let channel = Self.record(Self.breaks)
        for id in Self.renditions {
            let published = channel.published(id)
            let behind = Self.discontinuities(published)
            #expect(behind.count >= 78)
            #expect(channel.discontinuityStarts.map(\.sequence) == (0...behind.count).map { Int32($0) })
            #expect(
                channel.discontinuityStarts.map(\.cause)
                    == [.start] + behind.map { _ in .listed })
            #expect(
                channel.discontinuityStarts.dropFirst().map(\.begin) == behind.map { at(Double($0) * 2) })
            for segment in published {
                let number = segment.fact.identity.number
                #expect(segment.discontinuitySequence == Int32(behind.count { $0 <= number }))
                #expect(segment.fact.start == at(Double(number) * 2))
                let key = Self.breaks.holds(number) ? nil : "key\(number / 15)"
                #expect(segment.fact.format.keyName == key)
            }
        }
        #expect(channel.losses.isEmpty)
    }

    /// Actions are requests, writes, transactions and waits.
    @Test("cost nothing in the journal, a batch each at most, and less than a segment of each rendition")
    func costs() {
        let (plain, broken) = (Self.record(nil), Self.record(Self.breaks))
        let count = Self.discontinuities(broken.published(video(0))).count
        #expect(broken.segments.count == plain.segments.count)
        #expect(broken.requested.count == plain.requested.count)
        #expect(broken.journal.count == plain.journal.count)
        #expect(broken.batches.count <= plain.batches.count + count)
        let actionsOfSegment = plain.actionCount / max(plain.segments.count, 1)
        #expect(broken.actionCount - plain.actionCount < count * Self.renditions.count * actionsOfSegment)
    }
}
