import Catalogue
import Testing
import Timeline

@testable import Recorder

@Suite("A start that has read the newest of what is held only")
struct BriefStartTests {
    private static let source = SourceSettings(url: "http://one.test/live.m3u8")

    /// Numbers 100 to 119 were read, and a playlist arrives that lists so many from a first one on.
    private static func start(first: Int, isBrief: Bool = true) throws -> (StateDriver, [RecordingAction]) {
        let known = (100..<120).map { number in
            KnownSegment(
                run: 7, number: Int64(number), start: at(Double(number - 120) * 6), duration: 6 * seconds,
                isLost: false, digest: [UInt8(number)])
        }
        var head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 20, known: known)
        head.isBrief = isBrief
        var driver = try StateDriver([source], heads: [head])
        let request = try #require(driver.begin(at: 0).playlistRequests.first)
        let actions = try driver.answer(request, media(first), at: 0.1)
        return (driver, actions)
    }

    private static func media(_ first: Int) -> String {
        let entries = (first...first + 9).map { "#EXTINF:6,\n\($0).ts\n" }
        return "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(first)\n" + entries.joined()
    }

    private static func endings(_ actions: [RecordingAction]) -> [RecordingEnding] {
        actions.compactMap { if case .end(let ending) = $0 { ending } else { nil } }
    }

    @Test("ends where the first playlist reaches further back, so that more is read", arguments: [0, 95, 99])
    func furtherBack(first: Int) throws {
        var (driver, actions) = try Self.start(first: first)
        actions += driver.send(.clockAdvanced, at: 0.2)
        // The catalogue does not answer, and is not waited for without end.
        actions += driver.send(.clockAdvanced, at: 5)
        #expect(actions.segmentRequests.isEmpty && actions.probes.isEmpty)
        #expect(Self.endings(actions) == [.needsMoreHistory])
    }

    @Test(
        "goes on where it does not, or where all was read",
        arguments: [(100, true), (115, true), (95, false)])
    func enough(first: Int, isBrief: Bool) throws {
        var (driver, actions) = try Self.start(first: first, isBrief: isBrief)
        actions += driver.send(.clockAdvanced, at: 0.2)
        #expect(Self.endings(actions).isEmpty)
        // The bytes of a known segment tell whether the source still counts as before.
        let probe = try #require(actions.probes.first)
        #expect(probe.segment.identity.number == Int64(min(first + 9, 119)))
    }

    @Test("is compared with the first playlist only: later ones may begin at 0 again")
    func laterPlaylists() throws {
        var (driver, actions) = try Self.start(first: 115)
        let probe = try #require(actions.probes.first)
        actions = driver.send(.segmentProbed(ProbedSegment(digest: [119]), probe), at: 0.3)
        #expect(actions.segmentURIs == ["120.ts", "121.ts", "122.ts", "123.ts"])
        let request = try #require(driver.playlistRequests(at: 40).first)
        let later = try driver.answer(request, Self.media(0), at: 40.1) + driver.send(.clockAdvanced, at: 41)
        #expect(Self.endings(later).isEmpty)
    }
}
