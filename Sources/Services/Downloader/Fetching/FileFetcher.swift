import Concurrency
import HTTP
import HTTPClient

/// Fetches one media file, from its start or from the byte that a player waits for.
///
/// Each piece is its own draft, so its length is known even after the process was killed. The other pieces
/// are joined to the first one, which becomes the file.
struct FileFetcher: Sendable {
    let session: HTTPSession
    let folder: TaskFolder
    let rateLimiter: RateLimiter
    let retries: Retries
    let url: HTTPURL
    let name: String
    let progress: FileProgress
    /// Stores length and validator of the file, which requests for its rest need, before its first byte.
    let keep: @Sendable (StoredTask.KnownFile) async throws(DownloadError) -> Void

    /// Fetches what is missing of the file; what an earlier process got is used where it is the same version.
    func fetch(_ known: StoredTask.KnownFile?) async throws(DownloadError) {
        if let known { try await findPieces(known) }
        try await retries.run(name) { plan async throws(AttemptFailure) in
            do throws(AttemptFailure) {
                while let gap = progress.status.nextGap { try await fill(gap) }
                try await joinPieces()
                try await check()
            } catch {
                if progress.hasMoreThanBefore() { plan.madeProgress() }
                throw error
            }
        }
    }

    private enum Outcome: Sendable {
        case ended(AttemptFailure?)
        /// A player waits for other bytes, and the source can give them.
        case moves
        case stays
    }

    /// Fetches what is missing in one place, until a player waits for bytes in another one.
    private func fill(_ gap: FileGap) async throws(AttemptFailure) {
        progress.moved(to: gap.offset)
        let failure = await withTaskGroup(of: Outcome.self) { group in
            group.addTask {
                do throws(AttemptFailure) {
                    try await receive(gap)
                    return .ended(nil)
                } catch {
                    return .ended(error)
                }
            }
            group.addTask { await waitForMove() }
            var failure: AttemptFailure?
            while let outcome = await group.next() {
                if case .ended(let error) = outcome { failure = error }
                if case .stays = outcome { continue }
                group.cancelAll()
                if case .moves = outcome { await group.waitForAll() }
            }
            return failure
        }
        if let failure { throw failure }
        if Task.isCancelled { throw .final(.cancelled) }
    }

    /// Waits until a player wants bytes far from the transfer's position and the source serves ranges.
    private func waitForMove() async -> Outcome {
        while await progress.wait(until: { $0.seekTarget != nil }) {
            guard let place = progress.status.seekTarget else { continue }
            if progress.status.isSeekable == true { return .moves }
            if let isSeekable = await givesRange(at: place) {
                progress.gives(ranges: isSeekable)
            } else {
                try? await progress.clock.sleep(for: Limits.playerPollInterval)
            }
        }
        return .stays
    }

    /// Whether the source serves byte ranges of the same version; nil if that is unknown.
    ///
    /// Tested with a one-byte request, before the running transfer is canceled.
    private func givesRange(at place: Int64) async -> Bool? {
        guard let byte = rest(UInt64(place)..<UInt64(place) + 1) else { return nil }
        var options = options(for: byte)
        options.totalTimeout = Limits.playerWait
        guard let transfer = try? await session.open(url.absoluteString, options),
            let opening = try? BodyResponse.evaluating(transfer.head, listed: nil, rest: byte)
        else { return nil }
        return opening.fit == .rest
    }

    private func receive(_ wanted: FileGap) async throws(AttemptFailure) {
        var gap = wanted
        var transfer = try await open(&gap)
        var opening = MediaFileSniffer(isKnown: gap.offset > 0)
        while gap.end.map({ gap.offset + opening.heldCount < $0 }) ?? true {
            guard let chunk = try await transfer.next() else { break }
            let place = gap.offset + opening.heldCount
            let bytes = gap.end.map { Array(chunk.prefix(Int(clamping: $0 - place))) } ?? chunk
            try await store(try opening.take(bytes), at: &gap.offset)
        }
        try await store(try opening.finish(), at: &gap.offset)
        guard let end = gap.end else {
            guard gap.offset > 0 else { throw .damaged("the body is empty") }
            return progress.ended(at: gap.offset)
        }
        if gap.offset < end { throw .damaged("the file has \(gap.offset) bytes and not \(end)") }
    }

    private func store(_ bytes: [UInt8], at offset: inout Int64) async throws(AttemptFailure) {
        guard !bytes.isEmpty else { return }
        let piece = progress.status.pieces.piece(endingAt: offset)
        let place = piece ?? FilePieces.Piece(offset: offset, byteCount: 0)
        do throws(DownloadError) {
            try await folder.write(bytes, toDraftOf: Self.name(of: place, in: name), isFirst: piece == nil)
        } catch {
            throw .final(error)
        }
        progress.wrote(Int64(bytes.count), at: offset)
        offset += Int64(bytes.count)
        await retries.received(Int64(bytes.count))
        do {
            try await rateLimiter.passed(bytes.count)
        } catch {
            throw .final(.cancelled)
        }
    }

    private func options(for rest: BodyRest?) -> TransferOptions {
        var options = TransferOptions(
            byteLimit: .max, range: rest?.bytes, totalTimeout: Limits.fileTimeout,
            queueTimeout: Limits.segmentTimeout)
        options.chunkDelay = Limits.chunkDelay
        if let rest { options.headers["If-Range"] = rest.validator }
        return options
    }

    /// A request for bytes of the version that is being fetched; nil if no validator is known.
    private func rest(_ bytes: Range<UInt64>) -> BodyRest? {
        guard let known = progress.status.known, let validator = known.validator else { return nil }
        return BodyRest(bytes: bytes, validator: validator, total: known.total)
    }

    /// Requests the gap; restarts the file if the source has another version or serves no ranges.
    private func open(_ gap: inout FileGap) async throws(AttemptFailure) -> Transfer {
        var wanted: BodyRest?
        if let end = gap.end, !progress.status.pieces.all.isEmpty || gap.offset > 0 {
            wanted = rest(UInt64(gap.offset)..<UInt64(end))
        }
        var transfer: Transfer
        do {
            transfer = try await session.open(url.absoluteString, options(for: wanted))
        } catch {
            throw .transfer(error)
        }
        await retries.network.returned()
        let opening: BodyResponse
        do {
            opening = try BodyResponse.evaluating(transfer.head, listed: nil, rest: wanted)
        } catch {
            throw await transfer.explaining(error)
        }
        switch opening.fit {
        case .rest: progress.gives(ranges: true)
        case .whole: gap = try await begin(transfer.head)
        case .other:
            _ = consume transfer
            // Without a version, all of the file is asked for.
            try await begin(StoredTask.KnownFile())
            gap = FileGap(offset: 0, end: nil)
            return try await open(&gap)
        }
        progress.moved(to: gap.offset)
        return transfer
    }

    /// Begins a version from its first byte.
    private func begin(_ head: TransferHead) async throws(AttemptFailure) -> FileGap {
        let isCoded = head.headers["Content-Encoding"] != nil
        let known = StoredTask.KnownFile(
            total: isCoded ? nil : head.contentLength, validator: head.rangeValidator)
        guard known.total != 0 else { throw .damaged("the body is empty") }
        try await begin(known)
        if head.headers["Accept-Ranges"]?.lowercased() == "none" { progress.gives(ranges: false) }
        return FileGap(offset: 0, end: progress.status.total)
    }

    /// Discards the pieces of another version.
    private func begin(_ known: StoredTask.KnownFile) async throws(AttemptFailure) {
        let pieces = progress.status.pieces
        do throws(DownloadError) {
            for piece in pieces.all { try await folder.dropDraft(of: Self.name(of: piece, in: name)) }
            try await keep(known)
        } catch {
            throw .final(error)
        }
        await retries.received(-pieces.byteCount)
        progress.begin(known)
    }
}

/// The pieces in the folder.
extension FileFetcher {
    private static let mark = ".at-"

    /// The file name to which the draft of a piece belongs.
    static func name(of piece: FilePieces.Piece, in file: String) -> String {
        piece.offset == 0 ? file : "\(file)\(mark)\(piece.offset)"
    }

    /// Finds the pieces that an earlier process has left.
    private func findPieces(_ known: StoredTask.KnownFile) async throws(DownloadError) {
        let beginning = "\(name)\(Self.mark)"
        let offsets = try await folder.draftNames(in: ".").compactMap { draft in
            draft.hasPrefix(beginning) ? Int64(draft.dropFirst(beginning.count)) : nil
        }
        var pieces = FilePieces()
        for offset in [0] + offsets.sorted() {
            let draft = Self.name(of: FilePieces.Piece(offset: offset, byteCount: 0), in: name)
            let byteCount = try await folder.draftLength(of: draft) ?? 0
            pieces.insert(FilePieces.Piece(offset: offset, byteCount: byteCount))
        }
        if let total = known.total, let last = pieces.all.map(\.end).max(), last > Int64(clamping: total) {
            for piece in pieces.all { try await folder.dropDraft(of: Self.name(of: piece, in: name)) }
            pieces = FilePieces()
        }
        progress.begin(known, pieces)
        await retries.received(pieces.byteCount)
    }

    /// Makes one draft of all pieces: the one that becomes the file.
    private func joinPieces() async throws(AttemptFailure) {
        while progress.status.pieces.all.count > 1 {
            if Task.isCancelled { throw .final(.cancelled) }
            let (first, second) = (progress.status.pieces.all[0], progress.status.pieces.all[1])
            let source = Self.name(of: second, in: name)
            do throws(DownloadError) {
                try await folder.append(draftOf: source, from: first.end - second.offset, toDraftOf: name)
                progress.joinSecond()
                try await folder.dropDraft(of: source)
            } catch {
                throw .final(error)
            }
        }
    }

    /// Checks the draft for damage; drops a damaged one and throws, so that the file is fetched again.
    private func check() async throws(AttemptFailure) {
        let damage: String?
        do {
            damage = try await folder.damage(ofDraft: name)
        } catch {
            throw .final(error)
        }
        guard let damage else { return }
        try await begin(StoredTask.KnownFile())
        throw .damaged("the file is damaged: \(damage)")
    }
}
