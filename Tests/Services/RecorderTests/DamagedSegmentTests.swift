import SegmentStore
import Testing
import Timeline

@testable import Recorder

@Suite("A segment that is not whole")
struct DamagedSegmentTests {
    /// A transport stream of padding, without any media.
    private static func padding(packets: Int) -> [UInt8] {
        (0..<packets).flatMap { _ in [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184) }
    }

    /// The number of the try that took it; `grows` for a segment that is still being written.
    private func tries(grows: Bool) async throws -> Int? {
        var taken: Int?
        try await Origin.run { origin in
            let fetcher = try origin.fetcher(store: MemorySegmentStore())
            var request = Ciphered.lastTry("7.ts", at: try origin.url("/index.m3u8"))
            request.isLast = false
            for attempt in 1...8 where taken == nil {
                origin.serve("/7.ts", Self.padding(packets: grows ? 10 + attempt : 10))
                request.attempt = attempt
                let outcome = await fetcher.outcome(of: request)
                if let stored = outcome.stored {
                    #expect(stored.flags.contains(.damaged))
                    taken = attempt
                }
                request.damagedByteCount = outcome.failure?.damagedByteCount
            }
        }
        return taken
    }

    @Test("is taken as it is when it stays so")
    func stays() async throws {
        #expect(try await tries(grows: false) == 5)
    }

    @Test("is waited for as long as it grows")
    func grows() async throws {
        #expect(try await tries(grows: true) == nil)
    }
}
