import HLS
import HTTP
import HTTPClient
import SegmentStore
import Testing

@testable import Recorder

/// RFC 8216, 4.3.2.2: segments may be parts of one file, and an origin may ignore Range (RFC 9110 §14.2).
@Suite("A segment in a larger file")
struct BodySliceTests {
    private static let file = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 >> 8) }

    private func read(_ range: HLS.ByteRange, of origin: Origin) async throws -> [UInt8] {
        let slice = try await BodySlice.open(
            try origin.url("/all.ts"), range: range, link: try origin.link(), timeLimit: .seconds(10))
        return try await slice.read()
    }

    @Test("is cut out of an answer with the whole file, however large that has grown")
    func whole() async throws {
        try await Origin.run { origin in
            origin.serve("/all.ts", Self.file, announcing: UInt64(Limits.segmentBytes) + 1)
            let range = HLS.ByteRange(length: 5000, offset: 700_000)
            let bytes = try await read(range, of: origin)
            #expect(bytes == Array(Self.file[700_000..<705_000]))
        }
    }

    @Test(
        "A whole segment may come as 203 from a proxy, or as a range that is the whole file",
        arguments: [
            (203, "", true), (206, "bytes 0-1048575/1048576", true), (206, "bytes 0-1048575/1048577", false),
            (206, "bytes 0-1048575/*", false), (206, "", false), (204, "", false),
        ])
    func otherStatus(status: Int, range: String, isTaken: Bool) async throws {
        try await Origin.run { origin in
            let headers: HTTPHeaders = range.isEmpty ? [:] : ["Content-Range": range]
            origin.serve("/all.ts", HTTPStatus(rawValue: status), headers, Self.file)
            let slice = try? await BodySlice.open(
                try origin.url("/all.ts"), range: nil, link: try origin.link(), timeLimit: .seconds(10))
            #expect((slice != nil) == isTaken)
            guard let slice else { return }
            let bytes = try await slice.read()
            #expect(bytes == Self.file)
        }
    }

    @Test("A later try waits longer for an origin that is silent before its answer")
    func silence() async throws {
        try await Origin.run { origin in
            origin.hang("/all.ts")
            let begun = ContinuousClock.now
            await #expect(throws: TransferError.self) {
                _ = try await BodySlice.open(
                    try origin.url("/all.ts"), range: nil, link: try origin.link(),
                    timeLimit: .seconds(600), silence: .seconds(14))
            }
            #expect(ContinuousClock.now - begun > .seconds(13))
        }
    }

    @Test("is tried for again where the origin does not have those bytes yet (416)")
    func notYet() async throws {
        try await Origin.run { origin in
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            var request = Ciphered.lastTry("all.ts", at: try origin.url("/index.m3u8"))
            request.segment.entry.byteRange = HLS.ByteRange(length: 1880, offset: 1880)
            origin.serve("/all.ts", .rangeNotSatisfiable, [:], [])
            #expect(await fetcher.outcome(of: request).failure?.isTransient == true)
            origin.serve("/all.ts", SmallStream.pictures(20))
            #expect(await fetcher.outcome(of: request).stored?.plainBytes == 1880)
        }
    }

    @Test("may not be larger than any other segment")
    func limit() async throws {
        try await Origin.run { origin in
            origin.serve("/all.ts", Self.file)
            let range = HLS.ByteRange(length: UInt64(Limits.segmentBytes) + 1, offset: 0)
            await #expect(throws: TransferError.tooLarge(limit: Limits.segmentBytes)) {
                _ = try await read(range, of: origin)
            }
            #expect(origin.requests(for: "/all.ts") == 0)
        }
    }
}
