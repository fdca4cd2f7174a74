import Catalogue
import Monitoring
import Testing
import Timeline

@testable import Recorder

private let primary = "http://one.test/live/index.m3u8"
private let backup = "http://two.test/live/index.m3u8"

/// What the recorder itself finds out and reports, from sources that give cause for it.
@Suite("The status of a channel says")
struct ReportedRecordingTests {
    private static func source(
        _ url: String = primary, _ renditions: [RenditionID] = [video(0)],
        faults: [SimulatedSource.Fault] = [],
    ) -> SimulatedSource {
        SimulatedSource(url: url, renditions: renditions, faults: faults)
    }

    @Test("how often another source was taken into use")
    func sourceChanges() {
        var channel = SimulatedChannel([
            Self.source(faults: [.unreachable(200...400)]), Self.source(backup),
        ])
        channel.run(until: 190)
        #expect(channel.status?.sourceChanges == 0)
        channel.run(until: 300)
        #expect(channel.status?.sourceChanges == 1)
        channel.run(until: 900)
        #expect(channel.status?.sourceChanges == 2)
    }

    @Test("how many tries for segments were repeated, of the rendition where that was")
    func retries() {
        var channel = SimulatedChannel([
            Self.source(primary, [video(0), audio], faults: [.missing(audio, 40...44)])
        ])
        channel.run(until: 200)
        #expect(channel.status?.renditions.map(\.retries) == [0, 0])
        channel.run(until: 600)
        let retries = channel.status?.renditions.map(\.retries) ?? []
        #expect(retries.first == 0 && (retries.last ?? 0) >= 5)
    }

    @Test("that the video does not come, while the audio does, and the log once")
    func onlyAudio() {
        var channel = SimulatedChannel([
            Self.source(primary, [video(0), audio], faults: [.away(video(0), 200...400)])
        ])
        channel.run(until: 190)
        let before = channel.messages
        for time in stride(from: 230.0, to: 400, by: 1) {
            channel.run(until: time)
            #expect(channel.status?.detail?.contains("404") ?? false, "at \(time) s")
        }
        channel.run(until: 500)
        #expect(channel.status?.detail == nil)
        let troubles = ["The source does not deliver", "The source delivers again"]
        #expect(channel.messages.dropFirst(before.count).filter(troubles.contains) == troubles)
    }

    @Test("how far the host's clock was set, until that is followed or taken back")
    func clockStep() {
        for step: Double in [30, -8 * 3600] {
            var channel = SimulatedChannel([Self.source()])
            channel.clockStep = (from: 200, seconds: step)
            channel.run(until: 190)
            #expect(channel.status?.clockStepSeconds == 0)
            channel.run(until: 300)
            #expect(channel.status.map { abs($0.clockStepSeconds - step) < 0.1 } ?? false)
            channel.run(until: 600)
            #expect(channel.status?.clockStepSeconds == 0)
        }
    }

    @Test("no loss where the host's clock was set and the source has no dates", arguments: [30.0, 60, -60])
    func clockStepWithoutDates(step: Double) {
        var source = Self.source(primary, [video(0), audio])
        source.isDated = false
        var channel = SimulatedChannel([source])
        channel.clockStep = (from: 200, seconds: step)
        channel.run(until: 1_500)
        channel.stop()
        #expect(channel.losses.isEmpty)
        for id in [video(0), audio] {
            let published = channel.published(id).map(\.fact)
            #expect(published.count > 200)
            #expect(zip(published, published.dropFirst()).allSatisfy { $0.end == $1.start })
            let lengths = published.map(\.duration)
            #expect((lengths.max() ?? 0) - (lengths.min() ?? 0) <= 20_000)
        }
    }

    @Test("what is taken off dates in a wrong time zone, and the log when that begins and ends")
    func zone() {
        var first = Self.source(faults: [.unreachable(200...400)])
        first.zone = 8 * 3600
        var channel = SimulatedChannel([first, Self.source(backup)])
        channel.run(until: 190)
        #expect(channel.status.map { abs($0.zoneCorrectionSeconds - 8 * 3600) < 1 } ?? false)
        let zones = { (channel: SimulatedChannel) in channel.messages.filter { $0.contains("time zone") } }
        let (begins, ends) = (
            "The source's dates are in a wrong time zone and are corrected",
            "The source's dates are not in a wrong time zone any more"
        )
        #expect(zones(channel) == [begins])
        channel.run(until: 300)
        #expect(channel.status?.zoneCorrectionSeconds == 0)
        #expect(zones(channel) == [begins, ends])
        channel.run(until: 900)
        #expect(channel.status.map { abs($0.zoneCorrectionSeconds - 8 * 3600) < 1 } ?? false)
        #expect(zones(channel) == [begins, ends, begins])
    }

    @Test("how many segments the source itself lists as missing, which are not asked for")
    func listedGaps() {
        var channel = SimulatedChannel([
            Self.source(primary, [video(0), audio], faults: [.gap(audio, 40...42)])
        ])
        channel.run(until: 600)
        #expect(channel.status?.renditions.map(\.lost) == [[:], [.sourceGap: 3]])
        channel.stop()
        #expect(channel.losses.allSatisfy { $0.rendition == audio && $0.reason == .sourceGap })
        // A loss may be entered once more from the journal, which changes nothing.
        #expect(Set(channel.losses.map(\.window.begin)).count == 3)
        let held = Set(channel.published(audio).map(\.fact.identity.number))
        #expect(held.isDisjoint(with: 40...42) && held.isSuperset(of: 1...39))
        let requested = Set(channel.requested.filter { $0.rendition == audio }.map(\.number))
        #expect(requested.isDisjoint(with: 40...42) && requested.isSuperset(of: 1...39))
    }
}
