import Catalogue
import TestSupport
import Testing
import Timeline

@testable import Playback

@Suite("Better bytes of published segments in playlists")
struct RepairedBlockTests {
    private var block: Block? {
        let segments = run(3, from: 0)
        var repaired = segments
        repaired[1].revision = 1
        guard let id = RenditionID("v0"), let first = segments.first else { return nil }
        return Block(
            QuarterRecord(
                quarter: Quarter(rendition: 1, containing: first.start.microseconds), version: nil,
                segments: segments, repaired: repaired),
            formats: [1: .muxed], rendition: id)
    }

    private func revisions(_ scope: SegmentScope) throws -> [Int16] {
        let selection = BlockSelection(window: window(0, 12), scope: scope, watermark: at(100))
        return selection.segments(of: [try #require(block)]).map { $0.revision }
    }

    @Test("A growing playlist never changes what it has said; a closed window lists the newest bytes")
    func scopes() throws {
        #expect(try revisions(.published) == [0, 0, 0])
        #expect(try revisions(.archive) == [0, 1, 0])
    }

    @Test("The bit rate of the key frames of one is not that of the other")
    func keyFrameRates() throws {
        let block = try #require(block)
        let repaired = try #require(block.repaired)
        let rates = KeyFrameRates()
        rates.keep(100, for: block.place)
        #expect(rates.highest(of: [repaired.place]) == nil && rates.unknown([block, repaired]).count == 1)
        rates.keep(200, for: repaired.place)
        #expect(rates.highest(of: [block.place]) == 100 && rates.highest(of: [repaired.place]) == 200)
    }

    @Test("Both share the text of their block, and count in memory")
    func shared() throws {
        let block = try #require(block)
        #expect(block.text != nil && block.repaired?.text != nil)
        #expect(
            block.byteCount > 2 * Limits.blockOverhead + (block.repaired?.byteCount ?? 0)
                - Limits.blockOverhead)
    }
}
