import Catalogue
import Monitoring
import Testing
import Timeline

@testable import Recorder

/// A source whose clock goes wrong by a thousandth: fourteen seconds in four hours.
@Suite("A source that drifts")
struct DriftTests {
    private static let hours = 4.0

    private static func record(
        hours: Double = hours, dates: Double, durations: Double, isDated: Bool,
    ) -> SimulatedChannel {
        var source = SimulatedSource(url: "http://one.test/live/index.m3u8", renditions: [video(0)])
        (source.isDated, source.dateDrift, source.durationDrift) = (isDated, dates, durations)
        var channel = SimulatedChannel([source])
        channel.run(until: hours * 3600)
        return channel
    }

    /// How far the timeline is from what the clock of the source says, seconds; at most.
    private static func worst(
        _ channel: SimulatedChannel, from first: Int64 = 0, _ truth: (Int64) -> Double,
    ) -> Double {
        channel.published(video(0)).filter { $0.fact.identity.number >= first }.map { segment in
            abs(Double(segment.fact.start - at(truth(segment.fact.identity.number))) / 1_000_000)
        }.max() ?? .infinity
    }

    @Test(
        "is followed by its dates within a fifth of a second, and the status says so", arguments: [-1.0, 1])
    func dates(sign: Double) throws {
        var channel = Self.record(hours: 0.5, dates: sign / 1000, durations: 0, isDated: true)
        let before = try #require(channel.status?.clockOffsetSeconds)
        channel.run(until: Self.hours * 3600)
        #expect(channel.published(video(0)).count > 2_300 && channel.losses.isEmpty)
        #expect(channel.discontinuityStarts.count <= 1)
        #expect(channel.status?.clock == "source")
        #expect(Self.worst(channel) { Double($0) * 6 * (1 + sign / 1000) } < 0.2)
        #expect(abs(channel.status?.driftSeconds ?? .infinity) < 0.2)
        // The timeline goes with the dates, and both leave arrival behind.
        let moved = ((channel.status?.clockOffsetSeconds ?? before) - before) * sign
        #expect(abs(moved - (Self.hours - 0.5) * 3.6) < 1)
    }

    /// A difference to a date is left alone up to the tolerance, and of a larger one each segment takes a
    /// part: none may be off by more than both.
    @Test("is followed by its dates as closely where EXTINF is off by a twentieth", arguments: [-0.05, 0.05])
    func wrongDurations(drift: Double) {
        var source = SimulatedSource(
            url: "http://one.test/live/index.m3u8", renditions: [video(0)], faults: [.unreachable(0...70)])
        // The first playlist shows it: its dates, which are not in whole seconds, and EXTINF differ by 2.7 s.
        (source.listed, source.zone, source.durationDrift) = (10, 0.25, drift)
        var channel = SimulatedChannel([source])
        channel.run(until: 3_600)
        #expect(channel.published(video(0)).count > 570 && channel.losses.isEmpty)
        #expect(channel.discontinuityStarts.count == 1)
        let bound = Double(Limits.tolerance + Limits.slew) / 1_000_000
        #expect(Self.worst(channel) { Double($0) * 6 + 0.25 } <= bound)
    }

    @Test(
        "without dates is held within two target durations of arrival, and the status says so",
        arguments: [-1.0, 1.0])
    func arrival(sign: Double) {
        let channel = Self.record(dates: 0, durations: sign / 1000, isDated: false)
        #expect(channel.published(video(0)).count > 2_300 && channel.losses.isEmpty)
        #expect(channel.discontinuityStarts.count <= 1)
        #expect(channel.status?.clock == "arrival")
        // By arrival all of it may lie a segment later.
        #expect(Self.worst(channel) { Double($0) * 6 } < 18)
        // EXTINF that is too long leads the timeline ahead of the clock.
        let drift = (channel.status?.driftSeconds ?? 0) * -sign
        #expect(drift > 1 && drift <= 12)
    }

    /// Nothing measures these segments, as those of WebVTT and under a key that never comes.
    @Test(
        "without dates is held near arrival where no media tell how wrong EXTINF is",
        arguments: [-0.33, 0.67, 4])
    func unmeasured(drift: Double) {
        let channel = Self.record(dates: 0, durations: drift, isDated: false)
        #expect(channel.published(video(0)).count > 2_300 && channel.losses.isEmpty)
        // Two target durations and a segment, as EXTINF says them; at first it may be right.
        #expect(Self.worst(channel, from: 60) { Double($0) * 6 } <= 3 * max(6, 6 * (1 + drift)))
    }

    @Test("in one such rendition does not take the others out of growing playlists behind a lost segment")
    func unmeasuredBeside() {
        var source = SimulatedSource(
            url: "http://one.test/live/index.m3u8", renditions: [video(0), audio],
            faults: [.missing(video(0), 300...300)])
        (source.isDated, source.durationDrift, source.drifting) = (false, 0.67, audio)
        var channel = SimulatedChannel([source])
        channel.run(until: 3_600)
        let published = channel.published(video(0)).map(\.fact.identity.number)
        // Three target durations of ten seconds are five segments.
        #expect(Set(0...590).subtracting(published).isSubset(of: 300...305))
    }

    /// Three segments of two seconds, which say ten: every load by EXTINF would miss two of five.
    @Test("that says five times the time it takes is asked often enough, and not more often")
    func shortSegments() {
        var source = SimulatedSource(url: "http://one.test/live/index.m3u8", renditions: [video(0)])
        (source.isDated, source.segmentDuration, source.listed, source.durationDrift) = (false, 2, 3, 4)
        var channel = SimulatedChannel([source])
        channel.run(until: 600)
        let numbers = channel.segments.map(\.fact.identity.number).sorted().filter { $0 >= 15 }
        #expect(numbers == Array(15...Int64(numbers.count + 14)) && numbers.count > 280)
        #expect(channel.losses.allSatisfy { $0.window.begin < at(30) })
        #expect(channel.loadCount < 360)
    }

    @Test("and does not any more shows no drift")
    func none() {
        for isDated in [true, false] {
            let channel = Self.record(dates: 0, durations: 0, isDated: isDated)
            #expect(abs(channel.status?.driftSeconds ?? .infinity) < (isDated ? 0.05 : 9))
        }
    }
}
