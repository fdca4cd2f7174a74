import Catalogue
import HLS
import TestSupport
import Testing
import Timeline

@testable import Playback

struct PlaylistComposerTests {
    @Test("A window lists exactly the segments that overlap it, for any window and timeline")
    func overlaps() throws {
        var random = SystemRandomNumberGenerator()
        let seed = random.next()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let recorded = RecordedFixture(randomTimeline(&generator))
            let segments = recorded.renditions[0].segments
            let begin = Double.random(in: -50...600, using: &generator)
            let end = begin + Double.random(in: 0.001...400, using: &generator)
            let expected = segments.filter { $0.start < at(end) && $0.end > at(begin) }.map(\.start)
            #expect(try recorded.closed(begin, end).starts() == expected, "seed \(seed)")
        }
    }

    @Test("All renditions have the same discontinuities, even if only one has the hole")
    func commonCount() throws {
        var recorded = RecordedFixture(run(2, from: 0) + run(2, from: 16, sequence: 1))
        recorded.add(run(4, from: 0) + run(2, from: 16, sequence: 1), as: "a0")
        let window = try recorded.closed(0, 24)
        #expect(try readBack(window.text())?.segments.map(\.discontinuityCount) == [0, 0, 1, 0])
        #expect(
            try readBack(window.text(of: "a0"))?.segments.map(\.discontinuityCount) == [0, 0, 0, 0, 1, 0])
    }

    @Test("A hole within one recorded discontinuity sequence is a boundary in every rendition")
    func holeInsideSequence() throws {
        var recorded = RecordedFixture(run(2, from: 0, sequence: 3) + run(2, from: 16, sequence: 3))
        recorded.add(run(6, from: 0, sequence: 3), as: "a0")
        let window = try recorded.closed(0, 24)
        #expect(try readBack(window.text())?.segments.map(\.discontinuityCount) == [0, 0, 1, 0])
        #expect(
            try readBack(window.text(of: "a0"))?.segments.map(\.discontinuityCount) == [0, 0, 0, 0, 1, 0])
    }

    @Test("With GAP entries every rendition has the same discontinuities too", arguments: [1, 0] as [Int32])
    func commonCountWithGaps(sequence: Int32) throws {
        var recorded = RecordedFixture(run(2, from: 0) + run(2, from: 16, sequence: sequence))
        recorded.add(run(4, from: 0) + run(2, from: 16, sequence: sequence), as: "a0")
        let window = try recorded.closed(0, 24) { $0.writesGaps = true }
        for (id, gaps) in [("v0", 2), ("a0", 0)] {
            let list = try #require(try readBack(window.text(of: id)))
            #expect(list.segments.map(\.discontinuityCount) == [0, 0, 0, 0, 1, 0])
            #expect(list.segments.count { $0.isGap } == gaps)
        }
    }

    @Test("A playlist has at most 100,000 GAP entries, and one that grows is refused before it has them")
    func tooManyGaps() throws {
        func count(_ kind: WindowPlan.Kind, hole: Double, end: Double = 300_000) throws -> Int? {
            var plan = WindowPlan(kind: kind, window: window(0, end), isFixed: true)
            plan.writesGaps = true
            let recorded = RecordedFixture(
                run(2, from: 0, of: 2) + run(2, from: 4 + hole, of: 2, number: 2), until: end)
            do throws(PlaybackError) {
                let contents = try PlaylistComposer.compose(recorded.held(), plan: plan)
                return contents.text().map { $0.split(separator: "#EXT-X-GAP\n").count - 1 }
            } catch {
                guard case .tooManyGaps(100_000) = error else { throw error }
                return nil
            }
        }
        #expect(try count(.closed, hole: 200_000) == 100_000)
        #expect(try count(.closed, hole: 200_001) == nil)
        #expect(try count(.event, hole: 8, end: 100_000) == 4)
        #expect(try count(.event, hole: 8, end: 100_001) == nil)
    }

    @Test("Where the container changes, all variants end, whichever of them changes first")
    func commonEnd() throws {
        for (first, second) in [(30.0, 30.0), (30, 34), (34, 30), (30, 150), (151, 29)] {
            var recorded = RecordedFixture()
            recorded.formats[2] = .fragmented("init")
            // Each has segments of its own length.
            for (id, change, length) in [("v0", first, 2.0), ("v1", second, 3)] {
                let count = Int((change / length).rounded(.down))
                let end = Double(count) * length
                recorded.add(
                    run(count, from: 0, of: length)
                        + run(200, from: end, of: length, number: Int64(count), format: 2), as: id)
            }
            var begin = 0.0
            var seen: [Double] = []
            while seen.count < 5 {
                let page = try recorded.closed(begin, 200)
                for rendition in page.renditions {
                    let formats = Set(rendition.segments.map(\.formatID))
                    #expect(formats.count == 1, "\(first) \(second)")
                    let last = try #require(rendition.segments.last)
                    // All end with the segment in which the page ends.
                    #expect(last.start < page.window.end && last.end >= page.window.end)
                }
                #expect(page.renditions.count == 2, "\(first) \(second) from \(begin)")
                guard let next = page.next else { break }
                #expect(next == page.window.end)
                begin = Double(next - at(0)) / 1_000_000
                seen.append(begin)
            }
            #expect(seen.count <= 2 && !seen.isEmpty, "\(first) \(second)")
        }
    }

    @Test("What fills a hole with other timestamps stands between discontinuities, in every rendition")
    func spliced() throws {
        var recorded = RecordedFixture(
            run(2, from: 0) + run(2, from: 8, flags: .spliced) + run(2, from: 16))
        recorded.add(run(6, from: 0), as: "a0")
        for cut: ((Int) -> Bool)? in [nil, { _ in false }] {
            let span = WindowRequest.Span.closed(begin: at(0), end: at(24))
            let window = try recorded.composed(span, cutting: cut) { _ in }
            for id in ["v0", "a0"] {
                let counts = try readBack(window.text(of: id))?.segments.map(\.discontinuityCount)
                #expect(counts == [0, 0, 1, 0, 1, 0])
            }
        }
    }

    @Test("What was entered unpublished says its own discontinuities, in every rendition")
    func unpublishedDiscontinuity() throws {
        let parted = run(1, from: 8, number: nil, flags: .discontinuity) + run(3, from: 12, number: nil)
        var recorded = RecordedFixture(run(2, from: 0) + parted)
        recorded.add(run(6, from: 0, number: nil), as: "a0")
        for cut: ((Int) -> Bool)? in [nil, { _ in false }, { $0 == 1 }, { $0 == 2 }] {
            let span = WindowRequest.Span.closed(begin: at(0), end: at(24))
            let window = try recorded.composed(span, cutting: cut) { _ in }
            for id in ["v0", "a0"] {
                let counts = try readBack(window.text(of: id))?.segments.map(\.discontinuityCount)
                #expect(counts == [0, 0, 1, 0, 0, 0])
            }
        }
        // Where the window begins with it there is nothing before.
        let counts = try readBack(recorded.closed(8, 24).text())?.segments.map(\.discontinuityCount)
        #expect(counts == [0, 0, 0, 0])
    }

    @Test("A rendition that begins later starts with the discontinuity sequence of the others")
    func laterRendition() throws {
        var recorded = RecordedFixture(run(2, from: 0, sequence: 3) + run(2, from: 16, sequence: 3))
        recorded.add(run(2, from: 16, sequence: 3), as: "a0")
        let window = try recorded.closed(0, 24)
        #expect(try readBack(window.text())?.discontinuitySequence == 3)
        #expect(try readBack(window.text(of: "a0"))?.discontinuitySequence == 4)
    }

    @Test("A short stretch without a track is left out, or listed if any tracks are wanted")
    func trackMissing() throws {
        var recorded = RecordedFixture(
            run(2, from: 0) + run(3, from: 8, sequence: 1, format: 2) + run(2, from: 20, sequence: 2))
        recorded.formats[2] = .silent
        let window = try recorded.closed(0, 28)
        #expect(window.starts() == [0, 4, 20, 24].map(at))
        #expect(try readBack(window.text())?.segments.map(\.discontinuityCount) == [0, 0, 2, 0])
        #expect(window.next == nil)
        #expect(try #require(window.leading).missing(in: window.window) == 12_000_000)
        #expect(try recorded.closed(0, 28) { $0.allowsMissingTracks = true }.starts().count == 7)
    }

    @Test(
        "A stretch of a minute without a track ends the answer, even if the window contains less of it"
    )
    func longTrackMissing() throws {
        var recorded = RecordedFixture(
            run(2, from: 0) + run(15, from: 8, sequence: 1, format: 2) + run(2, from: 68, sequence: 2))
        recorded.formats[2] = .silent
        for end in [12.0, 76.0] {
            let window = try recorded.closed(0, end)
            #expect(window.starts() == [0, 4].map(at))
            #expect(window.next == at(8))
            #expect(window.window == TimeWindow(begin: at(0), end: at(8)))
        }
        #expect(try recorded.closed(8, 76).starts().count == 15)
    }

    @Test("A window is not final while a stretch in it may still become long enough to end the answer")
    func undecided() throws {
        var recorded = RecordedFixture(
            run(150, from: 0) + run(25, from: 600, number: 150, sequence: 1, format: 2))
        recorded.formats[2] = .silent
        recorded.add(run(175, from: 0), as: "v1")
        let open = try recorded.published(until: 644).closed(300, 620)
        #expect(open.next == nil && !open.isFinal)
        let decided = try recorded.published(until: 700).closed(300, 620)
        #expect(decided.next == at(600) && decided.isFinal)
        // What was short stays short.
        var brief = RecordedFixture(
            run(150, from: 0) + run(5, from: 600, number: 150, sequence: 1, format: 2)
                + run(20, from: 620, number: 155, sequence: 2))
        brief.formats[2] = .silent
        #expect(try brief.published(until: 644).closed(300, 620).isFinal)
    }

    @Test("A short stretch without a track at the begin does not determine the tracks of the answer")
    func beginWithoutTrack() throws {
        var recorded = RecordedFixture(run(3, from: 0, format: 2) + run(2, from: 12, sequence: 1))
        recorded.formats[2] = .silent
        #expect(try recorded.closed(0, 20).starts() == [12, 16].map(at))
        #expect(try recorded.closed(0, 10).starts() == [0, 4, 8].map(at))
    }

    @Test("A long stretch without a track is not dropped in favour of a short one before it")
    func longBehindShort() throws {
        var recorded = RecordedFixture(
            run(7, from: 0, format: 2) + run(20, from: 29, sequence: 1, format: 2)
                + run(20, from: 109, sequence: 2))
        recorded.formats[2] = .silent
        let window = try recorded.closed(0, 189)
        #expect(window.starts().count == 27)
        #expect(window.next == at(109))
    }

    @Test("Another container ends the answer for all renditions")
    func containerChange() throws {
        var recorded = RecordedFixture(run(2, from: 0) + run(2, from: 8, sequence: 1, format: 2))
        recorded.formats[2] = .fragmented("init-0000000000000001.mp4")
        recorded.formats[3] = SegmentFormat(container: .aac, tracks: "audio:aac")
        recorded.add(run(2, from: 0, format: 3) + run(2, from: 8, sequence: 1, format: 3), as: "a0")
        let window = try recorded.closed(0, 16)
        #expect(window.starts() == [0, 4].map(at))
        #expect(window.starts(of: "a0") == [0, 4].map(at))
        #expect(window.next == at(8))
        #expect(window.isEnded)
        #expect(try recorded.closed(0, 16) { $0.allowsMissingTracks = true }.next == at(8))
        #expect(try recorded.closed(8, 16).starts() == [8, 12].map(at))
    }

    @Test("A segment with unknown tracks is listed")
    func unknownTracks() throws {
        var recorded = RecordedFixture(
            run(2, from: 0) + run(1, from: 8, sequence: 1, format: 2) + run(2, from: 12, sequence: 2))
        recorded.formats[2] = SegmentFormat(container: .transportStream)
        #expect(try recorded.closed(0, 20).starts().count == 5)
    }

    @Test("Segments with unknown tracks do not determine the tracks of the answer")
    func unknownBegin() throws {
        var recorded = RecordedFixture(
            run(2, from: 0, format: 3) + run(2, from: 8) + run(2, from: 16, sequence: 1, format: 2)
                + run(20, from: 24, sequence: 2))
        recorded.formats[2] = .silent
        recorded.formats[3] = SegmentFormat(container: .transportStream)
        #expect(try recorded.closed(0, 32).starts() == [0, 4, 8, 12, 24, 28].map(at))
        #expect(try recorded.closed(0, 16).starts() == [0, 4, 8, 12].map(at))
        recorded.renditions[0].segments.removeSubrange(2..<4)
        #expect(try recorded.closed(0, 32).starts() == [0, 4, 24, 28].map(at))
    }

    @Test("A segment without a key is left out")
    func keyPending() throws {
        let recorded = RecordedFixture(
            run(1, from: 0) + run(1, from: 4, flags: .keyPending) + run(1, from: 8))
        let window = try recorded.closed(0, 12)
        #expect(window.starts() == [0, 8].map(at))
        #expect(try readBack(window.text())?.segments.map(\.discontinuityCount) == [0, 1])
    }

    @Test("Held and missing time add up to the window, from its requested begin to the live edge")
    func completeness() throws {
        var recorded = RecordedFixture(run(2, from: 4) + run(1, from: 20, sequence: 1))
        recorded.watermark = 24
        let window = try recorded.closed(0, 100)
        let (held, missing) = window.completeness(of: try #require(window.leading))
        #expect(window.window == TimeWindow(begin: at(0), end: at(24)))
        #expect((held, missing) == (12_000_000, 12_000_000))
    }

    @Test("If nothing is held, the window has no renditions")
    func nothing() throws {
        #expect(try RecordedFixture(run(2, from: 0)).closed(20, 30).renditions.isEmpty)
    }
}

/// Runs of segments with holes between them, as a recorder would leave them.
private func randomTimeline(_ generator: inout SeededGenerator) -> [RecordedSegment] {
    var segments: [RecordedSegment] = []
    var time = 0.0
    for discontinuitySequence in 0..<Int32.random(in: 1...6, using: &generator) {
        for _ in 0..<Int.random(in: 1...20, using: &generator) {
            let duration = Double(Int.random(in: 900_000...9_000_000, using: &generator)) / 1_000_000
            segments += run(
                1, from: time, of: duration, number: Int64(segments.count), sequence: discontinuitySequence)
            time = Double((segments.last?.end ?? origin) - origin) / 1_000_000
        }
        time += Double.random(in: 1...90, using: &generator)
    }
    return segments
}
