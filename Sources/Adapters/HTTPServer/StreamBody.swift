import CMicrohttpd
import HTTP
import Logging
import Synchronization

/// A body that is produced while it is sent: a task pulls it from its source, the library's thread reads it.
final class StreamBody: Sendable {
    private let source: any HTTPBodySource
    private let exchange: Exchange
    private let length: UInt64?
    private let state = Mutex(State())

    private struct State {
        var pieces: [[UInt8]] = []
        /// Bytes of the first piece that have been read.
        var offset = 0
        var readByteCount: UInt64 = 0
        var end = End.open
        var isPulling = false
    }

    private enum End {
        case open
        case finished
        case failed
    }

    private enum Step {
        case bytes(Int)
        case finished
        case failed
        case nothing
    }

    init(_ source: any HTTPBodySource, length: UInt64?, for exchange: Exchange) {
        self.source = source
        self.length = length
        self.exchange = exchange
    }
}

// The library's side.
extension StreamBody {
    private static let endOfStream = -1
    private static let endWithError = -2

    /// Copies what is ready; suspends the connection when nothing is.
    ///
    /// Returns the value for the library's reader callback.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        if exchange.isAbandoned { return Self.endWithError }
        switch unsafe step(into: target) {
        case .bytes(let count):
            pull()
            return count
        case .finished: return Self.endOfStream
        case .failed: return Self.endWithError
        case .nothing: return wait()
        }
    }

    private func step(into target: UnsafeMutableRawBufferPointer) -> Step {
        let step = state.withLock { state -> Step in
            guard let piece = state.pieces.first else { return nextStep(state) }
            let count = min(piece.count - state.offset, target.count)
            unsafe target.copyBytes(from: piece[state.offset..<(state.offset + count)])
            state.offset += count
            state.readByteCount += UInt64(count)
            if state.offset == piece.count {
                state.pieces.removeFirst()
                state.offset = 0
            }
            return .bytes(count)
        }
        if case .bytes(let count) = step { exchange.state.withLock { $0.byteCount += UInt64(count) } }
        return step
    }

    /// A source that ends before its announced length has failed: the client must see an incomplete body.
    private func nextStep(_ state: State) -> Step {
        switch state.end {
        case .open: .nothing
        case .failed: .failed
        case .finished: length == nil || length == state.readByteCount ? .finished : .failed
        }
    }

    private func wait() -> Int {
        guard exchange.suspend() else { return 0 }
        pull()
        // The piece may have arrived between the check and the suspension.
        let isReady = state.withLock { !$0.pieces.isEmpty || $0.end != .open }
        if isReady { exchange.core.suspended.resume(exchange) { nil } }
        return 0
    }

    /// Starts the task that reads ahead, unless it runs or has read enough.
    private func pull() {
        let isNeeded = state.withLock { state in
            let isNeeded =
                !state.isPulling && state.end == .open && state.pieces.count < Limits.streamReadAhead
            if isNeeded { state.isPulling = true }
            return isNeeded
        }
        guard isNeeded else { return }
        exchange.keep(Task(executorPreference: exchange.core.background) { await self.pullPieces() })
    }
}

// The task's side.
extension StreamBody {
    private func pullPieces() async {
        var isNeeded = true
        while isNeeded {
            let result = await nextPiece()
            isNeeded = take(result)
            exchange.core.suspended.resume(exchange) { nil }
        }
    }

    private func nextPiece() async -> Result<[UInt8]?, any Error> {
        do {
            return .success(try await source.next(limit: Limits.streamPieceBytes))
        } catch {
            return .failure(error)
        }
    }

    /// Stores a piece or the end; returns whether to read on.
    private func take(_ result: Result<[UInt8]?, any Error>) -> Bool {
        if case .failure(let error) = result {
            exchange.core.logger.debug("A streamed body ended early", metadata: ["error": "\(error)"])
        }
        let isAbandoned = exchange.isAbandoned || Task.isCancelled
        return state.withLock { state in
            switch result {
            case .success(let piece?):
                if !piece.isEmpty { state.pieces.append(piece) }
            case .success(nil): state.end = .finished
            case .failure: state.end = .failed
            }
            let isNeeded =
                state.end == .open && state.pieces.count < Limits.streamReadAhead && !isAbandoned
            state.isPulling = isNeeded
            return isNeeded
        }
    }
}
