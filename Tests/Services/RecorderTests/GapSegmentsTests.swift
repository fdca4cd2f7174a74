import Catalogue
import HLS
import Monitoring
import Testing
import Timeline

@testable import Recorder

@Suite("A segment that was listed under EXT-X-GAP, and is listed without it later")
struct GapSegmentsTests {
    private static func text(isGap: Bool) -> String {
        "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:6,\n0.ts\n"
            + "\(isGap ? "#EXT-X-GAP\n" : "")#EXTINF:6,\n1.ts\n#EXTINF:6,\n2.ts\n"
    }

    /// A channel whose segments 40 and 41 are listed as gaps until a time; nothing has been done yet.
    private static func channel(withGapsUntil end: Double) -> SimulatedChannel {
        SimulatedChannel([
            SimulatedSource(
                url: "http://one.test/live.m3u8", renditions: [video(0)],
                faults: [.gap(video(0), 40...41, until: end)])
        ])
    }

    @Test("goes to the archive when its turn has passed, and its time is held")
    func late() {
        var channel = Self.channel(withGapsUntil: 260)
        channel.run(until: 255)
        #expect(!channel.requested.contains { (40...41).contains($0.number) })
        channel.run(until: 600)
        channel.stop()
        let late = channel.segments.filter { $0.fact.flags.contains(.late) }
        #expect(late.map(\.fact.identity.number) == [40, 41])
        #expect(late.allSatisfy { $0.number == nil })
        #expect(Set(channel.losses.map(\.reason)) == [.sourceGap])
        let held = channel.segments.map(\.fact).sorted { $0.start < $1.start }
        #expect(held.count > 90 && zip(held, held.dropFirst()).allSatisfy { $0.end == $1.start })
        #expect(channel.trimmed.count == channel.journal.count)
    }

    @Test(
        "is fetched by a process that has found it a gap, though an earlier one gave it up",
        arguments: [true, false])
    func nextProcess(isFirstGap: Bool) {
        let known = (0..<6).map { number in
            KnownSegment(
                run: 7, number: number, start: at(Double(number) * 6), duration: 6 * seconds,
                isLost: (2...3).contains(number), digest: (2...3).contains(number) ? [] : [1])
        }
        var progress = RenditionProgress(
            resuming: RenditionHead(
                description: RenditionDescription(id: video(0)), nextNumber: 6, known: known),
            choice: .auto)
        var list = list(2...6)
        if isFirstGap { list.segments[1].isGap = true }
        _ = progress.list(
            list, from: 4, opensHole: false, cause: nil, hole: .recorderDown, arrival: arrived(43),
            shared: [:])
        var listing = Listing()
        progress.regain(&listing, in: list)
        #expect(listing.due.isEmpty)
        list.segments[1].isGap = false
        for isFirst in [true, false] {
            listing = Listing()
            progress.regain(&listing, in: list)
            let isDue = isFirst && isFirstGap
            #expect(listing.due.map(\.identity.number) == (isDue ? [3] : []))
            #expect(listing.due.map(\.placed.start) == (isDue ? [at(18)] : []))
        }
    }

    @Test("stays lost when it leaves the playlist before that")
    func gone() {
        var channel = Self.channel(withGapsUntil: 400)
        channel.run(until: 600)
        channel.stop()
        #expect(!channel.requested.contains { (40...41).contains($0.number) })
        #expect(channel.status?.renditions.map(\.lost) == [[.sourceGap: 2]])
    }

    @Test("is published in its turn while one before it is still being fetched")
    func inTurn() throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/live.m3u8")])
        let opening = try #require(driver.begin(at: 0).playlistRequests.first)
        var fetched = try driver.answer(opening, Self.text(isGap: true), at: 0.1).segmentRequests
        #expect(fetched.map(\.segment.entry.uri) == ["0.ts", "2.ts"])
        var (polls, time) = ([PlaylistRequest](), 6.0)
        while polls.isEmpty, time < 10 {
            time += 0.5
            polls = driver.playlistRequests(at: time)
        }
        let again = try driver.answer(try #require(polls.first), Self.text(isGap: false), at: time)
        #expect(again.segmentURIs == ["1.ts"])
        fetched += again.segmentRequests
        for request in fetched {
            let stored = PartialSegmentTests.stored(request.segment, measured: nil, timestamp: nil)
            driver.send(.segmentStored(stored, request), at: 10.5)
        }
        // Nothing was given up, as the catalogue has not answered yet.
        var actions = driver.send(.catalogueAnswered(.success(true)), at: 11)
        var segments: [DecidedSegment] = []
        for time in stride(from: 11.1, to: 13, by: 0.1) {
            while let action = actions.popLast() {
                guard case .commit(let batch) = action else { continue }
                segments += batch.segments
                actions += driver.send(.catalogueAnswered(.success(true)), at: time)
            }
            actions = driver.send(.clockAdvanced, at: time)
        }
        #expect(segments.map(\.number) == [0, 1, 2])
        #expect(segments.map(\.fact.identity.number) == [0, 1, 2])
    }
}
