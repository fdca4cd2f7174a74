import Catalogue
import Digest
import HLS
import Journal
import SegmentStore
import Testing
import Timeline

@testable import Recorder

@Suite("A segment whose first transfer is cut")
struct CutSegmentTests {
    private let whole = SmallStream.pictures(50)
    private let other = SmallStream.pictures(60, from: 900_000)

    private func request(_ origin: Origin, keys: [Key] = []) throws -> SegmentRequest {
        var request = Ciphered.lastTry("7.ts", keys: keys, at: try origin.url("/index.m3u8"))
        (request.attempt, request.isLast) = (1, false)
        return request
    }

    /// The request for the second try, after the first transfer of `whole` was cut.
    private func secondTry(_ origin: Origin, _ fetcher: SegmentFetcher) async throws -> SegmentRequest {
        var request = try request(origin)
        serveCut(whole, 5000, origin)
        let part = try #require(await fetcher.outcome(of: request).stored)
        (request.attempt, request.held) = (2, IncompleteSegment(part))
        return request
    }

    /// Serves the beginning of a segment and cuts the connection.
    private func serveCut(_ bytes: [UInt8], _ count: Int, _ origin: Origin) {
        origin.serve("/7.ts", Array(bytes.prefix(count)), announcing: UInt64(bytes.count))
    }

    @Test("is kept as far as it came, and replaced by what begins with it and has more, but by nothing else")
    func replaced() async throws {
        try await Origin.run { origin in
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store)
            var request = try request(origin)
            serveCut(whole, 5000, origin)
            let part = try #require(await fetcher.outcome(of: request).stored)
            #expect(part.isCut && part.flags == .damaged && part.plainBytes == 5000)
            #expect(try await store.read(part.object.key) == Array(whole.prefix(5000)))
            (request.attempt, request.held) = (2, IncompleteSegment(part))

            for isCut in [true, false] {
                if isCut { serveCut(other, 7000, origin) } else { origin.serve("/7.ts", other) }
                let failure = try #require(await fetcher.outcome(of: request).failure)
                #expect(!failure.hasNoBetterBytes && failure.isTransient, "\(failure)")
            }
            // What is cut earlier tells nothing; the same again is what the source has.
            serveCut(whole, 4000, origin)
            #expect(await fetcher.outcome(of: request).failure?.hasNoBetterBytes == false)
            serveCut(whole, 5000, origin)
            #expect(await fetcher.outcome(of: request).failure?.hasNoBetterBytes == true)
            #expect(try await store.read(part.object.key) == Array(whole.prefix(5000)))

            serveCut(whole, 7000, origin)
            let more = try #require(await fetcher.outcome(of: request).stored)
            #expect(more.isCut && more.plainBytes == 7000)
            request.held = IncompleteSegment(more)
            origin.serve("/7.ts", whole)
            let stored = try #require(await fetcher.outcome(of: request).stored)
            #expect(!stored.isCut && stored.flags == [])
            #expect(try await store.read(stored.object.key) == whole)
        }
    }

    @Test("is replaced by another server's bytes of the same media, once playlists have gone on to list it")
    func otherServer() async throws {
        try await Origin.run { origin in
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            var request = try await secondTry(origin, fetcher)
            // One byte of the media is another, as in the packets of another packager.
            var packaged = whole
            packaged[4000] ^= 1
            for listings in [nil, 0, 1] {
                request.listingsSinceOtherBytes = listings
                origin.serve("/7.ts", packaged)
                #expect(await fetcher.outcome(of: request).failure?.isOtherBeginning == true)
            }
            request.listingsSinceOtherBytes = 2
            serveCut(packaged, 7000, origin)
            #expect(await fetcher.outcome(of: request).failure?.isOtherBeginning == true)
            // Media of another time are another segment.
            origin.serve("/7.ts", other)
            #expect(await fetcher.outcome(of: request).failure?.isOtherBeginning == true)
            origin.serve("/7.ts", packaged)
            let stored = try #require(await fetcher.outcome(of: request).stored)
            #expect(!stored.isCut && stored.flags == [])
        }
    }

    @Test(
        "and that its key opens is kept as far as it came, and replaced by what begins with it only",
        arguments: [EncryptionChoice.keep, .clear])
    func encrypted(encryption: EncryptionChoice) async throws {
        try await Origin.run { origin in
            let store = MemorySegmentStore()
            let fetcher = try origin.fetcher(store: store, encryption: encryption)
            let keys = [Key(method: .aes128, uri: "key", initializationVector: 7)]
            var request = try request(origin, keys: keys)
            let plain = Ciphered.subtitles(comments: 400)
            let (body, otherBody) = (
                try Ciphered.encrypted(plain),
                try Ciphered.encrypted(plain.map { $0 == UInt8(ascii: "w") ? UInt8(ascii: "v") : $0 })
            )
            func clear(_ stored: StoredSegment) async throws -> [UInt8] {
                let bytes = try await store.read(stored.object.key)
                guard encryption == .keep else { return bytes }
                var cipher = try AES128CBC(.decrypt, key: Ciphered.key, iv: Ciphered.iv)
                let head = try cipher.update(bytes)
                return head + (try cipher.finish())
            }
            origin.serve("/key", Ciphered.key)
            serveCut(body, 5009, origin)
            let part = try #require(await fetcher.outcome(of: request).stored)
            #expect(part.isCut && part.flags == .damaged && part.plainBytes == 5008)
            #expect(try await clear(part) == Array(plain.prefix(5008)))
            (request.attempt, request.held) = (2, IncompleteSegment(part))
            origin.serve("/7.ts", otherBody)
            #expect(await fetcher.outcome(of: request).failure?.isTransient == true)
            origin.serve("/7.ts", body)
            let stored = try #require(await fetcher.outcome(of: request).stored)
            #expect(!stored.isCut && stored.flags == [])
            #expect(try await clear(stored) == plain)
            if encryption == .keep { #expect(try await store.read(stored.object.key) == body) }
        }
    }

    @Test("is asked for once more where no more came than the first bytes, which are alike in all segments")
    func firstBytes() async throws {
        try await Origin.run { origin in
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            var request = try request(origin)
            serveCut(whole, Int(Limits.knownBeginning) - 1, origin)
            #expect(await fetcher.outcome(of: request).failure?.isCut == true)
            request.attempt = 2
            #expect(await fetcher.outcome(of: request).stored?.isCut == true)
        }
    }

    @Test("does not fill a hole of another source")
    func hole() async throws {
        try await Origin.run { origin in
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            var request = try request(origin)
            let hole = Hole(
                rendition: video(0), window: request.segment.placed.window, source: "http://one.test/",
                since: moment(0))
            request.repair = Repair(hole: hole)
            serveCut(whole, 5000, origin)
            #expect(await fetcher.outcome(of: request).failure?.isCut == true)
        }
    }

    @Test("is replaced by the whole segment of another source, whose bytes are others")
    func elsewhere() async throws {
        try await Origin.run { origin in
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            var request = try await secondTry(origin, fetcher)
            let hole = Hole(
                rendition: video(0), window: request.segment.placed.window, source: "http://one.test/",
                since: moment(0))
            request.repair = Repair(hole: hole)
            origin.serve("/7.ts", other)
            #expect(await fetcher.outcome(of: request).stored?.plainBytes == Int64(other.count))
        }
    }

    @Test("is published as far as it came where its source is away until it need not hold it any longer")
    func away() throws {
        var recording = try PartialRecordingTests.Recording()
        for number: Int64 in [0, 1, 3] { recording.store(number, measured: 6, bytes: 9400, at: 0.5) }
        try recording.cut(2, after: 5000, at: 0.5)
        for time in stride(from: 0.6, to: 300, by: 0.2) {
            recording.pass(from: time, until: time)
            recording.fail(2, at: time)
        }
        #expect(recording.published == [0, 1, 2, 3] && recording.segments.count == 4)
        #expect(recording.segments[2].fact.flags == .damaged)
        // It is tried for as often as what did not come at all.
        #expect(zip(recording.retries, recording.retries.dropFirst()).allSatisfy { $1 - $0 < 3.5 })
        #expect((20..<90).contains(try #require(recording.retries.last)))
    }

    @Test("is replaced when its source is back in time, however many others stayed parts")
    func back() throws {
        var recording = try PartialRecordingTests.Recording()
        for number: Int64 in 0...3 { try recording.cut(number, after: 5000, at: 0.5) }
        for time in stride(from: 0.6, to: 20, by: 0.2) {
            recording.pass(from: time, until: time)
            for number: Int64 in 0...3 { recording.fail(number, at: time) }
        }
        recording.pass(from: 20, until: 24)
        #expect(recording.isAskedFor == [0, 1, 2, 3])
        for number: Int64 in 0...3 {
            recording.store(number, measured: 6, bytes: 9400, revision: 1, at: 24)
        }
        recording.pass(from: 24, until: 26)
        let repairs = recording.segments.filter { $0.fact.replaces == 0 }
        #expect(Set(repairs.map(\.fact.identity.number)) == [0, 1, 2, 3])
        #expect(repairs.allSatisfy { $0.fact.flags == [] && $0.fact.revision == 1 })
    }

    @Test("is not published as a part where its whole bytes wait for the journal")
    func slowJournal() throws {
        var recording = try PartialRecordingTests.Recording()
        for number: Int64 in [0, 1, 3] { recording.store(number, measured: 6, bytes: 9400, at: 0.5) }
        recording.holdJournal()
        try recording.cut(2, after: 5000, at: 0.5)
        recording.pass(from: 0.6, until: 0.8)
        recording.store(2, measured: 6, bytes: 9400, revision: 1, at: 0.9)
        recording.releaseJournal(at: 1)
        recording.pass(from: 1, until: 3)
        #expect(recording.published == [0, 1, 2, 3] && recording.segments.count == 4)
        let fact = try #require(recording.segments.first { $0.fact.identity.number == 2 }?.fact)
        #expect(fact.flags == [] && fact.revision == 1)
    }

    @Test("is published as a part where the journal does not take its whole bytes")
    func refusedByJournal() throws {
        var recording = try PartialRecordingTests.Recording()
        for number: Int64 in [0, 1, 3] { recording.store(number, measured: 6, bytes: 9400, at: 0.5) }
        try recording.cut(2, after: 5000, at: 0.5)
        recording.pass(from: 0.6, until: 0.8)
        recording.holdJournal()
        recording.store(2, measured: 6, bytes: 9400, revision: 1, at: 0.9)
        recording.refuseJournal(.unencodable("refused"), at: 1)
        recording.pass(from: 1, until: 3)
        #expect(recording.published == [0, 1, 2, 3])
    }

    @Test("leads to the multivariant playlist where the URL is refused by which more is asked for")
    func denied() throws {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/index.m3u8")])
        let opening = try #require(driver.send(.journalRead(.success([])), at: 0).playlistRequests.first)
        let list = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n"
        let playlist = try #require(driver.answer(opening, list, at: 0).playlistRequests.first)
        let media = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n0.ts\n"
        let request = try #require(driver.answer(playlist, media, at: 0).segmentRequests.first)
        let part = PartialSegmentTests.stored(
            request.segment, measured: nil, timestamp: 0, bytes: 5000, flags: .damaged, isCut: true)
        driver.send(.segmentStored(part, request), at: 0.1)
        let retry = try #require(driver.send(.clockAdvanced, at: 0.5).segmentRequests.first)
        let actions = driver.send(.segmentFailed(FetchFailure(status: 403), retry), at: 11)
        #expect(actions.playlistRequests.contains { $0.purpose == .renewal })
    }

    @Test("is asked for less and less often where its source has no more of it")
    func noBetter() throws {
        var recording = try PartialRecordingTests.Recording()
        for number: Int64 in [0, 1, 3] { recording.store(number, measured: 6, bytes: 9400, at: 0.5) }
        try recording.cut(2, after: 5000, at: 0.5)
        for time in stride(from: 0.6, to: 300, by: 0.2) {
            recording.pass(from: time, until: time)
            recording.fail(2, .noBetterBytes, at: time)
        }
        #expect(recording.segments.count == 4)
        #expect((5..<10).contains(recording.retries.count), "\(recording.retries)")
    }
}
