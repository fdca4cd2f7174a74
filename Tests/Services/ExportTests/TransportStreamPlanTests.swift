import Export
import Testing
import Timeline

@Suite("Windows that cannot be one transport stream")
struct TransportStreamPlanTests {
    private static let rendition = RenditionID(kind: .video, index: 0)

    private func refusal(_ format: SegmentFormat?, separateAudio: Bool = false) throws -> ExportError? {
        let segment = RecordedSegment(
            start: Instant(seconds: 1_469_509_516), duration: 4_000_000, number: 1, discontinuitySequence: 0,
            formatID: 7,
            storedBytes: 671, plainBytes: 671)
        let channel = try #require(ChannelID("cctv2"))
        let runs = try SegmentRun.pairs([segment])
        do throws(ExportError) {
            _ = try TransportStreamPlan(
                channel: channel, rendition: Self.rendition, runs: runs,
                formats: format.map { [7: $0] } ?? [:], separateAudio: separateAudio)
            return nil
        } catch {
            return error
        }
    }

    private func format(
        _ tracks: String = "video:h264,audio:aac", _ change: (inout SegmentFormat) -> Void = { _ in }
    ) -> SegmentFormat {
        var format = SegmentFormat(container: .transportStream, tracks: tracks)
        change(&format)
        return format
    }

    @Test("another container, or one that is not known")
    func container() throws {
        #expect(try refusal(format()) == nil)
        #expect(try refusal(format { $0.container = .fragmentedMP4 }) == .otherContainer(Self.rendition))
        #expect(try refusal(nil) == .otherContainer(Self.rendition))
    }

    @Test("program tables in an initialization section")
    func tables() throws {
        let separate = format { $0.initName = "init-0123456789abcdef.mp4" }
        #expect(try refusal(separate) == .separateTables(Self.rendition))
    }

    @Test("encryption that is not AES-128 with a recorded key")
    func encryption() throws {
        for method in ["AES-128", "SAMPLE-AES"] {
            let encrypted = format {
                $0.keyMethod = method
                $0.keyName = method == "AES-128" ? nil : "k"
            }
            #expect(try refusal(encrypted) == .notDecryptable(Self.rendition))
        }
        // A key is held, but the segment has no initialization vector.
        let incomplete = format { ($0.keyMethod, $0.keyName) = ("AES-128", "k") }
        #expect(try refusal(incomplete) == .notDecryptable(Self.rendition))
        #expect(try refusal(format { $0.drmTags = ["#EXT-X-KEY:…"] }) == .notDecryptable(Self.rendition))
    }

    @Test("video without audio, where the channel has separate audio")
    func audio() throws {
        #expect(try refusal(format("video:h264"), separateAudio: true) == .separateAudio)
        #expect(try refusal(format("video:h264")) == nil)
        #expect(try refusal(format(), separateAudio: true) == nil)
        #expect(try refusal(format("audio:aac"), separateAudio: true) == nil)
    }
}
