import Concurrency
import Synchronization

/// The progress of a media file that is being fetched, and the byte that a player waits for.
final class FileProgress: Sendable {
    struct Status: Sendable {
        /// Counts the versions of the file that were begun: bytes of one are not those of another.
        var version = 0
        /// The length of the file and what tells its version; nil before the first answer.
        var known: StoredTask.KnownFile?
        var pieces = FilePieces()
        /// The most bytes of this version at the end of an attempt, even if they were discarded since.
        fileprivate var most: Int64 = 0
        /// The last validator that was known.
        fileprivate var validator: String?
        /// The offset of the bytes that are being received.
        var position: Int64 = 0
        /// The byte that a player has waited for last.
        var wanted: Int64 = 0
        /// Whether the source serves byte ranges; nil while that is unknown.
        var isSeekable: Bool?
        var end: PartProgress.End?

        var total: Int64? { known?.total.map { Int64(clamping: $0) } }

        /// What is fetched next: what is missing from the player's place on, then the rest.
        var nextGap: FileGap? {
            let next = isSeekable == true ? pieces.gap(from: wanted, in: total) : nil
            return next ?? pieces.gap(from: 0, in: total)
        }

        /// The offset at which a new transfer has to begin; nil if the current one can continue.
        ///
        /// It continues if the wanted byte is stored or comes soon, or if a range cannot be requested.
        var seekTarget: Int64? {
            guard isSeekable != false, total != nil, known?.validator != nil,
                pieces.all.count < Limits.filePieces, pieces.piece(with: wanted) == nil
            else { return nil }
            return (position..<position + Limits.nearBytes).contains(wanted) ? nil : wanted
        }
    }

    private let state = Mutex(Status())
    private let signal = ChangeSignal()
    let clock: HostClock

    init(clock: HostClock) {
        self.clock = clock
    }

    var status: Status { state.withLock(\.self) }

    /// A version begins, of which these pieces are there.
    func begin(_ known: StoredTask.KnownFile, _ pieces: FilePieces = FilePieces()) {
        change { status in
            status.most = max(status.most, status.pieces.byteCount, pieces.byteCount)
            // A server may give each answer another validator.
            if let previous = status.validator, let validator = known.validator, previous != validator,
                status.version < Limits.attempts
            {
                status.most = 0
            }
            status.validator = known.validator ?? status.validator
            status.version += 1
            status.known = known
            status.pieces = pieces
        }
    }

    /// Whether `Limits.progressBytes` or more have come that were not there at the end of an earlier attempt.
    ///
    /// Bytes that are discarded and come again do not count: they may be damaged each time.
    func hasMoreThanBefore() -> Bool {
        state.withLock { status in
            let count = status.pieces.byteCount
            defer { status.most = max(status.most, count) }
            return count >= status.most + Int64(Limits.progressBytes)
        }
    }

    /// A transfer begins at a place.
    func moved(to position: Int64) {
        change { $0.position = position }
    }

    /// Sets whether the source serves byte ranges.
    func gives(ranges isSeekable: Bool) {
        change { $0.isSeekable = isSeekable }
    }

    func wrote(_ byteCount: Int64, at offset: Int64) {
        change { status in
            status.pieces.add(byteCount, at: offset)
            status.position = offset + byteCount
        }
    }

    /// The file ends here: its source did not say its length.
    func ended(at total: Int64) {
        change { $0.known?.total = UInt64(clamping: total) }
    }

    func joinSecond() {
        change { $0.pieces.joinSecond() }
    }

    func finish(_ end: PartProgress.End) {
        change { status in
            if status.end == nil { status.end = end }
        }
    }

    /// A player waits for a byte.
    func want(_ byte: Int64) {
        change { $0.wanted = byte }
    }

    private func change(_ body: (inout Status) -> Void) {
        state.withLock { body(&$0) }
        signal.raise()
    }

    /// Waits until the status is as wanted; false when that takes longer than a limit, or the task is
    /// cancelled.
    func wait(within limit: Duration? = nil, until isSatisfied: @escaping @Sendable (Status) -> Bool) async
        -> Bool
    {
        await signal.wait(within: limit, by: clock) { isSatisfied(self.status) }
    }

    /// Has a byte fetched next and waits for it; nil if it does not come within `Limits.playerWait`.
    ///
    /// Returns the status when the byte is stored or the fetch has ended.
    func waitForByte(_ byte: Int64) async -> Status? {
        let end = clock.steady() + Limits.playerWait
        while clock.steady() < end, !Task.isCancelled {
            let now = status
            if now.end != nil || now.pieces.piece(with: byte) != nil { return now }
            // Another player may have had its turn meanwhile.
            want(byte)
            _ = await wait(within: Limits.playerPollInterval) {
                $0.end != nil || $0.pieces.piece(with: byte) != nil
            }
        }
        return nil
    }
}
