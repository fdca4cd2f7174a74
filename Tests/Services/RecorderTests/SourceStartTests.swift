import Catalogue
import HLS
import Testing
import Timeline

@testable import Recorder

/// What another process recorded goes on with the source that it was taken from.
@Suite("A start of a channel of two sources")
struct SourceStartTests {
    private static let sources = ["one", "two"].enumerated().map {
        SourceSettings(url: "http://\($0.element).test/live.m3u8", priority: $0.offset)
    }

    /// A start at 0, and what came of it.
    private struct Start {
        var driver: StateDriver
        /// What playlists were asked for, and when.
        var asked: [(source: SourceSettings, purpose: PlaylistRequest.Purpose, time: Double)] = []
        /// The segments that were fetched, in turn.
        var fetched: [String] = []
        var messages: [String] = []

        /// Lets time pass; a playlist that is nil is refused.
        mutating func run(
            until end: Double, _ playlist: (SourceSettings, Double) -> String?,
        ) throws {
            var actions = driver.begin(at: 0)
            for time in stride(from: 0.0, to: end, by: 0.25) {
                while !actions.isEmpty {
                    switch actions.removeFirst() {
                    case .fetchPlaylist(let request):
                        let source = request.use.source
                        asked.append((source, request.purpose, time))
                        if let text = playlist(source, time) {
                            actions += try driver.answer(request, text, at: time)
                        } else {
                            let error = SourceError.refused(status: 503)
                            actions += driver.send(.playlistFailed(error, request), at: time)
                        }
                    case .probeSegment(let request):
                        let digest = [UInt8(clamping: request.segment.identity.number)]
                        actions += driver.send(
                            .segmentProbed(ProbedSegment(digest: digest), request), at: time)
                    case .fetchSegment(let request):
                        fetched.append(request.segment.entry.uri)
                        let stored = PartialSegmentTests.stored(
                            request.segment, measured: nil, timestamp: nil)
                        actions += driver.send(.segmentStored(stored, request), at: time)
                    case .log(let message): messages.append(message.text)
                    default: break
                    }
                }
                actions = driver.send(.clockAdvanced, at: time + 0.25)
            }
        }
    }

    /// Numbers 100 to 119 of the second source were recorded when the process before was killed, four seconds
    /// ago; from one of them on they were still to be fetched.
    private static func afterKill(unfetchedFrom first: Int = 120) throws -> Start {
        let known = (100..<120).map { number in
            KnownSegment(
                run: 7, number: Int64(number), start: at(Double(number - 120) * 2 - 4),
                duration: 2 * seconds, isLost: false, digest: [UInt8(number)], isListed: number >= first)
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 20, known: known)
        let run = SourceRun(
            id: 7, source: SourceClient.identity(sources[1].url), began: at(-44), clock: "arrival")
        return Start(driver: try StateDriver(sources, heads: [head], newestRun: run))
    }

    @Test("A source whose rendition answers with a multivariant playlist is left for the other one")
    func multivariantAgain() throws {
        var start = Start(driver: try StateDriver(Self.sources))
        let loop = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlive.m3u8\n"
        try start.run(until: 60) { source, time in source == Self.sources[0] ? loop : Self.media(time) }
        #expect(!start.fetched.isEmpty)
    }

    /// A playlist of eight seconds, whose newest segment was number 121 at 0.
    private static func media(_ time: Double, shift: Int = 0) -> String {
        let newest = 121 + Int(time / 2) + shift
        let entries = (newest - 3...newest).map { "#EXTINF:2,\n\($0).ts\n" }
        return "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(newest - 3)\n" + entries.joined()
    }

    @Test("loses nothing that the source in use lists, while the preferred one refuses everything")
    func goesOn() throws {
        var start = try Self.afterKill()
        try start.run(until: 12) { source, time in source == Self.sources[1] ? Self.media(time) : nil }
        #expect(start.fetched.count >= 5)
        #expect(start.fetched == (120..<120 + start.fetched.count).map { "\($0).ts" })
        #expect(start.driver.state.sources.session?.use.source == Self.sources[1])
        #expect(start.driver.state.sourceChangeCount == 0)
        // The preferred one was looked at once, and is left alone for a while.
        #expect(start.asked.filter { $0.purpose == .failbackCheck }.map(\.time) == [0])
    }

    /// A node that was cut off began a run of the first source, whose numbers it stored to an earlier time.
    @Test("goes on with the source of what is held, also if another node began a later run of the other one")
    func laterRunElsewhere() throws {
        let known = (100..<120).map { number in
            KnownSegment(
                run: 7, number: Int64(number), start: at(Double(number - 120) * 2 - 4), duration: 2 * seconds,
                isLost: false, digest: [UInt8(number)])
        }
        let elsewhere = (5100..<5104).map { number in
            KnownSegment(
                run: 8, number: Int64(number), start: at(Double(number - 5100) * 2 - 40),
                duration: 2 * seconds, isLost: false, digest: [1])
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 20, known: elsewhere + known)
        let runs = Self.sources.enumerated().map { index, source in
            SourceRun(
                id: 8 - Int64(index), source: SourceClient.identity(source.url), began: at(-44),
                clock: "arrival")
        }
        var start = Start(
            driver: try StateDriver(Self.sources, heads: [head], newestRun: runs[0], lastRun: runs[1]))
        try start.run(until: 12) { source, time in source == Self.sources[1] ? Self.media(time) : nil }
        #expect(start.fetched.count >= 5)
        #expect(start.fetched == (120..<120 + start.fetched.count).map { "\($0).ts" })
        #expect(start.driver.state.sources.session?.use.source == Self.sources[1])
        #expect(start.driver.state.sourceChangeCount == 0)
        #expect(start.driver.state.progress.renditions[video(0)]?.run == 7)
        #expect(start.driver.state.progress.newestRun == runs[0])
    }

    @Test("looks in the source in use for what was still to be fetched from the one that is gone")
    func unfetched() throws {
        var start = try Self.afterKill(unfetchedFrom: 118)
        try start.run(until: 6) { source, time in
            source == Self.sources[0] ? Self.media(time, shift: 5000) : nil
        }
        #expect(start.driver.state.sources.session?.use.source == Self.sources[0])
        #expect(start.driver.state.filler.holes.map(\.source) == [Self.sources[1].url])
    }

    @Test("takes a preferred source that delivers after two of its playlists, not after a minute")
    func takesBack() throws {
        var start = try Self.afterKill()
        try start.run(until: 12) { source, time in
            Self.media(time, shift: source == Self.sources[0] ? 5000 : 0)
        }
        #expect(start.fetched.prefix(2) == ["120.ts", "121.ts"])
        #expect(start.messages.contains("A preferred source delivers again"))
        #expect(start.driver.state.sources.session?.use.source == Self.sources[0])
        #expect(start.fetched.contains { $0.hasPrefix("51") })
    }

    @Test("opens the other one within a second where the first refuses, whichever that is")
    func refused() throws {
        var known = try Self.afterKill()
        try known.run(until: 3) { source, time in source == Self.sources[0] ? Self.media(time) : nil }
        #expect(known.driver.state.sources.session?.use.source == Self.sources[0])
        // Nothing was recorded before: the preferred one is the first.
        var new = Start(driver: try StateDriver(Self.sources))
        try new.run(until: 3) { source, time in source == Self.sources[1] ? Self.media(time) : nil }
        #expect(new.asked.first?.source == Self.sources[0])
        let time = try #require(new.asked.first { $0.source == Self.sources[1] }?.time)
        #expect(time <= 1)
        #expect(new.fetched.contains("118.ts"))
    }

    @Test("does not leave the first source for one answer that fails")
    func onceRefused() throws {
        var start = Start(driver: try StateDriver(Self.sources))
        try start.run(until: 3) { _, time in time == 0 ? nil : Self.media(time) }
        #expect(Set(start.asked.map(\.source.url)) == [Self.sources[0].url])
    }

    @Test("asks the other one at once where the first does not answer")
    func silent() throws {
        var driver = try StateDriver(Self.sources)
        let first = try #require(driver.begin(at: 0).playlistRequests.first)
        let actions = driver.send(.playlistFailed(.unreachable("no answer"), first), at: 5)
        #expect(actions.playlistRequests.map(\.use.source) == [Self.sources[1]])
    }

    @Test("asks sources that all refuse at a distance")
    func allRefuse() throws {
        var start = Start(driver: try StateDriver(Self.sources))
        try start.run(until: 60) { _, _ in nil }
        for source in Self.sources {
            #expect((10...20).contains(start.asked.filter { $0.source == source }.count))
        }
    }

    @Test("takes nothing of another source that has ended, before that goes on")
    func ended() throws {
        var start = try Self.afterKill()
        try start.run(until: 40) { source, time in
            guard source == Self.sources[0] else { return nil }
            return time < 15 ? Self.media(0, shift: 5000) + "#EXT-X-ENDLIST\n" : Self.media(time, shift: 5000)
        }
        let old = Set((5118...5121).map { "\($0).ts" })
        #expect(start.fetched.count > 5)
        #expect(old.isDisjoint(with: start.fetched))
    }
}
