import Catalogue
import HLS
import Monitoring
import Testing
import Timeline

@testable import Recorder

private let primary = "http://one.test/live/index.m3u8"
private let backup = "http://two.test/live/index.m3u8"

@Suite("A channel that is recorded in memory")
struct RecordingStateTests {
    /// What must hold of every recording: nothing twice, numbers without a gap, starts that go on, and as
    /// many discontinuities in one rendition as in the others.
    private static func check(_ channel: SimulatedChannel, _ renditions: [RenditionID]) {
        let identities = channel.segments.map(\.fact.identity)
        #expect(Set(identities).count == identities.count)
        for id in renditions {
            let published = channel.published(id)
            #expect(published.map(\.number) == (0..<Int64(published.count)).map { $0 })
            for (one, next) in zip(published, published.dropFirst()) {
                #expect(one.fact.end <= next.fact.start)
                #expect((one.discontinuitySequence ?? 0) <= (next.discontinuitySequence ?? 0))
            }
        }
        #expect(channel.trimmed.count == channel.journal.count)
    }

    private static func source(
        _ url: String, _ renditions: [RenditionID] = [video(0), video(1), audio],
        faults: [SimulatedSource.Fault] = [],
    ) -> SimulatedSource {
        SimulatedSource(url: url, renditions: renditions, faults: faults)
    }

    @Test("Everything that is listed is published once, in order")
    func plain() {
        var channel = SimulatedChannel([Self.source(primary)])
        channel.run(until: 600)
        #expect(channel.status?.state == .recording)
        #expect(channel.status?.renditions.map(\.id) == [video(0), video(1), audio])
        channel.stop()
        #expect(channel.ending == .stopped)
        Self.check(channel, [video(0), video(1), audio])
        for id in [video(0), video(1), audio] { #expect(channel.published(id).count >= 98) }
        #expect(channel.losses.isEmpty)
        #expect(channel.discontinuityStarts.count == 1)
        #expect(channel.messages == ["A source run begins"])
    }

    @Test("The same seed gives the same recording, another one does not")
    func seeds() {
        func arrivals(_ seed: UInt64) -> [Instant] {
            var channel = SimulatedChannel([Self.source(primary)], seed: seed)
            channel.run(until: 120)
            return channel.segments.map(\.fact.arrived)
        }
        #expect(arrivals(1) == arrivals(1))
        #expect(arrivals(1) != arrivals(2))
    }

    @Test("An encoder that starts again begins another source run, and nothing is doubled")
    func restart() {
        var channel = SimulatedChannel([Self.source(primary, [video(0)], faults: [.restart(at: 300)])])
        channel.run(until: 600)
        channel.stop()
        Self.check(channel, [video(0)])
        #expect(Set(channel.segments.map(\.fact.identity.run)).count == 2)
        #expect(channel.published(video(0)).count >= 94)
        #expect(channel.discontinuityStarts.count == 2)
    }

    @Test("A hole in one rendition is a loss there, and a discontinuity in all of them")
    func hole() {
        var channel = SimulatedChannel([Self.source(primary, faults: [.missing(audio, 40...44)])])
        channel.run(until: 600)
        channel.stop()
        Self.check(channel, [video(0), video(1), audio])
        #expect(Set(channel.losses.map(\.rendition)) == [audio])
        #expect(channel.losses.allSatisfy { $0.reason == .segmentMissing })
        let sequences = [video(0), video(1), audio].map { id in
            Set(channel.published(id).compactMap(\.discontinuitySequence)).max()
        }
        #expect(sequences == [1, 1, 1])
        #expect(channel.published(audio).count == channel.published(video(0)).count - 5)
    }

    /// A source that lists twelve hours, and is away for nearly as long.
    private static func longPlaylist(_ fault: SimulatedSource.Fault...) -> SimulatedSource {
        var source = source(primary, [video(0)], faults: [.unreachable(60...44_060)] + fault)
        (source.segmentDuration, source.listed) = (10, 4_420)
        return source
    }

    @Test("More new segments than there is room for are fetched in turns, the live edge first")
    func turns() {
        var channel = SimulatedChannel([Self.longPlaylist()])
        channel.run(until: 44_120)
        let edge = channel.status?.liveEdge.map { PublisherStage.seconds($0) } ?? 0
        #expect(edge >= 44_100)
        channel.run(until: 44_400)
        channel.stop()
        let held = Set(channel.segments.map(\.fact.identity.number))
        #expect(held == Set(0...(held.max() ?? 0)))
        #expect(held.count >= 4_439)
        #expect(channel.status?.renditions.first?.lost == [:])
    }

    @Test("A segment that leaves its playlist before its turn has come is lost, and said to have expired")
    func expiredInTurn() {
        var channel = SimulatedChannel([Self.longPlaylist(.restart(at: 44_080))])
        channel.run(until: 44_400)
        channel.stop()
        let first = channel.segments.first?.fact.identity.run
        let held = channel.segments.count { $0.fact.identity.run == first }
        let lost = channel.status?.renditions.first?.lost[.segmentExpired] ?? 0
        #expect(lost > 100)
        #expect(held + lost == 4_407)
    }

    @Test("A source that fails is left for the next one, and taken back when it delivers again")
    func failOver() {
        var channel = SimulatedChannel([
            Self.source(primary, faults: [.unreachable(200...400)]), Self.source(backup),
        ])
        channel.run(until: 190)
        #expect(channel.status?.sourcePriority == 0)
        channel.run(until: 300)
        #expect(channel.status?.sourcePriority == 1)
        #expect(channel.status?.state == .recording)
        channel.run(until: 900)
        #expect(channel.status?.sourcePriority == 0)
        channel.stop()
        Self.check(channel, [video(0), video(1), audio])
        let held = channel.published(video(0)).reduce(0) { $0 + $1.fact.duration }
        #expect(Double(held) / 1_000_000 > 840)
    }

    @Test("A source that says the same renditions in other words continues them, and so does the return")
    func otherWords() {
        let all = [video(0), video(1), video(2), audio, RenditionID(kind: .audio, index: 1)]
        var second = Self.source(backup, all)
        second.spellsOtherwise = true
        var channel = SimulatedChannel([
            Self.source(primary, all, faults: [.unreachable(200...400)]), second,
        ])
        channel.run(until: 900)
        #expect(channel.status?.sourcePriority == 0)
        channel.stop()
        Self.check(channel, all)
        #expect(channel.status?.renditions.map(\.id) == all)
        for id in all {
            let held = channel.published(id).reduce(0) { $0 + $1.fact.duration }
            #expect(Double(held) / 1_000_000 > 840)
        }
    }

    @Test(
        "Keys that change keep their segments apart; one that is missing for a while delays its segments only"
    )
    func keyRotation() {
        var source = Self.source(primary, [video(0)], faults: [.keyMissing(4, until: 400)])
        source.segmentsPerKey = 10
        var channel = SimulatedChannel([source])
        channel.run(until: 395)
        #expect(channel.status?.detail == "10 segments wait for their keys")
        #expect(channel.batches.flatMap(\.keyPending).count == 10)
        channel.run(until: 600)
        #expect(channel.status?.detail == nil)
        channel.stop()
        Self.check(channel, [video(0)])
        // The source listed from number 0 on.
        let numbers = channel.segments.map(\.fact.identity.number).sorted()
        #expect(numbers == Array(0...(numbers.last ?? 0)))
        let repaired = channel.segments.filter { $0.number == nil }
        #expect(repaired.map(\.fact.identity.number).sorted() == Array(40...49))
    }

    @Test("While the catalogue is away recording goes on, and everything is entered when it is back")
    func catalogueAway() {
        var channel = SimulatedChannel([Self.source(primary)])
        channel.catalogueAway = 100...3000
        channel.run(until: 2900)
        let before = channel.segments.count
        #expect(before < 60 && channel.journal.count > 1300)
        channel.run(until: 3100)
        channel.stop()
        Self.check(channel, [video(0), video(1), audio])
        #expect(channel.published(video(0)).count >= 510)
        #expect(channel.losses.isEmpty)
    }

    @Test(
        "Two hours with two sources, restarts, holes, fail-over and changing keys takes seconds",
        .timeLimit(.minutes(30)))
    func everything() {
        let length = 7_200.0
        var first = Self.source(
            primary,
            faults: [
                .restart(at: 1_500), .unreachable(3_000...3_600), .missing(video(1), 90...93),
                .restart(at: 5_000), .keyMissing(1, until: 900),
            ])
        first.segmentsPerKey = 100
        var channel = SimulatedChannel([first, Self.source(backup)])
        channel.run(until: length)
        channel.stop()
        Self.check(channel, [video(0), video(1), audio])
        let held = channel.segments.filter { $0.fact.identity.rendition == video(0) }
            .reduce(0) { $0 + $1.fact.duration }
        #expect(Double(held) / 1_000_000 > length - 90)
    }

    @Test("Cue tags and unknown ones stay with their segments, also with those that wait for a key")
    func cueTags() {
        var source = Self.source(primary, [video(0)], faults: [.keyMissing(1, until: 200)])
        source.segmentsPerKey = 10
        source.lines = [
            3: ["#EXT-X-CUE-OUT:12", "#EXT-X-VENDOR:1", "# a comment"], 5: ["#EXT-X-CUE-IN"],
            7: ["#EXT-X-VENDOR:2"], 12: ["#EXT-X-SCTE35:CUE=\"/DAl\""],
            15: Array(repeating: "#EXT-X-CUE-OUT-CONT", count: 60),
            16: ["#EXT-X-ASSET:CAID=0x" + String(repeating: "0", count: Limits.keptTagByteCount)],
        ]
        var channel = SimulatedChannel([source])
        channel.run(until: 300)
        channel.stop()
        let tags = Dictionary(
            channel.segments.filter { !$0.fact.cueTags.isEmpty }.map {
                ($0.fact.identity.number, $0.fact.cueTags)
            }, uniquingKeysWith: { one, _ in one })
        #expect(
            tags == [
                3: ["#EXT-X-CUE-OUT:12", "#EXT-X-VENDOR:1"], 5: ["#EXT-X-CUE-IN"], 7: ["#EXT-X-VENDOR:2"],
                12: ["#EXT-X-SCTE35:CUE=\"/DAl\""],
                // Each counts 64 bytes besides its text.
                15: Array(repeating: "#EXT-X-CUE-OUT-CONT", count: 4096 / (64 + 19)),
            ])
        let flagged = channel.segments.filter { $0.fact.flags.contains(.hasCueTags) }
        #expect(Set(flagged.map(\.fact.identity.number)) == [3, 5, 12, 15])
        #expect(channel.state.deviations.contains("tags before a segment: more than are kept"))
    }

    @Test(
        "Markers of all renditions are recorded once, in the time of the segments",
        arguments: [0, 8.0 * 3600])
    func markers(zone: Double) {
        var source = Self.source(primary, faults: [.unreachable(200...260)])
        source.zone = zone
        source.dateRanges = [30.0, 120, 300].map { start in
            var range = DateRange(id: "ad-\(start)", startMicroseconds: at(start + zone).microseconds)
            range.endMicroseconds = at(start + 60 + zone).microseconds
            return range
        }
        var channel = SimulatedChannel([source])
        channel.catalogueAway = 100...150
        channel.run(until: 600)
        channel.stop()
        Self.check(channel, [video(0), video(1), audio])
        let markers = channel.batches.flatMap(\.markers)
        #expect(markers.map(\.id) == ["ad-30.0", "ad-120.0", "ad-300.0"])
        #expect(markers.map(\.length) == Array(repeating: 60 * seconds, count: 3))
        for (marker, start) in zip(markers, [30.0, 120, 300]) {
            #expect((marker.begin - at(start)).magnitude < 100_000)
        }
    }
}
