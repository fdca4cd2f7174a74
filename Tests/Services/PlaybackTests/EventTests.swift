import HLS
import TestSupport
import Testing
import Timeline

@testable import Playback

struct EventTests {
    @Test("An EVENT playlist only appends, whatever is published, and ends at its end")
    func append() throws {
        var recorded = RecordedFixture(
            run(5, from: 0, number: 40) + run(3, from: 20, number: 45, sequence: 1, format: 2)
                + run(10, from: 32, number: 48, sequence: 2) + run(8, from: 100, number: 58, sequence: 3))
        recorded.formats[2] = .silent
        var last = ""
        for time in stride(from: 4.0, through: 132, by: 1) {
            let text = try recorded.published(until: time).event(0, 120).text() ?? ""
            #expect(text.hasPrefix(last), "at \(time)")
            #expect(text.hasSuffix("#EXT-X-ENDLIST\n") == (time >= 120), "at \(time)")
            if time >= 120 { break }
            last = text
        }
        let list = try #require(try readBack(last))
        #expect(list.type == .event)
        #expect(list.mediaSequence == 40)
        #expect(list.targetDurationSeconds == 4)
        #expect(list.start == StartPoint(offsetMicroseconds: 0, isPrecise: true))
    }

    @Test(
        "An EVENT playlist always has a start offset: the begin within its first segment, or zero",
        arguments: [(1.5, "1.5"), (0, "0"), (-10, "0"), (24, "0")])
    func start(begin: Double, offset: String) throws {
        let recorded = RecordedFixture(run(5, from: 0) + run(20, from: 40, number: 5, sequence: 1))
        for time in [44.0, 60, 100, 120] {
            let text = try recorded.published(until: time).event(begin, 110).text() ?? ""
            #expect(text.contains("#EXT-X-START:TIME-OFFSET=\(offset),PRECISE=YES\n"), "at \(time)")
        }
    }

    @Test(
        "The playlist of a finished channel ends with what is held, even if it waited for more")
    func over() throws {
        var recorded = RecordedFixture(run(2, from: 0) + run(3, from: 8, number: 2, sequence: 1, format: 2))
        recorded.formats[2] = .silent
        let seen = recorded.published(until: 20)
        let open = try seen.event(0, 100).text() ?? ""
        #expect(!open.contains("ENDLIST"))
        #expect(try seen.event(0, 100, isOver: true).text() == open + "#EXT-X-ENDLIST\n")
    }

    @Test("A playlist ends where the container changes")
    func containerChange() throws {
        var recorded = RecordedFixture(run(2, from: 0) + run(2, from: 8, number: 2, sequence: 1, format: 2))
        recorded.formats[2] = .fragmented("init-0000000000000001.mp4")
        let window = try recorded.published(until: 16).event(0, 100)
        #expect(window.isEnded)
        #expect(window.next == at(8))
        #expect(window.starts() == [0, 4].map(at))
    }

    @Test("All renditions wait until the length of a stretch without a track is known")
    func hold() throws {
        var recorded = RecordedFixture(run(2, from: 0) + run(16, from: 8, number: 2, sequence: 1, format: 2))
        recorded.formats[2] = .silent
        recorded.formats[3] = SegmentFormat(container: .aac, tracks: "audio:aac")
        recorded.add(
            run(2, from: 0, format: 3) + run(16, from: 8, number: 2, sequence: 1, format: 3), as: "a0")
        for time in [12.0, 64] {
            let window = try recorded.published(until: time).event(0, 60)
            #expect(window.starts(of: "a0").count == 2)
            #expect(!window.isEnded)
        }
        let window = try recorded.published(until: 68).event(0, 60)
        #expect(window.isEnded)
        #expect(window.next == at(8))
    }

    /// A rendition of six-second segments beside one of 3.9 s.
    private func unequal(_ video: [RecordedSegment]) -> RecordedFixture {
        var recorded = RecordedFixture(video)
        recorded.formats[2] = .silent
        recorded.formats[3] = SegmentFormat(container: .aac, tracks: "audio:aac")
        recorded.targetSeconds = 6
        recorded.add(run(40, from: 0, of: 3.9, format: 3), as: "a0")
        return recorded
    }

    @Test("ENDLIST follows the segment that covers the end, independent of the other renditions")
    func unequalEnd() throws {
        let recorded = unequal(run(10, from: 0, of: 6))
        let growing = try recorded.published(until: 7.8).event(0, 8)
        #expect(growing.starts() == [at(0)] && !growing.isEnded)
        let ended = try recorded.published(until: 11.7).event(0, 8)
        #expect(ended.starts() == [0, 6].map(at) && ended.isEnded)
        for id in ["v0", "a0"] {
            let later = try recorded.published(until: 40).event(0, 8)
            #expect(later.text(of: id) == ended.text(of: id))
        }
    }

    @Test("A segment that goes on after the live edge is not missing in any rendition, a hole is")
    func edgeInside() throws {
        let growing = try unequal(run(10, from: 0, of: 6)).published(until: 15).event(0, 60)
        #expect(growing.starts() == [0, 6].map(at))
        #expect(growing.renditions.map { growing.completeness(of: $0).missing } == [0, 0])
        try growing.checkWhole(nil)
        let broken = unequal(run(1, from: 0, of: 6) + run(5, from: 12, of: 6, number: 2))
        let hole = try broken.published(until: 15).event(0, 60)
        let missing = Dictionary(
            uniqueKeysWithValues: hole.renditions.map { ("\($0.id)", hole.completeness(of: $0).missing) })
        #expect(missing == ["v0": 6_000_000, "a0": 0])
    }

    @Test("A change of container ends the playlist after the segment that overlaps it")
    func unequalContainer() throws {
        var recorded = unequal(
            run(2, from: 0, of: 6) + run(2, from: 12, of: 6, number: 2, sequence: 1, format: 4))
        recorded.formats[4] = .fragmented("init-0000000000000001.mp4")
        let window = try recorded.published(until: 12.5).event(0, 100)
        #expect(window.isEnded && window.next == at(12))
        #expect(window.starts(of: "a0") == [0, 3.9, 7.8, 11.7].map(at))
    }

    @Test("A stretch without a track holds back the other renditions as soon as the watermark reaches it")
    func unequalHold() throws {
        let recorded = unequal(
            run(2, from: 0, of: 6) + run(2, from: 12, of: 6, number: 2, sequence: 1, format: 2)
                + run(10, from: 24, of: 6, number: 4, sequence: 2))
        for time in [15.6, 18, 19.5, 23.4] {
            let window = try recorded.published(until: time).event(0, 100)
            #expect(window.starts(of: "a0") == [0, 3.9, 7.8, 11.7].map(at), "at \(time)")
        }
        #expect(try recorded.published(until: 30).event(0, 100).starts() == [0, 6, 24].map(at))
    }

    @Test("The target duration rises with what the playlist lists, and not with what follows its end")
    func target() throws {
        var recorded = RecordedFixture(
            run(25, from: 0, number: 0) + run(20, from: 100, of: 12, number: 25, sequence: 1))
        recorded.add(
            run(50, from: 0, of: 2, number: 0) + run(20, from: 101, of: 12, number: 50, sequence: 1), as: "a0"
        )
        recorded.raiseTarget(from: 6, to: 12, at: 100)
        for id in ["v0", "a0"] {
            let ended = try recorded.published(until: 60).event(0, 60)
            #expect(try readBack(ended.text(of: id))?.targetDurationSeconds == 6)
            for time in [100.0, 112, 300] {
                let later = try recorded.published(until: time).event(0, 60)
                #expect(later.text(of: id) == ended.text(of: id), "\(id) at \(time)")
            }
            for time in stride(from: 10.0, through: 300, by: 1) {
                let list = try readBack(recorded.published(until: time).event(0, 200).text(of: id))
                #expect(list?.targetDurationSeconds == (time < 112 ? 6 : 12), "\(id) at \(time)")
            }
        }
        // Neither falls when retention takes the head.
        let left = try recorded.expiring(before: 50).published(until: 112).event(0, 200)
        #expect(try readBack(left.text())?.targetDurationSeconds == 12)
    }

    @Test("GAP entries do not change when the target duration rises")
    func gaps() throws {
        var recorded = RecordedFixture(
            run(2, from: 0, of: 6) + run(2, from: 32, of: 6, number: 2, sequence: 1)
                + run(2, from: 44, of: 10, number: 4, sequence: 2))
        recorded.targetSeconds = 6
        let early = try recorded.published(until: 44).event(0, 100) { $0.writesGaps = true }
        recorded.targetSeconds = 10
        let late = try recorded.published(until: 64).event(0, 100) { $0.writesGaps = true }
        let before = try #require(try readBack(early.text())).segments
        let after = try #require(try readBack(late.text())).segments
        #expect(before.count { $0.isGap } == 4)
        #expect(before.filter(\.isGap).allSatisfy { $0.durationMicroseconds <= 6_000_000 })
        #expect(Array(after.prefix(before.count)) == before)
    }

    @Test("A playlist that loses segments to retention is not EVENT, and counts the removed segments")
    func expiredBefore() throws {
        let recorded = RecordedFixture(
            run(5, from: 0, number: 40) + run(15, from: 20, number: 45, sequence: 1))
        let whole = try readBack(try recorded.published(until: 60).event(1.5, 100).text())
        #expect(whole?.type == .event)
        let left = try readBack(try recorded.expiring(before: 24).published(until: 60).event(1.5, 100).text())
        #expect(left?.type == nil)
        #expect(left?.mediaSequence == 46)
        #expect(left?.discontinuitySequence == 1)
        #expect(left?.segments.first?.uri == "v0/1469509540000.ts")
        // The first segment begins before the window and expires before the window's begin.
        let cut = try readBack(try recorded.expiring(before: 1).published(until: 60).event(1.5, 100).text())
        #expect(cut?.type == nil)
        #expect(cut?.mediaSequence == 41)
    }

    /// The number of each entry, by its URI; GAP entries have one, too (RFC 8216bis §6.2.1).
    private func numbers(_ recorded: RecordedFixture, writesGaps: Bool = true) throws -> [String: UInt64] {
        let text = try recorded.event(0, 100) { $0.writesGaps = writesGaps }.text()
        let list = try #require(try readBack(text))
        return Dictionary(
            uniqueKeysWithValues: zip(list.segments.map(\.uri), list.mediaSequence...))
    }

    @Test("Entries keep their numbers when retention takes the head, with gaps asked for or not")
    func expiredGaps() throws {
        var recorded = RecordedFixture(
            run(5, from: 0, number: 40) + run(15, from: 32, number: 45, sequence: 1))
        recorded.retentionSeconds = 50
        let whole = try numbers(recorded.published(until: 60))
        let left = try numbers(recorded.expiring(before: 24).published(until: 76))
        #expect(left["v0/1469509548000.ts"] == 45)
        for (uri, number) in left { #expect(whole[uri].map { $0 == number } ?? true, "\(uri)") }
        #expect(Set(left.keys).intersection(whole.keys).count == 7)
    }

    @Test("A playlist with gaps whose head went before its time is gone until it has ended")
    func unforeseenExpiry() throws {
        var recorded = RecordedFixture(
            run(5, from: 0, number: 40) + run(18, from: 32, number: 45, sequence: 1))
        recorded.retentionSeconds = 3600
        #expect(try numbers(recorded.published(until: 60)).count == 5 + 3 + 7)
        #expect(throws: PlaybackError.self) {
            try recorded.expiring(before: 24).published(until: 76).event(0, 100) { $0.writesGaps = true }
        }
        let left = try recorded.expiring(before: 24).published(until: 76).event(0, 100)
        #expect(left.starts().first == at(32))
        let over = try recorded.expiring(before: 24).published(until: 104)
            .event(0, 100) { $0.writesGaps = true }
        #expect(over.isEnded)
    }

    /// Twelve seconds without audio after twenty with it.
    private var halfSilent: RecordedFixture {
        var recorded = RecordedFixture(
            run(5, from: 0, number: 40) + run(3, from: 20, number: 45, sequence: 1, format: 2)
                + run(17, from: 32, number: 48, sequence: 2))
        recorded.formats[2] = .silent
        return recorded
    }

    @Test("Entries keep their numbers when retention takes the head before, within or behind a lost track")
    func expiredSilence() throws {
        var recorded = halfSilent
        recorded.retentionSeconds = 50
        let whole = try numbers(recorded.published(until: 76), writesGaps: false)
        for cut in [16.0, 24, 28, 32, 40] {
            let seen = recorded.expiring(before: cut).published(until: 80)
            #expect(try !seen.event(0, 100).isEnded, "\(cut)")
            let left = try numbers(seen, writesGaps: false)
            #expect(left["v0/1469509592000.ts"] == 59, "\(cut)")
            for (uri, number) in left { #expect(whole[uri].map { $0 == number } ?? true, "\(uri) at \(cut)") }
        }
    }

    @Test("A playlist with a lost track whose head went before its time is gone until it has ended")
    func unforeseenSilence() throws {
        var recorded = halfSilent
        recorded.retentionSeconds = 3600
        #expect(try numbers(recorded.published(until: 60), writesGaps: false).count == 5 + 7)
        for cut in [16.0, 24] {
            #expect(throws: PlaybackError.self, "\(cut)") {
                try recorded.expiring(before: cut).published(until: 76).event(0, 100)
            }
            #expect(try recorded.expiring(before: cut).published(until: 100).event(0, 100).isEnded)
            let any = try recorded.expiring(before: cut).published(until: 76).event(0, 100) {
                $0.allowsMissingTracks = true
            }
            #expect(any.starts().first == at(cut))
        }
        #expect(try recorded.expiring(before: 32).published(until: 76).event(0, 100).starts().first == at(32))
    }

    @Test("A playlist that begins with unknown tracks has the tracks of the following segments")
    func unknownBegin() throws {
        var recorded = RecordedFixture(
            run(2, from: 0, format: 4) + run(2, from: 8, number: 2)
                + run(15, from: 16, number: 4, sequence: 1, format: 2))
        recorded.formats[2] = .silent
        recorded.formats[4] = SegmentFormat(container: .transportStream)
        #expect(try recorded.published(until: 40).event(0, 100).starts() == [0, 4, 8, 12].map(at))
        let window = try recorded.published(until: 76).event(0, 100)
        #expect(window.isEnded && window.next == at(16))
    }

    @Test("A segment that was too late to be published is in a closed window but not in an EVENT playlist")
    func late() throws {
        var segments = run(3, from: 0)
        segments[1].number = nil
        segments[2].discontinuitySequence = 1
        segments[2].number = 1
        let recorded = RecordedFixture(segments)
        #expect(try recorded.published(until: 12).event(0, 12).starts() == [0, 8].map(at))
        #expect(try recorded.closed(0, 12).starts() == [0, 4, 8].map(at))
    }
}
