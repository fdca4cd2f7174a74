import HLS
import Testing
import Timeline

@testable import Playback

struct EventTests {
    @Test("An EVENT list only ever appends, whatever is published, and ends at its end")
    func append() throws {
        var recorded = Recorded(
            run(5, from: 0, number: 40) + run(3, from: 20, number: 45, epoch: 1, state: 2)
                + run(10, from: 32, number: 48, epoch: 2) + run(8, from: 100, number: 58, epoch: 3))
        recorded.states[2] = .silent
        var last = ""
        for time in stride(from: 4.0, through: 132, by: 1) {
            let text = try recorded.published(until: time).event(0, 120).text() ?? ""
            #expect(text.hasPrefix(last), "at \(time)")
            #expect(text.hasSuffix("#EXT-X-ENDLIST\n") == (time >= 120), "at \(time)")
            if time >= 120 { break }
            last = text
        }
        let list = try #require(try media(last))
        #expect(list.type == .event)
        #expect(list.mediaSequence == 40)
        #expect(list.targetDurationSeconds == 4)
        #expect(list.start == StartPoint(offsetMicroseconds: 0, isPrecise: true))
    }

    @Test(
        "An EVENT list says in every answer where it starts: the begin inside its first segment, or its first instant",
        arguments: [(1.5, "1.5"), (0, "0"), (-10, "0"), (24, "0")])
    func start(begin: Double, offset: String) throws {
        let recorded = Recorded(run(5, from: 0) + run(20, from: 40, number: 5, epoch: 1))
        for time in [44.0, 60, 100, 120] {
            let text = try recorded.published(until: time).event(begin, 110).text() ?? ""
            #expect(text.contains("#EXT-X-START:TIME-OFFSET=\(offset),PRECISE=YES\n"), "at \(time)")
        }
    }

    @Test(
        "A list of a channel that is over ends with what there is, also behind a stretch that it waited for")
    func over() throws {
        var recorded = Recorded(run(2, from: 0) + run(3, from: 8, number: 2, epoch: 1, state: 2))
        recorded.states[2] = .silent
        let seen = recorded.published(until: 20)
        let open = try seen.event(0, 100).text() ?? ""
        #expect(!open.contains("ENDLIST"))
        #expect(try seen.event(0, 100, isOver: true).text() == open + "#EXT-X-ENDLIST\n")
    }

    @Test("A list that meets another container ends there")
    func containerChange() throws {
        var recorded = Recorded(run(2, from: 0) + run(2, from: 8, number: 2, epoch: 1, state: 2))
        recorded.states[2] = .fragmented("init-0000000000000001.mp4")
        let window = try recorded.published(until: 16).event(0, 100)
        #expect(window.isEnded)
        #expect(window.next == at(8))
        #expect(window.starts() == [0, 4].map(at))
    }

    @Test("A stretch without a track is waited for until it is known how long it is, by every rendition")
    func hold() throws {
        var recorded = Recorded(run(2, from: 0) + run(16, from: 8, number: 2, epoch: 1, state: 2))
        recorded.states[2] = .silent
        recorded.states[3] = MediaState(container: .aac, tracks: "audio:aac")
        recorded.add(run(2, from: 0, state: 3) + run(16, from: 8, number: 2, epoch: 1, state: 3), as: "a0")
        for time in [12.0, 64] {
            let window = try recorded.published(until: time).event(0, 60)
            #expect(window.starts(of: "a0").count == 2)
            #expect(!window.isEnded)
        }
        let window = try recorded.published(until: 68).event(0, 60)
        #expect(window.isEnded)
        #expect(window.next == at(8))
    }

    @Test("What came too late to be published is in a closed window and not in the EVENT list")
    func late() throws {
        var segments = run(3, from: 0)
        segments[1].number = nil
        segments[2].epoch = 1
        segments[2].number = 1
        let recorded = Recorded(segments)
        #expect(try recorded.published(until: 12).event(0, 12).starts() == [0, 8].map(at))
        #expect(try recorded.closed(0, 12).starts() == [0, 4, 8].map(at))
    }
}
