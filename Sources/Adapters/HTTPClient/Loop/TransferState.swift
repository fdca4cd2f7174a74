import Concurrency

/// What a transfer has delivered and its reader has not read yet: a bounded buffer as a value.
///
/// The loop's events are its input, answers for the reader its output; `changes` grows when there may be an
/// answer.
struct TransferState {
    private(set) var changes: UInt = 0
    private(set) var head: TransferHead?
    private(set) var end: TransferEnd?
    private(set) var isPaused = false
    private var ready: [[UInt8]] = []
    private var filling: [UInt8] = []
    private var bufferedByteCount = 0
    private let pausesAt: Int
    private let chunkDelay: Duration?
    /// When the first byte of the chunk that is being filled came.
    private var fillingSince: SteadyInstant?

    /// Creates an empty state.
    ///
    /// - Parameters:
    ///   - pausesAt: bytes in the buffer from which on the transfer is paused.
    ///   - chunkDelay: the time after which a chunk is delivered although it is not full; nil: never.
    init(pausesAt: Int, chunkDelay: Duration? = nil) {
        self.pausesAt = pausesAt
        self.chunkDelay = chunkDelay
    }

    mutating func headArrived(_ head: TransferHead) {
        guard end == nil else { return }
        self.head = head
        changes += 1
    }

    /// Accepts a piece of the body completely, or refuses it.
    mutating func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict {
        guard end == nil else { return .abort }
        guard bufferedByteCount < pausesAt else {
            isPaused = true
            return .pause
        }
        bufferedByteCount += bytes.count
        if filling.count + bytes.count > Limits.chunkByteCount { completeChunk() }
        // Not before the second piece: most playlists are one.
        if !filling.isEmpty { filling.reserveCapacity(Limits.chunkByteCount) }
        unsafe filling.append(contentsOf: bytes)
        if filling.count >= Limits.chunkByteCount || isLate() { completeChunk() }
        return .taken
    }

    /// Whether the chunk has been filled for so long that it is delivered as it is.
    private mutating func isLate() -> Bool {
        guard let chunkDelay else { return false }
        let now = SteadyInstant.now
        let since = fillingSince ?? now
        fillingSince = since
        return now - since >= chunkDelay
    }

    /// Delivers the chunk that is being filled if it has waited long enough; else returns when it is due, nil
    /// if there is nothing to wait for.
    mutating func deliverLate(at now: SteadyInstant) -> SteadyInstant? {
        guard let chunkDelay, let fillingSince, !filling.isEmpty else { return nil }
        let due = fillingSince + chunkDelay
        if now < due { return due }
        completeChunk()
        return nil
    }

    /// Ends the transfer; the first end counts.
    ///
    /// Buffered data is still delivered, except after `cancelled`.
    mutating func ended(_ end: TransferEnd) {
        guard self.end == nil else { return }
        self.end = end
        if case .failed(.cancelled) = end {
            (ready, filling) = ([], [])
        } else {
            completeChunk()
        }
        changes += 1
    }

    private mutating func completeChunk() {
        guard !filling.isEmpty else { return }
        ready.append(filling)
        filling = []
        fillingSince = nil
        changes += 1
    }
}

extension TransferState {
    /// The head, or the reason for its absence; nil while it is unknown.
    var headAnswer: Result<TransferHead, TransferError>? {
        if case .failed(.cancelled) = end { return .failure(.cancelled) }
        if let head { return .success(head) }
        switch end {
        case .failed(let error): return .failure(error)
        case .whole: return .failure(.protocolError("an answer without a head"))
        case nil: return nil
        }
    }

    /// Removes the next chunk; the inner nil means the end of a complete body, the outer nil that nothing is
    /// ready.
    mutating func removeChunk() -> Result<[UInt8]?, TransferError>? {
        if !ready.isEmpty {
            let chunk = ready.removeFirst()
            bufferedByteCount -= chunk.count
            return .success(chunk)
        }
        switch end {
        case .whole: return .success(nil)
        case .failed(let error): return .failure(error)
        case nil: return nil
        }
    }

    /// Whether the transfer was paused and there is room again; true once for each pause.
    mutating func takeResume() -> Bool {
        guard isPaused, bufferedByteCount <= Limits.resumeByteCount else { return false }
        isPaused = false
        return true
    }
}

/// What happens to a piece of the body.
enum BodyVerdict {
    case taken
    /// Not accepted: curl keeps it and stops reading until the transfer is resumed.
    case pause
    case abort
}

/// How a transfer ended.
enum TransferEnd: Equatable {
    case whole(at: SteadyInstant)
    case failed(TransferError)
}
