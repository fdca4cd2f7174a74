import Concurrency
import HLS
import HTTP
import HTTPClient

/// What a part is and what happens around it.
struct PartOrder: Sendable {
    /// The file in the folder of the task.
    var file: String
    var kind: PartIntakeKind
    var key: [UInt8]?
    var vector: [UInt8] = []
    var storesClear = false
    var byteLimit: Int
    /// Told how far the part is; nil where no player reads it meanwhile.
    var progress: PartProgress?
    /// Where the part is now: asked again for each try.
    var address: @Sendable () async -> PartAddress
    /// Reads the playlist again.
    var renew: @Sendable () async throws(DownloadError) -> Void
}

/// What was stored of a part.
struct StoredBytes: Sendable {
    var byteCount: Int64
    /// The clear bytes of an initialization section.
    var section: [UInt8]
}

/// Fetches parts into the folder, as often as needed.
struct PartFetcher: Sendable {
    let session: HTTPSession
    let folder: TaskFolder
    /// Limits the transfers of all tasks; they take turns in the order in which they come.
    let transfers: AsyncSemaphore
    /// Lets parts that a player waits for go first.
    let gate: DemandGate
    let pacer: RatePacer
    let retries: Retries

    /// Fetches a part until it is whole and durable.
    func fetch(_ order: PartOrder) async throws(DownloadError) -> StoredBytes {
        var body: OpenPart?
        return try await retries.run(order.file, renew: order.renew) { plan async throws(TryFailure) in
            do throws(TryFailure) {
                return try await self.inTurn(order) { () async throws(TryFailure) in
                    try await self.receive(order, &body)
                }
            } catch {
                let before = body?.tried ?? 0
                if let open = body, open.received.rest != nil, error.leavesGoodBytes {
                    if open.received.byteCount - min(before, open.received.byteCount)
                        >= UInt64(Limits.progressBytes)
                    {
                        plan.madeProgress()
                    }
                    body?.tried = open.received.byteCount
                } else {
                    await self.retries.received(-Int64(clamping: body?.received.byteCount ?? 0))
                    body = nil
                }
                throw error
            }
        }
    }

    /// A part between two tries.
    private struct OpenPart {
        let intake: PartIntake
        var received: ReceivedBody
        var hasDraft = false
        /// Bytes that had come at the end of the try before.
        var tried: UInt64 = 0
    }

    /// A part that a player waits for does not wait for other transfers.
    private func inTurn<Value>(
        _ order: PartOrder, _ work: () async throws(TryFailure) -> Value
    ) async throws(TryFailure) -> Value {
        _ = await gate.pass(order.progress)
        if order.progress?.isDemanded == true { return try await work() }
        guard let value = try await transfers.withPermit(work) else { throw .final(.cancelled) }
        return value
    }

    private func receive(
        _ order: PartOrder, _ body: inout OpenPart?
    ) async throws(TryFailure) -> StoredBytes {
        var wanted = WantedBytes()
        let transfer = try await request(order, &body, &wanted)
        guard var open = body else { throw .final(.cancelled) }
        defer { body = open }
        try await read(transfer, wanted, order, &open)
        try await store(try open.intake.finish(), order, &open)
        do {
            try await folder.commit(order.file)
        } catch {
            throw .final(error)
        }
        return StoredBytes(byteCount: open.intake.byteCount, section: open.intake.section)
    }

    /// Asks for a part, or for the rest of one that was cut short.
    private func request(
        _ order: PartOrder, _ body: inout OpenPart?, _ wanted: inout WantedBytes
    ) async throws(TryFailure) -> Transfer {
        let address = await order.address()
        let rest = body?.received.rest
        var options = TransferOptions(
            byteLimit: order.byteLimit, range: rest ?? address.range.map { $0.offset..<$0.end },
            totalTimeout: Limits.segmentTimeout, queueTimeout: Limits.segmentTimeout)
        options.chunkDelay = Limits.chunkDelay
        if rest != nil, let validator = body?.received.validator { options.headers["If-Range"] = validator }
        let transfer: Transfer
        do {
            transfer = try await session.open(address.url.absoluteString, options)
        } catch {
            throw .transfer(error)
        }
        await retries.network.returned()
        let opening = try BodyOpening.judging(transfer.head, listed: address.range, rest: rest)
        if !opening.continues {
            await retries.received(-Int64(clamping: body?.received.byteCount ?? 0))
            body = try begin(order, transfer.head, opening, at: address.range?.offset ?? 0)
        }
        wanted = opening.wanted
        return transfer
    }

    /// Stores what is wanted of a body as it comes.
    private func read(
        _ whole: consuming Transfer, _ part: WantedBytes, _ order: PartOrder, _ open: inout OpenPart
    ) async throws(TryFailure) {
        var transfer = whole
        var wanted = part
        while !wanted.isComplete {
            try await letOthersPass(order)
            let chunk: [UInt8]?
            do {
                chunk = try await transfer.nextChunk()
            } catch {
                throw .transfer(error)
            }
            guard let chunk else { break }
            let bytes = wanted.take(chunk)
            guard !bytes.isEmpty else { continue }
            open.received.byteCount += UInt64(bytes.count)
            try await store(try open.intake.take(bytes), order, &open)
            await retries.received(Int64(bytes.count))
            do {
                try await pacer.passed(bytes.count)
            } catch {
                throw .final(.cancelled)
            }
        }
        if let left = wanted.left, left > 0 { throw .damaged("the byte range ends early") }
    }

    /// Lets a part go first that a player waits for.
    ///
    /// A transfer pauses, and then gives up its connection, because its bytes would fill the connection's
    /// buffers. Its rest is asked for later.
    private func letOthersPass(_ order: PartOrder) async throws(TryFailure) {
        guard await !gate.pass(order.progress, within: Limits.holdingPause) else { return }
        throw Task.isCancelled ? .final(.cancelled) : .preempted
    }

    private func begin(
        _ order: PartOrder, _ head: TransferHead, _ opening: BodyOpening, at offset: UInt64,
    ) throws(TryFailure) -> OpenPart {
        let intake: PartIntake
        do {
            intake = try PartIntake(
                order.kind, key: order.key, vector: order.vector, storesClear: order.storesClear)
        } catch {
            throw .final(error)
        }
        let total = opening.wanted.left ?? head.contentLength
        // What is decrypted is shorter than what comes, by a number of bytes that its end tells.
        let isSameLength = order.key == nil || !order.storesClear
        let isCoded = head.headers["Content-Encoding"] != nil
        order.progress?.begin(total: isSameLength && !isCoded ? total.map { Int64(clamping: $0) } : nil)
        return OpenPart(
            intake: intake,
            received: ReceivedBody(offset: offset, total: total, validator: head.rangeValidator))
    }

    private func store(
        _ bytes: [UInt8], _ order: PartOrder, _ open: inout OpenPart
    ) async throws(TryFailure) {
        guard !bytes.isEmpty || !open.hasDraft else { return }
        do {
            try await folder.write(bytes, toDraftOf: order.file, isFirst: !open.hasDraft)
        } catch {
            throw .final(error)
        }
        open.hasDraft = true
        order.progress?.wrote(bytes.count)
    }
}
