import Compression
import Concurrency
import HLS
import HTTP
import HTTPClient

/// Fetches parts into the folder, as often as needed.
struct PartFetcher: Sendable {
    let session: HTTPSession
    let folder: TaskFolder
    /// Limits the transfers of all tasks: first come, first served.
    let transfers: AsyncSemaphore
    /// Lets parts that a player waits for go first.
    let gate: DemandGate
    let rateLimiter: RateLimiter
    let retries: Retries

    /// Fetches a whole part and makes it durable; nil if it was stopped for a part that a player waits for.
    ///
    /// The bytes of an unfinished part stay in the folder if its rest can be requested later.
    func fetch(_ job: PartJob) async throws(DownloadError) -> StoredBytes? {
        var (job, body) = (job, try await begun(job))
        var wrongKeys: [[UInt8]] = []
        do throws(DownloadError) {
            let stored = try await retries.run(job.file, renew: job.renew, isDropped: job.isDropped) {
                plan async throws(AttemptFailure) in
                do throws(AttemptFailure) {
                    return try await self.inTurn(job) { () async throws(AttemptFailure) in
                        try await self.receive(job, &body, &plan)
                    }
                } catch {
                    plan.source = await job.address().url.redactedPath.split(separator: "/").last.map(
                        String.init)
                    await self.judge(error, &body, &plan)
                    if case .damaged = error, let key = job.key {
                        wrongKeys.removeAll { $0 == key }
                        wrongKeys.append(key)
                        job.key = await job.otherKey(wrongKeys) ?? key
                    }
                    throw error
                }
            }
            if stored == nil { try await keep(body, job) }
            return stored
        } catch {
            switch error {
            case .cancelled: try? await keep(body, job)
            // The part is not at fault.
            case .diskFull: break
            default: try? await dropUnlessContinued(job)
            }
            throw error
        }
    }

    /// Keeps the received bytes of a body for the next attempt if they are good; else discards them.
    private func judge(_ failure: AttemptFailure, _ body: inout OpenPart?, _ plan: inout RetryPlan) async {
        guard let open = body, open.received.hasRest, failure.leavesGoodBytes else {
            await retries.received(-Int64(clamping: body?.received.byteCount ?? 0))
            // If the folder has a record of it, the record is removed when the next body begins.
            body?.received = ReceivedBody()
            return
        }
        let count = open.received.byteCount
        if count >= open.tried + UInt64(Limits.progressBytes) { plan.madeProgress() }
        body?.tried = count
    }

    /// A part between two attempts.
    private struct OpenPart {
        let intake: PartIntake
        var received: ReceivedBody
        /// Whether the body may be gzip although the request did not accept it.
        var mayBeGzip = false
        /// Decompresses a body that is gzip.
        var inflater: GzipInflater?
        var hasDraft = false
        /// Whether the folder has a record that describes the whole body of the draft.
        var isRecorded = false
        /// Bytes received at the end of an earlier attempt, even if they were discarded since.
        var tried: UInt64 = 0
    }

    /// Runs `work` in turn; a part that a player waits for does not wait for other transfers.
    private func inTurn<Value>(
        _ job: PartJob, _ work: () async throws(AttemptFailure) -> Value
    ) async throws(AttemptFailure) -> Value {
        _ = await gate.pass(job.progress)
        if job.progress?.isDemanded == true { return try await work() }
        guard let value = try await transfers.withPermit(work) else { throw .final(.cancelled) }
        return value
    }

    /// Receives the bytes of a part; nil if it was stopped for another part.
    private func receive(
        _ job: PartJob, _ body: inout OpenPart?, _ plan: inout RetryPlan
    ) async throws(AttemptFailure) -> StoredBytes? {
        var wanted = WantedBytes()
        let transfer = try await request(job, &body, &wanted, &plan)
        guard var open = body else { throw .final(.cancelled) }
        defer { body = open }
        guard var last = try await read(transfer, wanted, job, &open) else { return nil }
        last += try open.intake.finish()
        try await complete(last, job, &open)
        return StoredBytes(
            byteCount: open.intake.byteCount, section: open.intake.section,
            wasEncrypted: open.intake.isEncrypted)
    }

    /// Asks for a part, or for the rest of one that was cut short.
    private func request(
        _ job: PartJob, _ body: inout OpenPart?, _ wanted: inout WantedBytes, _ plan: inout RetryPlan
    ) async throws(AttemptFailure) -> Transfer {
        let address = await job.address()
        plan.readingNumber = address.readingNumber
        let rest = body?.received.rest(in: address.range)
        var transfer = try await openTransfer(job, address, rest: rest)
        await retries.network.returned()
        let opening: BodyResponse
        do {
            opening = try BodyResponse.evaluating(transfer.head, listed: address.range, rest: rest)
        } catch {
            throw await transfer.explaining(error)
        }
        switch opening.fit {
        case .rest: break
        case .whole:
            try await replace(&body, job, transfer.head, opening, listed: address.range)
        case .other:
            _ = consume transfer
            // Without a validator, the next request is for the whole body.
            body?.received.validator = nil
            return try await request(job, &body, &wanted, &plan)
        }
        wanted = opening.wanted
        return transfer
    }

    private func openTransfer(
        _ job: PartJob, _ address: PartAddress, rest: BodyRest?,
    ) async throws(AttemptFailure) -> Transfer {
        if let listed = address.range, listed.length > UInt64(job.byteLimit) {
            let reason = "the byte range is longer than \(job.byteLimit) bytes"
            throw .final(.part(name: job.file, reason: reason))
        }
        // A server without ranges answers with the whole file: it is read to the end of the range.
        var options = TransferOptions(
            byteLimit: address.range == nil ? job.byteLimit : .max,
            range: rest?.bytes ?? address.range.map { $0.offset..<$0.end },
            totalTimeout: Limits.segmentTimeout, queueTimeout: Limits.segmentTimeout)
        options.chunkDelay = Limits.chunkDelay
        if let rest { options.headers["If-Range"] = rest.validator }
        do {
            return try await session.open(address.url.absoluteString, options)
        } catch {
            throw .transfer(error)
        }
    }

    /// Starts the body again, and drops what was received of the earlier one.
    private func replace(
        _ body: inout OpenPart?, _ job: PartJob, _ head: TransferHead, _ opening: BodyResponse,
        listed: HLS.ByteRange?,
    ) async throws(AttemptFailure) {
        await retries.received(-Int64(clamping: body?.received.byteCount ?? 0))
        let (isRecorded, tried) = (body?.isRecorded ?? job.isBegun, body?.tried ?? 0)
        body = try begin(job, head, opening, listed: listed)
        body?.tried = tried
        try await record(job, &body, isRecorded: isRecorded)
    }

    /// Stores the wanted bytes of a body as they arrive; nil if another part goes first.
    ///
    /// Returns the last bytes, not yet stored: they are written in one step with the end of the part.
    private func read(
        _ whole: consuming Transfer, _ part: WantedBytes, _ job: PartJob, _ open: inout OpenPart
    ) async throws(AttemptFailure) -> [UInt8]? {
        var transfer = whole
        var wanted = part
        var last: [UInt8] = []
        while !wanted.isComplete {
            if !open.received.isWhole {
                try await store(last, job, &open)
                last = []
                guard try await mayGoOn(job) else { return nil }
            }
            guard let chunk = try await transfer.next() else { break }
            // What is skipped is transferred as well.
            do {
                try await rateLimiter.passed(chunk.count)
            } catch {
                throw .final(.cancelled)
            }
            let bytes = wanted.take(chunk)
            guard !bytes.isEmpty else { continue }
            if open.received.byteCount == 0, open.mayBeGzip, GzipInflater.begins(bytes) {
                try await beginInflating(job, &open)
            }
            open.received.byteCount += UInt64(bytes.count)
            try await take(bytes, &last, job, &open)
            await retries.received(Int64(bytes.count))
        }
        if let left = wanted.left, left > 0 { throw .damaged("the byte range ends early") }
        if open.inflater?.isComplete == false { throw .damaged("the gzip data ends early") }
        return last
    }

    /// Decompresses a body from its first byte on.
    ///
    /// Its length and its validator are those of the compressed bytes: its rest cannot be requested.
    private func beginInflating(_ job: PartJob, _ open: inout OpenPart) async throws(AttemptFailure) {
        do {
            open.inflater = try GzipInflater()
        } catch {
            throw .damaged("gzip: \(error)")
        }
        (open.received.total, open.received.validator) = (nil, nil)
        job.progress?.begin(total: nil)
        guard open.isRecorded else { return }
        do {
            try await folder.dropRecord(of: job.file)
        } catch {
            throw .final(error)
        }
        open.isRecorded = false
    }

    /// Takes the next bytes of a body; adds those to be stored to `last`.
    ///
    /// Compressed bytes may become many: what is in `last` is stored before the next piece.
    private func take(
        _ bytes: [UInt8], _ last: inout [UInt8], _ job: PartJob, _ open: inout OpenPart
    ) async throws(AttemptFailure) {
        guard let inflater = open.inflater else {
            let taken = try open.intake.take(bytes)
            last = last.isEmpty ? taken : last + taken
            return
        }
        inflater.put(bytes)
        while let piece = try inflater.nextPiece() {
            try await store(last, job, &open)
            last = try open.intake.take(piece)
            guard open.intake.byteCount <= Int64(job.byteLimit) else {
                throw .transfer(.tooLarge(limit: job.byteLimit))
            }
        }
    }

    /// Whether the transfer may continue; false if a part that a player waits for goes first.
    ///
    /// A transfer pauses for at most `Limits.transferPause`, because unread bytes would fill the connection's
    /// buffers. Then it gives up its connection, and its rest is requested later.
    private func mayGoOn(_ job: PartJob) async throws(AttemptFailure) -> Bool {
        if await gate.pass(job.progress, within: Limits.transferPause) { return true }
        if Task.isCancelled { throw .final(.cancelled) }
        return false
    }

    private func begin(
        _ job: PartJob, _ head: TransferHead, _ opening: BodyResponse, listed: HLS.ByteRange?,
    ) throws(AttemptFailure) -> OpenPart {
        let intake: PartIntake
        do {
            intake = try PartIntake(
                job.kind, key: job.key, vector: job.vector, storesClear: job.storesClear)
        } catch {
            throw .final(error)
        }
        let isCoded = head.headers["Content-Encoding"] != nil
        let total = isCoded ? nil : opening.wanted.left ?? head.contentLength
        // Decrypted data is shorter than received data; only the padding at the end says by how much.
        let isSameLength = job.key == nil || !job.storesClear
        job.progress?.begin(total: isSameLength ? total.map { Int64(clamping: $0) } : nil)
        return OpenPart(
            intake: intake,
            received: ReceivedBody(
                offset: listed?.offset ?? 0, total: total, validator: head.rangeValidator),
            // Encrypted bytes may begin as gzip does by chance.
            mayBeGzip: listed == nil && (head.isGzip || job.key == nil))
    }

    private func store(
        _ bytes: [UInt8], _ job: PartJob, _ open: inout OpenPart
    ) async throws(AttemptFailure) {
        guard !bytes.isEmpty else { return }
        do {
            try await folder.write(bytes, toDraftOf: job.file, isFirst: !open.hasDraft)
        } catch {
            throw .final(error)
        }
        open.hasDraft = true
        job.progress?.wrote(bytes.count)
    }

    /// Stores the last bytes of a part and gives it its name.
    private func complete(
        _ last: [UInt8], _ job: PartJob, _ open: inout OpenPart
    ) async throws(AttemptFailure) {
        do {
            try await folder.write(last, completing: job.file, isFirst: !open.hasDraft)
            if open.isRecorded { try await folder.dropRecord(of: job.file) }
        } catch {
            throw .final(error)
        }
        open.hasDraft = true
        job.progress?.wrote(last.count)
    }
}

/// The beginning of a part, which is kept while the part is not whole.
extension PartFetcher {
    /// What the folder has of a part, if its rest can be asked for.
    private func begun(_ job: PartJob) async throws(DownloadError) -> OpenPart? {
        guard job.isBegun, let received = try await recorded(job) else { return nil }
        let draftByteCount = Int64(clamping: received.byteCount)
        guard let intake = try await intake(of: draftByteCount, job) else { return nil }
        job.progress?.begin(total: received.total.map { Int64(clamping: $0) }, draftByteCount: draftByteCount)
        await retries.received(draftByteCount)
        return OpenPart(
            intake: intake, received: received, hasDraft: true, isRecorded: true, tried: received.byteCount)
    }

    /// The draft of a part by its record; nil where its rest cannot be asked for.
    private func recorded(_ job: PartJob) async throws(DownloadError) -> ReceivedBody? {
        guard job.canContinue, let record = try await folder.record(of: job.file),
            let draftByteCount = try await folder.draftLength(of: job.file)
        else { return nil }
        let received = ReceivedBody(
            offset: record.offset, byteCount: UInt64(draftByteCount), total: record.total,
            validator: record.validator)
        return received.hasRest ? received : nil
    }

    /// Removes the draft of a part that cannot be fetched, unless a later process can continue it.
    private func dropUnlessContinued(_ job: PartJob) async throws(DownloadError) {
        guard try await recorded(job) == nil else { return }
        try await folder.dropDraft(of: job.file)
        try await folder.dropRecord(of: job.file)
    }

    /// Inspects the bytes of a draft again; nil if they cannot be the beginning of the part.
    private func intake(of length: Int64, _ job: PartJob) async throws(DownloadError) -> PartIntake? {
        let intake = try PartIntake(
            job.kind, key: job.key, vector: job.vector, storesClear: job.storesClear)
        while intake.byteCount < length {
            let bytes = try await folder.readGrowing(
                job.file, at: intake.byteCount, upTo: Limits.joinedPieceBytes)
            guard !bytes.isEmpty, (try? intake.take(bytes)) != nil else { return nil }
        }
        return intake
    }

    /// Writes the record of an unfinished body, so that a later process can continue its draft.
    private func keep(_ body: OpenPart?, _ job: PartJob) async throws(DownloadError) {
        guard let body, body.hasDraft, job.canContinue, body.received.hasRest else { return }
        try await write(body.received, job)
    }

    /// Records a new body if it is long and can be continued; else removes an old record.
    private func record(
        _ job: PartJob, _ body: inout OpenPart?, isRecorded: Bool
    ) async throws(AttemptFailure) {
        guard let received = body?.received else { return }
        let isLong = received.total.map { $0 >= Limits.recordedBodyBytes } ?? false
        do throws(DownloadError) {
            if isLong, received.validator != nil, job.canContinue {
                // The draft may be of another version than the record will name.
                try await folder.dropDraft(of: job.file)
                try await write(received, job)
                body?.isRecorded = true
            } else if isRecorded {
                try await folder.dropRecord(of: job.file)
            }
        } catch {
            throw .final(error)
        }
    }

    private func write(_ received: ReceivedBody, _ job: PartJob) async throws(DownloadError) {
        guard let total = received.total, let validator = received.validator else { return }
        let record = BodyRecord(offset: received.offset, total: total, validator: validator)
        try await folder.record(record, of: job.file)
    }
}

extension GzipInflater {
    /// The next piece, as an attempt reads it; nil when more input is needed, or none.
    fileprivate func nextPiece() throws(AttemptFailure) -> [UInt8]? {
        do {
            return try next()
        } catch {
            throw .damaged("gzip: \(error)")
        }
    }
}
