import Concurrency
import HTTP
import Testing

@testable import HTTPClient

struct TransferStateTests {
    private let piece = pattern(16_384)

    private func head() -> TransferHead {
        TransferHead(
            status: .ok, headers: HTTPHeaders(), effectiveURL: "http://a/", remoteAddress: "",
            requestedAt: .now, firstRequestAt: .now, arrivedAt: .now)
    }

    private func feed(_ state: inout TransferState, _ bytes: [UInt8]) -> BodyVerdict {
        bytes.withUnsafeBytes { state.bodyArrived($0) }
    }

    private func resumes(_ state: inout TransferState) -> Bool { state.takeResume() }

    private func next(_ state: inout TransferState) throws -> [UInt8]?? {
        try state.removeChunk()?.get()
    }

    private func hasNothing(_ state: inout TransferState) -> Bool { state.removeChunk() == nil }

    @Test(
        "The loop waits for more only where little of a body came and more is to come",
        arguments: [
            (0, false, false), (1, false, true), (1, true, false), (Limits.roundByteCount - 1, false, true),
            (Limits.roundByteCount, false, false),
        ])
    func rounds(byteCount: Int, hasEnded: Bool, waits: Bool) {
        let received = ReceivedBytes()
        received.byteCount = byteCount
        #expect((received.pauseMilliseconds(hasEnded: hasEnded) > 0) == waits)
    }

    @Test("A complete answer without a head is an error") func headless() {
        var state = TransferState(pausesAt: .max)
        #expect(state.headAnswer == nil)
        state.ended(.whole(at: .now))
        guard case .failure(.protocolError) = state.headAnswer else {
            Issue.record("no failure")
            return
        }
    }

    @Test("Pieces become chunks; the last one is delivered at the end")
    func chunks() throws {
        var state = TransferState(pausesAt: .max)
        for _ in 0...(Limits.chunkByteCount / piece.count) { #expect(feed(&state, piece) == .taken) }
        #expect(try next(&state)??.count == Limits.chunkByteCount)
        #expect(hasNothing(&state))
        state.ended(.whole(at: .now))
        #expect(try next(&state) == piece)
        #expect(try next(&state) == .some(nil))
    }

    @Test("A slow body is delivered before its chunks are full, where that is wanted")
    func slow() throws {
        var state = TransferState(pausesAt: .max, chunkDelay: .zero)
        for _ in 0..<3 {
            #expect(feed(&state, piece) == .taken)
            #expect(try next(&state) == piece)
        }
        var patient = TransferState(pausesAt: .max, chunkDelay: .seconds(3600))
        #expect(feed(&patient, piece) == .taken)
        #expect(hasNothing(&patient))
    }

    @Test("What fills no chunk is delivered when its time has come, also if nothing more comes")
    func late() throws {
        let now = SteadyInstant.now
        func due(_ state: inout TransferState, _ instant: SteadyInstant) -> SteadyInstant? {
            state.deliverLate(at: instant)
        }
        var state = TransferState(pausesAt: .max, chunkDelay: .seconds(60))
        #expect(due(&state, now + .seconds(3600)) == nil)
        #expect(feed(&state, piece) == .taken)
        let wanted = try #require(due(&state, now))
        #expect(wanted - now >= .seconds(60))
        #expect(hasNothing(&state))
        #expect(due(&state, wanted) == nil)
        #expect(try next(&state) == piece)
        #expect(due(&state, wanted + .seconds(60)) == nil)
        var whole = TransferState(pausesAt: .max)
        #expect(feed(&whole, piece) == .taken)
        #expect(due(&whole, now + .seconds(3600)) == nil)
        #expect(hasNothing(&whole))
    }

    @Test("A chunk ends before a piece that it has no space for")
    func oddPieces() throws {
        var state = TransferState(pausesAt: .max)
        let body = pattern(10 * 100_000)
        for start in stride(from: 0, to: body.count, by: 100_000) {
            #expect(feed(&state, Array(body[start..<start + 100_000])) == .taken)
        }
        state.ended(.whole(at: .now))
        var read: [UInt8] = []
        while let chunk = try next(&state) ?? nil {
            #expect(chunk.count <= Limits.chunkByteCount)
            read += chunk
        }
        #expect(read == body)
    }

    @Test("A slow reader pauses the transfer, and reading resumes it once")
    func pausing() throws {
        var state = TransferState(pausesAt: Limits.bufferedByteCount)
        for _ in 0..<(Limits.bufferedByteCount / piece.count) { #expect(feed(&state, piece) == .taken) }
        #expect(feed(&state, piece) == .pause)
        #expect(resumes(&state) == false)
        let chunks = (Limits.bufferedByteCount - Limits.resumeByteCount) / Limits.chunkByteCount
        for chunk in 1...chunks {
            _ = state.removeChunk()
            #expect(resumes(&state) == (chunk == chunks))
        }
        #expect(resumes(&state) == false)
        #expect(feed(&state, piece) == .taken)
    }

    @Test("Data before an error is delivered, then the error, repeatedly")
    func errors() throws {
        var state = TransferState(pausesAt: .max)
        _ = feed(&state, piece)
        state.ended(.failed(.timedOut(.body)))
        #expect(try next(&state) == piece)
        #expect(throws: TransferError.timedOut(.body)) { try next(&state) }
        #expect(throws: TransferError.timedOut(.body)) { try next(&state) }
    }

    @Test("A cancelled transfer delivers and accepts nothing more")
    func cancelled() throws {
        var state = TransferState(pausesAt: .max)
        state.headArrived(head())
        _ = feed(&state, piece)
        state.ended(.failed(.cancelled))
        #expect(throws: TransferError.cancelled) { try state.headAnswer?.get() }
        #expect(throws: TransferError.cancelled) { try next(&state) }
        #expect(feed(&state, piece) == .abort)
    }

    @Test("The first end counts")
    func firstEnd() throws {
        var state = TransferState(pausesAt: .max)
        state.ended(.failed(.closed))
        state.ended(.failed(.cancelled))
        #expect(throws: TransferError.closed) { try state.headAnswer?.get() }
    }

    @Test("Changes are counted when the reader may have an answer, not for every piece")
    func changes() {
        var state = TransferState(pausesAt: .max)
        state.headArrived(head())
        let before = state.changes
        _ = feed(&state, piece)
        #expect(state.changes == before)
        for _ in 1..<(Limits.chunkByteCount / piece.count) { _ = feed(&state, piece) }
        #expect(state.changes == before + 1)
    }
}
