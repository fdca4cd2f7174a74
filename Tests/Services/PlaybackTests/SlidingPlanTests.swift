import Catalogue
import HLS
import TestSupport
import Testing
import Timeline

@testable import Playback

struct SlidingPlanTests {
    private func composed(
        _ recorded: RecordedFixture, until time: Double, length: Double? = nil, delay: Double = 0,
        lag: Double = 0, now: Double? = nil, isOver: Bool = false
    ) -> PlaylistContents {
        recorded.published(until: time).sliding(
            length: length, delay: delay, lag: lag, now: now ?? time + 4, isOver: isOver)
    }

    @Test(
        "A live playlist is open and lists six segments or 30 s, whichever is longer, with published numbers")
    func live() throws {
        let recorded = RecordedFixture(run(100, from: 0, number: 1000, sequence: 5))
        let list = try #require(try readBack(composed(recorded, until: 400).text()))
        #expect(list.segments.count == 8)
        #expect(list.mediaSequence == 1092)
        #expect(list.discontinuitySequence == 5)
        #expect(list.type == nil)
        #expect(!list.isEnded)
        let long = RecordedFixture(run(40, from: 0, of: 10))
        #expect(composed(long, until: 400).starts().count == 6)
    }

    @Test("Only renditions with too little before the edge are read further back")
    func lacking() throws {
        func lacking(_ recorded: RecordedFixture, until time: Double) -> [String] {
            let published = recorded.published(until: time)
            let plan = SlidingPlan(
                length: nil, delay: 0, publishedHead: published.publishedHead, lag: 0, now: at(time))
            return plan.lacking(published.held()).map(\.description).sorted()
        }
        var recorded = RecordedFixture(run(100, from: 0))
        #expect(lacking(recorded, until: 400) == [])
        recorded.add(run(2, from: 380), as: "s0")
        recorded.add(run(100, from: 0), as: "a0")
        #expect(lacking(recorded, until: 400) == ["s0"])
        // Nothing reaches to the edge: whichever comes next may need all of it.
        #expect(lacking(RecordedFixture(), until: 400) == [])
        #expect(lacking(RecordedFixture([], as: "v0"), until: 400) == ["v0"])
    }

    @Test("dvr makes it that long, delay moves it that far back")
    func dvrAndDelay() {
        let recorded = RecordedFixture(run(200, from: 0))
        #expect(composed(recorded, until: 800, length: 120).starts().count == 30)
        let delayed = composed(recorded, until: 800, delay: 100)
        #expect(delayed.renditions[0].segments.last?.end == at(700))
    }

    @Test("A multivariant playlist leaves out what has ended, however long its playlists are")
    func ended() throws {
        var recorded = RecordedFixture(run(100, from: 0))
        recorded.add(run(200, from: 0), as: "v1")
        func named(_ until: Double, length: Double?, delay: Double = 0) throws -> [String] {
            let contents = composed(recorded, until: until, length: length, delay: delay)
            let text = MultivariantRenderer(contents: contents, query: nil, keyFrameRates: [:]).playlist()
            let uris = text.variants.map(\.uri)
            #expect(contents.leading.map { "\($0.id).m3u8" } == uris.first)
            #expect(contents.lasting?.id == contents.leading?.id)
            return uris
        }
        for length in [nil, 60, 600] as [Double?] {
            #expect(try named(400, length: length) == ["v0.m3u8", "v1.m3u8"])
            #expect(try named(416, length: length) == ["v0.m3u8", "v1.m3u8"])
            // Ten target durations after its end.
            #expect(try named(440, length: length) == ["v1.m3u8"])
            // A delayed viewer sees the same later.
            #expect(try named(800, length: length, delay: 390) == ["v0.m3u8", "v1.m3u8"])
            #expect(try named(800, length: length, delay: 300) == ["v1.m3u8"])
        }
        // Those who play it keep its media playlist.
        let kept = composed(recorded, until: 800, length: 600).renditions.map { "\($0.id)" }
        #expect(kept == ["v0", "v1"])
    }

    @Test("A segment that goes on behind the edge is not missing, a hole there is")
    func edgeInside() throws {
        func held(_ recorded: RecordedFixture, delay: Double) throws -> [Int64] {
            let window = composed(recorded, until: 800, delay: delay)
            let (held, missing) = window.completeness(of: try #require(window.leading))
            #expect(held + missing == window.window.microseconds)
            return [held / 1_000_000, missing / 1_000_000]
        }
        let whole = RecordedFixture(run(200, from: 0))
        for delay in [100.0, 101, 102, 103] { #expect(try held(whole, delay: delay) == [32, 0], "\(delay)") }
        let hole = RecordedFixture(run(170, from: 0) + run(20, from: 720, number: 180))
        #expect(try held(hole, delay: 110) == [32, 10])
    }

    @Test("Renditions with segments of other lengths lack nothing, one that has just begun does")
    func unequalLengths() throws {
        var recorded = RecordedFixture(run(20, from: 0, of: 6))
        recorded.formats[2] = .silent
        recorded.formats[3] = SegmentFormat(container: .aac, tracks: "audio:aac")
        recorded.targetSeconds = 6
        recorded.add(run(40, from: 0, of: 3.9, format: 3), as: "a0")
        for time in stride(from: 80.0, to: 90, by: 0.5) {
            try composed(recorded, until: time).checkWhole(nil)
        }
        recorded.add(run(3, from: 78, of: 3.9, format: 3), as: "a1")
        let late = composed(recorded, until: 89.7)
        let begun = try #require(late.renditions.first { "\($0.id)" == "a1" })
        #expect(late.completeness(of: begun).missing == (at(78) - late.window.begin))
    }

    @Test("A delayed playlist continues while the channel stands still")
    func standstill() {
        let recorded = RecordedFixture(run(200, from: 0))
        #expect(composed(recorded, until: 800, delay: 100, now: 812).window.end == at(700))
        #expect(composed(recorded, until: 800, delay: 100, now: 872).window.end == at(760))
        #expect(composed(recorded, until: 800, delay: 100, now: 9000).window.end == at(800))
    }

    @Test("A channel whose dates lag gets the whole delay and continues while it stands still")
    func laggingClock() {
        let recorded = RecordedFixture(run(200, from: 0))
        for lag in [30.0, 3_600] {
            for (now, end) in [(804.0, 700.0), (812, 700), (872, 760), (9_000, 800)] {
                let window = composed(recorded, until: 800, delay: 100, lag: lag, now: now + lag)
                #expect(window.window.end == at(end), "\(now) with \(lag)")
            }
        }
    }

    @Test("Both sequence numbers rise as segments are removed, and by no more than those that were listed")
    func counters() throws {
        let recorded = RecordedFixture(
            run(10, from: 0, number: 0) + run(10, from: 60, number: 10, sequence: 1)
                + run(20, from: 100, number: 20, sequence: 2))
        var last: MediaPlaylist?
        for time in stride(from: 4.0, through: 180, by: 4) {
            let list = try #require(try readBack(composed(recorded, until: time).text()))
            if let last {
                #expect(list.mediaSequence >= last.mediaSequence)
                let removed = Int(list.mediaSequence - last.mediaSequence)
                let lost = last.segments.prefix(removed + 1).dropFirst().reduce(0) {
                    $0 + $1.discontinuityCount
                }
                let before = last.discontinuitySequence ?? 0
                #expect(list.discontinuitySequence == before + UInt64(lost))
                let kept = last.segments.dropFirst(removed).map(\.uri)
                #expect(Array(list.segments.map(\.uri).prefix(kept.count)) == kept)
            }
            last = list
        }
    }

    @Test("Each rendition has six segments and 30 s, even with holes, and its numbers never decrease")
    func holes() throws {
        var recorded = RecordedFixture(run(20, from: 0) + run(30, from: 92, number: 20, sequence: 1))
        recorded.add(
            run(15, from: 0) + run(3, from: 80, number: 15) + run(28, from: 100, number: 18, sequence: 1),
            as: "v1")
        recorded.add(run(80, from: 0, of: 1) + run(120, from: 92, of: 1, number: 80, sequence: 1), as: "a0")
        var last: [String: MediaPlaylist] = [:]
        for time in stride(from: 60.0, through: 212, by: 4) {
            let window = composed(recorded, until: time)
            for id in ["v0", "v1", "a0"] {
                let list = try #require(try readBack(window.text(of: id)))
                #expect(list.segments.count >= 6, "\(id) at \(time)")
                #expect(list.durationMicroseconds >= 30_000_000, "\(id) at \(time)")
                if let last = last[id] {
                    #expect(list.mediaSequence >= last.mediaSequence, "\(id) at \(time)")
                    #expect(
                        (list.discontinuitySequence ?? 0) >= (last.discontinuitySequence ?? 0),
                        "\(id) at \(time)")
                }
                last[id] = list
            }
        }
        #expect(
            composed(recorded, until: 200).starts(of: "v1") == stride(from: 168.0, to: 200, by: 4).map(at))
    }

    @Test("dvr is a length in time, and no hole makes the list shorter than live", arguments: [60.0, 20])
    func dvrOverHole(length: Double) throws {
        let recorded = RecordedFixture(run(20, from: 0) + run(40, from: 180, number: 20, sequence: 1))
        var sequence: UInt64 = 0
        for time in stride(from: 184.0, through: 340, by: 4) {
            let window = composed(recorded, until: time, length: length)
            let list = try #require(try readBack(window.text()))
            #expect(list.segments.count >= 8, "at \(time)")
            let covering = recorded.renditions[0].segments.filter {
                $0.end > at(time - length) && $0.end <= at(time)
            }
            #expect(Set(window.starts()).isSuperset(of: covering.map(\.start)), "at \(time)")
            #expect(list.mediaSequence >= sequence, "at \(time)")
            sequence = list.mediaSequence
        }
    }

    @Test("A live playlist is never shorter than three target durations, as long as so much is held")
    func threeTargets() throws {
        var recorded = RecordedFixture(run(100, from: 0))
        recorded.targetSeconds = 20
        let list = try #require(try readBack(composed(recorded, until: 400).text()))
        #expect(list.targetDurationSeconds == 20)
        #expect(list.segments.count == 15)
        #expect(composed(recorded, until: 400, delay: 40).starts().count == 15)
        #expect(composed(recorded, until: 400, length: 80).starts().count == 20)
        #expect(composed(recorded, until: 40).starts().count == 10)
    }

    @Test(
        "Where the target duration rises nothing is removed until three of it are listed", arguments: [0, 40])
    func risenTarget(delay: Double) throws {
        var recorded = RecordedFixture(
            run(30, from: 0, number: 0) + run(30, from: 120, of: 20, number: 30, sequence: 1))
        recorded.add(
            run(60, from: 0, of: 2, number: 0) + run(200, from: 120, of: 3, number: 60, sequence: 1), as: "a0"
        )
        recorded.raiseTarget(from: 4, to: 20, at: 120)
        var last: [String: MediaPlaylist] = [:]
        for time in stride(from: 80.0, through: 720, by: 1) {
            let window = composed(recorded, until: time, delay: delay)
            for id in ["v0", "a0"] {
                let list = try #require(try readBack(window.text(of: id)))
                let target = try #require(list.targetDurationSeconds)
                #expect(target == (time - delay <= 120 ? 4 : 20), "\(id) at \(time)")
                if let last = last[id] {
                    #expect(list.mediaSequence >= last.mediaSequence, "\(id) at \(time)")
                    if list.mediaSequence > last.mediaSequence {
                        #expect(list.durationMicroseconds >= Int64(target) * 3_000_000, "\(id) at \(time)")
                    }
                }
                last[id] = list
            }
        }
        #expect(last["a0"].map { $0.durationMicroseconds <= 63_000_000 } == true)
    }

    @Test("A rendition that has stopped is dropped and does not hold back the others")
    func vanished() {
        var recorded = RecordedFixture(run(100, from: 0))
        recorded.add(run(50, from: 0), as: "v1") { $0.bandwidth = 9_000_000 }
        let window = composed(recorded, until: 400)
        #expect(window.renditions.map(\.id.description) == ["v0"])
        #expect(window.starts().first == at(368))
    }

    @Test(
        "After an outage no rendition is left out because its first segment ends later", arguments: [0.0, 40])
    func afterOutage(delay: Double) {
        var recorded = RecordedFixture(run(50, from: 0, format: 2) + run(50, from: 260, format: 2))
        recorded.formats[2] = .silent
        recorded.formats[3] = SegmentFormat(container: .aac, tracks: "audio:aac")
        let audio = run(50, from: 0, format: 3) + run(50, from: 259.99, of: 4.02, format: 3)
        recorded.add(audio, as: "a0")
        let window = composed(recorded, until: 264 + delay, delay: delay, now: 264 + delay)
        #expect(window.starts().last == at(260))
        #expect(window.starts(of: "a0").last == at(196))
        #expect(window.continuing.map(\.id.description) == ["v0", "a0"])
        #expect(window.lasting == nil)
    }

    @Test("Older segments are read for a rendition whose only ones near the edge end after it")
    func unlisted() {
        var recorded = RecordedFixture(run(20, from: 260))
        recorded.add(run(20, from: 259.99, of: 4.02), as: "v1")
        let plan = SlidingPlan(
            length: nil, delay: 0, publishedHead: recorded.published(until: 264).publishedHead, lag: 0,
            now: at(264))
        let held = recorded.published(until: 264).held()
        #expect(plan.lacking(held).map(\.description).sorted() == ["v0", "v1"])
    }

    @Test("Only a playlist that has reached the end of a finished channel is ended")
    func over() {
        let recorded = RecordedFixture(run(50, from: 0))
        #expect(composed(recorded, until: 200, isOver: true).text()?.hasSuffix("#EXT-X-ENDLIST\n") == true)
        #expect(composed(recorded, until: 200, delay: 20, isOver: true).text()?.contains("ENDLIST") == false)
        #expect(composed(recorded, until: 200, delay: 20, now: 999, isOver: true).isEnded)
    }

    @Test("A playlist never mixes containers")
    func containers() {
        var recorded = RecordedFixture(
            run(10, from: 0) + run(2, from: 40, number: 10, sequence: 1, format: 2))
        recorded.formats[2] = .fragmented("init-0000000000000001.mp4")
        #expect(composed(recorded, until: 48).starts() == [40, 44].map(at))
    }

    @Test("All renditions begin at the same time, within a segment")
    func renditions() {
        var recorded = RecordedFixture(run(100, from: 0))
        recorded.add(run(200, from: 0, of: 2), as: "a0")
        let window = composed(recorded, until: 400)
        #expect(window.starts().first == at(368))
        #expect(window.starts(of: "a0").first == at(370))
    }
}
