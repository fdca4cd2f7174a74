import HLS
import Testing
import Timeline

@testable import Recorder

/// The segments of a source that takes over are as long as nothing has shown yet.
@Suite("Durations that are read before a source is joined")
struct ReadDurationsTests {
    /// Six-second segments, of which EXTINF says another length, in seconds.
    private func said(_ length: Double) -> MediaPlaylist {
        var playlist = list(10...14)
        for index in playlist.segments.indices {
            playlist.segments[index].durationMicroseconds = Int64(length * 1_000_000)
        }
        return playlist
    }

    @Test("Holes are filled by what the segments of the other source showed of EXTINF when it was in use")
    func repairs() {
        var progress = joining()
        for number in 0..<3 {
            var fact = PublisherStage.fact(video(0), 600 + Double(number) * 6)
            fact.digest = [UInt8(number)]
            progress.hold(fact)
            progress.measured.add(stated: 3 * seconds, expected: 0, measured: 6 * seconds)
        }
        _ = progress.leaveRun(of: "http://b.test", for: "http://a.test")
        let begins = ["http://b.test", "http://a.test"].map { source in
            progress.windows(in: said(3), of: source, around: 2, at: at(612)).map(\.begin)
        }
        #expect(begins[0] == [600, 606, 612, 618, 624].map { at($0) })
        #expect(begins[1] == [606, 609, 612, 615, 618].map { at($0) })
    }

    @Test("A source that is back lists what is held: the rest is placed behind it, not behind estimates")
    func back() throws {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto, end: at(600))
        progress.run = 7
        // Segments of four seconds are held, and those measured last had six.
        for number in 0..<20 {
            var fact = PublisherStage.fact(video(0), Double(number) / 10)
            (fact.start, fact.duration) = (at(520 + Double(number) * 4), 4 * seconds)
            fact.digest = [UInt8(number)]
            progress.hold(fact)
        }
        progress.measured.add(stated: nil, expected: 0, measured: 6 * seconds)
        _ = progress.leaveRun(of: "http://a.test", for: "http://a.test")
        var playlist = list(0...24)
        for index in playlist.segments.indices { playlist.segments[index].durationMicroseconds = 0 }
        let arrival = arrived(621)
        #expect(progress.joinProbeIndex(playlist, at: arrival) == 0)
        progress.joined(
            ProbedSegment(digest: [0], firstTimestamp: 0, measuredDuration: 6 * seconds), in: playlist,
            at: arrival)
        progress.run = 8
        let listed = progress.list(
            playlist, from: 0, opensHole: true, cause: .source, hole: .sourceStalled, arrival: arrival,
            shared: [:])
        #expect(listed.map(\.identity.number) == [20, 21, 22, 23, 24])
        #expect(listed.first?.placed.start == at(600))
    }

    @Test("What the segments of one source showed of EXTINF does not count for another one")
    func other() {
        var progress = joining()
        for _ in 0..<3 { progress.measured.add(stated: 3 * seconds, expected: 0, measured: 6 * seconds) }
        func durations() -> [Int64] { progress.entries(of: said(3)).map { $0.duration / seconds } }
        #expect(durations() == Array(repeating: 6, count: 5))
        _ = progress.leaveRun(of: "http://b.test", for: "http://a.test")
        #expect(durations() == Array(repeating: 3, count: 5))
        _ = progress.leaveRun(of: "http://a.test", for: "http://b.test")
        #expect(durations() == Array(repeating: 6, count: 5))
    }

    @Test(
        "An old playlist of what is held tells no latency: what begins behind it is placed by arrival",
        arguments: [(900.0, false, 954.0), (640, true, 954), (640, false, 914)])
    func oldPlaylist(arrival: Double, isEnded: Bool, start: Double) {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto, end: at(600))
        progress.run = 7
        for number in 0..<5 {
            var fact = PublisherStage.fact(video(0), Double(number) / 10)
            (fact.start, fact.duration) = (at(570 + Double(number) * 6), 6 * seconds)
            fact.digest = [UInt8(number)]
            progress.hold(fact)
        }
        _ = progress.leaveRun(of: "http://b.test", for: "http://a.test")
        let old = list(0...4, ended: isEnded)
        #expect(progress.joinProbeIndex(old, at: arrived(arrival)) == 0)
        progress.joined(
            ProbedSegment(digest: [0], firstTimestamp: 0, measuredDuration: 6 * seconds), in: old,
            at: arrived(arrival))
        progress.run = 8
        func listed(_ playlist: MediaPlaylist, _ cause: DiscontinuityCause, at time: Double) -> [Instant] {
            progress.list(
                playlist, from: 0, opensHole: true, cause: cause, hole: .sourceStalled,
                arrival: arrived(time), shared: [:]
            ).map(\.placed.start)
        }
        #expect(listed(old, .source, at: arrival).isEmpty)
        _ = progress.startRun()
        progress.run = 9
        #expect(listed(list(0...0), .restart, at: 960) == [at(start)])
    }

    /// A rendition that another source is to go on with.
    private func joining() -> RenditionProgress {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto, end: at(600))
        progress.run = 7
        progress.hold(PublisherStage.fact(video(0), 594))
        _ = progress.leaveRun(of: "http://a.test", for: "http://b.test")
        return progress
    }

    /// The durations that count, in seconds, and how many segments were read; `measured` is the length of the
    /// first one's media, which begin at the timestamp `first`, and those of the second one `next` seconds
    /// behind it.
    private func durations(
        said length: Double, measured: Double?, first: Double? = 100, next: Double?,
    ) -> (durations: [Double], reads: Int) {
        var (progress, playlist, reads) = (joining(), said(length), 0)
        let arrival = Arrival(date: at(660), steady: moment(660))
        while let index = progress.joinProbeIndex(playlist, at: arrival) {
            reads += 1
            let timestamp = index == 0 ? first : next.map { 100 + $0 }
            progress.joined(
                ProbedSegment(
                    digest: [UInt8(index)], firstTimestamp: timestamp.map { Int64($0 * 90_000) },
                    measuredDuration: measured.map { Int64($0 * 1_000_000) }),
                in: playlist, at: arrival)
        }
        return (progress.entries(of: playlist).map { Double($0.duration) / 1_000_000 }, reads)
    }

    @Test(
        "EXTINF that is half or double of the truth, or missing, is corrected for the first playlist",
        arguments: [3, 12, 0])
    func wrong(length: Double) {
        let found = durations(said: length, measured: 6, next: 6)
        #expect(found.durations == Array(repeating: 6, count: 5))
        #expect(found.reads == 2)
    }

    @Test("Media that cannot be measured show it by where the next segment begins")
    func damaged() {
        #expect(durations(said: 3, measured: nil, next: 6).durations == Array(repeating: 6, count: 5))
    }

    @Test("EXTINF that fits is believed, also if it is rounded, and nothing more is read")
    func right() {
        for length in [6, 6.5, 5.5, 5.1] {
            let found = durations(said: length, measured: 6, next: 6)
            #expect(found.durations == Array(repeating: length, count: 5))
            #expect(found.reads == 1)
        }
    }

    @Test("A segment of which a part was read says nothing, nor does one with another clock behind it")
    func part() {
        #expect(durations(said: 6, measured: 2.4, next: 6).durations == Array(repeating: 6, count: 5))
        #expect(durations(said: 3, measured: 6, next: -40_000).durations == Array(repeating: 3, count: 5))
        #expect(durations(said: 3, measured: 6, next: nil).durations == Array(repeating: 3, count: 5))
    }

    @Test("Where the first segment has no timestamp no second one is read")
    func unstamped() {
        let found = durations(said: 3, measured: 6, first: nil, next: 6)
        #expect(found.durations == Array(repeating: 3, count: 5) && found.reads == 1)
    }
}
