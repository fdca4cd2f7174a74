import HLS
import HTTP
import Monitoring
import SegmentStore
import Testing
import Timeline

@testable import Recorder

@Suite("A source in use")
struct SourceSessionTests {
    private static let use = SourceUse(number: 1, source: SourceSettings(url: "http://one.test/index.m3u8"))

    private static func master(_ folder: String) -> String {
        "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\n\(folder)/v.m3u8\n"
    }

    private static let media = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n"

    /// A session whose playlists have just arrived, with a target duration of six seconds.
    private static func session(_ renditions: [RenditionID]) throws -> SourceSession {
        var session = SourceSession(use, now: moment(0))
        var playlistURLs: [RenditionID: [HTTPURL]] = [:]
        for id in renditions { playlistURLs[id] = [try HTTPURL("http://one.test/\(id).m3u8")] }
        session.open(
            playlistURLs, inherited: InheritedTags(),
            polls: playlistURLs.mapValues { _ in RenditionPollState(now: moment(0), chance: 0) },
            at: Moment(date: at(0), steady: moment(0)))
        return session
    }

    /// Playlists go on until a time.
    private static func load(_ session: inout SourceSession, until time: Int) {
        for second in stride(from: 0, through: time, by: 6) {
            for id in session.playlistURLs.keys {
                session.loaded(id, list(second...second + 4), isChanged: true, now: moment(Double(second)))
            }
        }
    }

    @Test("A playlist that goes on while its segments fail is as bad as none, until one succeeds")
    func misses() throws {
        var session = try Self.session([video(0), video(1)])
        func condition(_ id: RenditionID, at time: Double) -> SourceCondition {
            session.condition(after: id, now: moment(time))
        }
        Self.load(&session, until: 36)
        for second in [0.0, 6, 12] { session.tried(video(0), succeeded: false, now: moment(second)) }
        #expect(condition(video(0), at: 18) == .healthy)
        // The other video still comes.
        #expect(condition(video(0), at: 19) == .healthy)
        for _ in 0..<3 { session.tried(video(1), succeeded: false, now: moment(19)) }
        #expect(condition(video(1), at: 38) == .down)
        session.tried(video(0), succeeded: true, now: moment(38))
        #expect(condition(video(0), at: 38) == .healthy)
    }

    @Test("Fewer than three failures do not count, however long ago they were")
    func fewMisses() throws {
        var session = try Self.session([video(0)])
        for _ in 0..<2 { session.tried(video(0), succeeded: false, now: moment(0)) }
        Self.load(&session, until: 3600)
        #expect(session.condition(after: video(0), now: moment(3600)) == .healthy)
    }

    @Test("Where a variant answers nonsense for long, the configured URL is asked where it is now")
    func movedAway() throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/index.m3u8")])
        let opening = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        var requests = try driver.answer(opening, Self.master("a"), at: 0).playlistRequests
        var asked: [String] = []
        for time in stride(from: 0.0, to: 40, by: 0.5) {
            var next: [PlaylistRequest] = []
            for request in requests {
                asked.append(request.url?.description ?? "configured")
                let isThere = request.url?.description.contains("/b/") ?? false
                let text =
                    request.purpose == .renewal
                    ? Self.master("b") : isThere ? Self.media : "<html>gone</html>"
                next += try driver.answer(request, text, at: time).playlistRequests
            }
            requests = next + driver.playlistRequests(at: time + 0.5)
        }
        #expect(asked.contains("configured"))
        #expect(asked.last == "http://one.test/b/v.m3u8")
    }

    @Test("A playlist that leaves segments out unasked is taken where it lacks nothing new")
    func delta() throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/index.m3u8")])
        let opening = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        #expect(try driver.answer(opening, Self.media, at: 6).segmentURIs == ["1.ts"])
        func skipping(_ number: Int) -> String {
            "#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-TARGETDURATION:6\n"
                + "#EXT-X-SKIP:SKIPPED-SEGMENTS=\(number)\n#EXTINF:6,\ndelta\(number).ts\n"
        }
        // Number 2 is left out by the second one, which counts from 0.
        let whole =
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n"
            + ["x", "delta1", "2", "3"].map { "#EXTINF:6,\n\($0).ts\n" }.joined()
        var answers = [skipping(1), skipping(3), whole]
        var fetched: [String] = []
        for time in stride(from: 6.5, to: 40, by: 0.5) {
            for request in driver.playlistRequests(at: time) where !answers.isEmpty {
                fetched += try driver.answer(request, answers.removeFirst(), at: time).segmentURIs
            }
        }
        #expect(fetched == ["delta1.ts", "2.ts", "3.ts"])
    }

    @Test(
        "A playlist that leaves out the tags of keys or initialization sections is not taken",
        arguments: ["#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n", "#EXT-X-MAP:URI=\"init\"\n"])
    func deltaWithoutTags(tag: String) throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/index.m3u8")])
        let opening = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        let head = "#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-TARGETDURATION:6\n"
        func whole(_ count: Int) -> String {
            head + tag + (0..<count).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
        }
        #expect(try driver.answer(opening, whole(1), at: 6).segmentURIs == ["0.ts"])
        let skipping = head + "#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n#EXTINF:6,\n1.ts\n"
        var answers = [skipping, skipping, skipping, whole(2)]
        var fetched: [MediaSegment] = []
        for time in stride(from: 6.5, to: 60, by: 0.5) {
            for request in driver.playlistRequests(at: time) where !answers.isEmpty {
                let actions = try driver.answer(request, answers.removeFirst(), at: time)
                fetched += actions.segmentRequests.map(\.segment.entry)
            }
        }
        #expect(answers.isEmpty)
        #expect(fetched.map(\.uri) == ["1.ts"])
        #expect(fetched.allSatisfy { !$0.keys.isEmpty || $0.map != nil })
    }

    @Test("A multivariant playlist is read again before a token in its URLs expires")
    func tokens() throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/index.m3u8")])
        let opening = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        // `at(0)` is 1,700,000,000.
        func master(_ expiry: Int) -> String {
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8?exp=\(1_700_000_000 + expiry)\n"
        }
        var renewals: [Double] = []
        var requests = try driver.answer(opening, master(120), at: 0).playlistRequests
        for time in stride(from: 0.0, to: 400, by: 0.5) {
            var next: [RecordingAction] = []
            for request in requests where request.purpose == .renewal {
                renewals.append(time)
                next += try driver.answer(request, master(Int(time) + 400), at: time)
            }
            let number = Int(time / 6)
            let media =
                "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(number)\n#EXTINF:6,\n1.ts\n"
            for request in requests where request.purpose != .renewal {
                next += try driver.answer(request, media, at: time)
            }
            requests = next.playlistRequests + driver.playlistRequests(at: time + 0.5)
        }
        // Then by the regular interval: 400 seconds less a minute are longer than five minutes.
        #expect(renewals == [90, 390])
    }

    @Test("A segment that is refused has the multivariant playlist read again")
    func refusedSegment() throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/index.m3u8")])
        let opening = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        let request = try #require(try driver.answer(opening, Self.master("a"), at: 0).playlistRequests.first)
        let segments = try driver.answer(request, Self.media, at: 11).compactMap {
            if case .fetchSegment(let request) = $0 { request } else { nil }
        }
        let segment = try #require(segments.first)
        let actions = driver.send(.segmentFailed(FetchFailure(status: 403), segment), at: 12)
        #expect(actions.playlistRequests.map(\.purpose).contains(.renewal))
    }

    @Test("Where the segments of an edge are refused, the source's URL is asked for the next playlist")
    func refusingEdge() throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/live.m3u8")])
        let opening = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        let edge = "http://edge1/live.m3u8"
        let actions = try driver.answer(opening, Self.media, from: edge, at: 11)
        let segment = try #require(actions.segmentRequests.first)
        let refused = driver.send(.segmentFailed(FetchFailure(status: 403), segment), at: 22)
        let next = refused.playlistRequests + driver.playlistRequests(at: 30)
        #expect(next.map { $0.url?.host ?? "one.test" } == ["one.test"])
    }

    /// Where a rendition's playlist is asked for, in turn.
    ///
    /// A balancer sends each request for its URL to the next edge, and the first edge answers until a time.
    private static func asked(until end: Double, away: Double = .infinity) throws -> [String] {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/index.m3u8")])
        var requests = driver.send(.journalRead(.success([])), at: 0).playlistRequests
        var (asked, edges): ([String], Int) = ([], 0)
        for time in stride(from: 0.0, to: end, by: 0.5) {
            var next: [PlaylistRequest] = []
            for request in requests {
                let host = request.url?.host ?? "one.test"
                if host.hasPrefix("edge") {
                    asked.append(host)
                } else {
                    edges += 1
                    asked.append("balancer")
                }
                if host == "edge1", time > away {
                    let failure = RecordingEvent.playlistFailed(.refused(status: 503), request)
                    next += driver.send(failure, at: time).playlistRequests
                    continue
                }
                let first = Int(time / 6)
                let text =
                    "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(first)\n"
                    + (first..<first + 3).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
                let location = host.hasPrefix("edge") ? host : "edge\(edges)"
                next += try driver.answer(request, text, from: "http://\(location)/v.m3u8", at: time)
                    .playlistRequests
            }
            requests = next + driver.playlistRequests(at: time + 0.25)
        }
        return asked
    }

    @Test("A playlist is asked for where its URL was redirected to, and sometimes at the URL itself")
    func edges() throws {
        let asked = try Self.asked(until: 700)
        #expect(asked.prefix(3) == ["balancer", "edge1", "edge1"])
        #expect(asked.filter { $0 == "balancer" }.count == 3)
        #expect(asked.contains("edge2") && asked.contains("edge3"))
    }

    @Test("An edge that fails is left for where the URL leads to then")
    func failedEdge() throws {
        let asked = try Self.asked(until: 90, away: 30)
        let left = try #require(asked.firstIndex(of: "edge2"))
        #expect(asked[..<left].last == "balancer")
        #expect(asked[left...].allSatisfy { $0 == "edge2" })
    }

    /// Some packagers list their newest segment twice until the next one is there.
    @Test("A newest segment that is listed twice does not hide the ones after it")
    func repeatedNewest() throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/index.m3u8")])
        let opening = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        var requests = [opening]
        for time in stride(from: 0.0, to: 11, by: 0.5) {
            let number = Int(time / 2)
            let names = [number, number + 1, number + 2, number + 2]
            let text =
                "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(number)\n"
                + names.map { "#EXTINF:2,\n\($0).ts\n" }.joined()
            for request in requests { try driver.answer(request, text, at: time) }
            requests = driver.playlistRequests(at: time + 0.5)
        }
        #expect(driver.state.progress.renditions[video(0)]?.status.seen == 8)
        #expect(driver.state.progress.renditions[video(0)]?.follower.highest == 7)
    }

    private static func stored(_ listed: ListedSegment) -> StoredSegment {
        let name = SegmentName(start: listed.start, revision: 0, fileExtension: .transportStream)
        return StoredSegment(
            object: CommittedObject(
                key: .segment(PublisherStage.fact(video(0), 0).channel, video(0), name), byteCount: 1,
                digest: Array(listed.entry.uri.utf8), wasThere: false),
            format: SegmentFormat(container: .transportStream, tracks: "video:h264"), flags: [],
            plainBytes: 1)
    }

    /// The redundant stream counts otherwise, and lists what was recorded first.
    @Test("Where a variant's playlist is gone, its redundant stream goes on, and nothing is recorded twice")
    func redundantStream() throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/index.m3u8")])
        let opening = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        let master = Self.master("a") + "#EXT-X-STREAM-INF:BANDWIDTH=1000000\nhttp://two.test/v.m3u8\n"
        var requests = try driver.answer(opening, master, at: 0).playlistRequests
        var fetched: [String] = []
        for time in stride(from: 0.0, to: 60, by: 0.5) {
            var next: [RecordingAction] = []
            for request in requests {
                let (isSpare, segment) = (request.url?.host == "two.test", Int(time / 6))
                let numbers = segment...segment + 3
                let text =
                    request.purpose == .renewal
                    ? master
                    : !isSpare && time > 20
                        ? "<html>gone</html>"
                        : "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(segment + (isSpare ? 500 : 0))\n"
                            + numbers.map { number in
                                // `at(0)` is 22:13:20.
                                let (minute, second) = ((800 + number * 6) / 60, (800 + number * 6) % 60)
                                return "#EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:\(minute):"
                                    + (second < 10 ? "0" : "") + "\(second)Z\n"
                                    + "#EXTINF:6,\n\(isSpare ? "b" : "a")\(number).ts\n"
                            }.joined()
                next += try driver.answer(request, text, at: time)
            }
            next += driver.send(.clockAdvanced, at: time + 0.5)
            fetched += next.segmentURIs
            for case .fetchSegment(let request) in next {
                driver.send(.segmentStored(Self.stored(request.segment), request), at: time + 0.5)
            }
            requests = next.playlistRequests
        }
        let numbers = fetched.compactMap { Int($0.dropFirst().prefix { $0 != "." }) }
        #expect(numbers == Array(0..<numbers.count))
        #expect(fetched.last?.first == "b")
        #expect(driver.state.progress.renditions.keys.sorted() == [video(0)])
        #expect(driver.state.sources.session?.use.number == 1)
    }
}
