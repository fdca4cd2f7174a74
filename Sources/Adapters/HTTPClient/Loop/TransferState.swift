/// What a transfer has delivered and its reader has not taken yet: a bounded buffer as a value.
///
/// The loop's events come in, answers for the reader go out; `changes` grows when the reader may have an answer.
struct TransferState {
    private(set) var changes: UInt = 0
    private(set) var head: TransferHead?
    private(set) var end: TransferEnd?
    private(set) var isPaused = false
    private var ready: [[UInt8]] = []
    private var filling: [UInt8] = []
    private var bufferedByteCount = 0
    private let pausesAt: Int

    /// Makes an empty state.
    ///
    /// - Parameter pausesAt: bytes in the buffer from which on the transfer is paused.
    init(pausesAt: Int) {
        self.pausesAt = pausesAt
    }

    mutating func headArrived(_ head: TransferHead) {
        guard end == nil else { return }
        self.head = head
        changes += 1
    }

    /// Takes a piece of the body, or none of it.
    mutating func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict {
        guard end == nil else { return .abort }
        guard bufferedByteCount < pausesAt else {
            isPaused = true
            return .pause
        }
        unsafe filling.append(contentsOf: bytes)
        bufferedByteCount += bytes.count
        if filling.count >= Limits.chunkByteCount { completeChunk() }
        return .taken
    }

    /// The first end counts; what is buffered is still delivered, except after `cancelled`.
    mutating func ended(_ end: TransferEnd) {
        guard self.end == nil else { return }
        self.end = end
        if case .failed(.cancelled) = end {
            (ready, filling) = ([], [])
        } else if !filling.isEmpty {
            completeChunk()
        }
        changes += 1
    }

    private mutating func completeChunk() {
        ready.append(filling)
        filling = []
        changes += 1
    }
}

extension TransferState {
    /// The head, or why there is none; nil while it is not known.
    var headAnswer: Result<TransferHead, TransferError>? {
        if case .failed(.cancelled) = end { return .failure(.cancelled) }
        if let head { return .success(head) }
        switch end {
        case .failed(let error): return .failure(error)
        case .whole: return .failure(.protocolError("an answer without a head"))
        case nil: return nil
        }
    }

    /// Takes the next chunk; nil inside means the end of a whole body, nil as such that nothing is ready.
    mutating func takeChunk() -> Result<[UInt8]?, TransferError>? {
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

    /// Whether the transfer was paused and there is room again; says so once for each pause.
    mutating func takeResumption() -> Bool {
        guard isPaused, bufferedByteCount <= Limits.resumeByteCount else { return false }
        isPaused = false
        return true
    }
}

/// What happens with a piece of the body.
enum BodyVerdict {
    case taken
    /// Not taken: curl keeps it and stops reading until the transfer is resumed.
    case pause
    case abort
}

/// How a transfer ended.
enum TransferEnd: Equatable {
    case whole(at: ContinuousClock.Instant)
    case failed(TransferError)
}
