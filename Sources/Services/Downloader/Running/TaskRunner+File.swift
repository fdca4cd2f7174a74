import HTTP
import HTTPClient
import Timeline

/// A single media file.
extension TaskRunner {
    /// Downloads a media file; what an earlier process got of it is continued where it is the same version.
    func downloadFile() async throws(DownloadError) {
        guard request.format == .folder else {
            throw .unusable("the URL leads to one media file, which needs no packing")
        }
        let url = try request.address()
        let name = Self.fileName(of: url)
        stored.task.segmentsTotal = 1
        stored.task.file = name
        try await change(.prepared)
        let there = try await folder.lengths(in: ".")[name]
        if let there, stored.file?.total == UInt64(there) {
            stored.task.bytes = there
        } else {
            let progress = progress(of: name)
            defer { ended(name, progress) }
            stored.task.bytes = try await retries.run(name) { plan async throws(TryFailure) in
                try await receiveFile(url, name, &plan)
            }
            try await folder.commit(name)
            try await folder.sync([])
            progress.finish(.whole)
        }
        stored.task.segmentsDone = 1
        await makePicture(of: name)
    }

    /// The last part of a path in letters that any file system takes.
    static func fileName(of url: HTTPURL) -> String {
        let last = url.path.split(separator: "/").last.map(String.init) ?? "file"
        let safe = last.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-_.".utf8.contains(byte)
            return isPlain ? byte : UInt8(ascii: "_")
        }
        let text = String(decoding: safe.suffix(120), as: UTF8.self)
        let name = String(text.drop { $0 == "." })
        return name.isEmpty || name == TaskFolder.taskFile ? "file-\(name)" : name
    }

    /// One try; gives the length of the file.
    private func receiveFile(
        _ url: HTTPURL, _ name: String, _ plan: inout RetryPlan
    ) async throws(TryFailure) -> Int64 {
        var begun: Int64 = 0
        let transfer = try await openFile(url, name, &begun)
        if let progress = progresses[name], begun == 0 || progress.status.attempt == 0 {
            progress.begin(total: stored.file?.total.map { Int64(clamping: $0) }, there: begun)
        }
        var count = begun
        do throws(TryFailure) {
            return try await readFile(transfer, name, &count)
        } catch {
            if count - begun >= Int64(Limits.progressBytes) { plan.madeProgress() }
            throw error
        }
    }

    private func readFile(
        _ whole: consuming Transfer, _ name: String, _ count: inout Int64
    ) async throws(TryFailure) -> Int64 {
        var transfer = whole
        while true {
            let chunk: [UInt8]?
            do {
                chunk = try await transfer.nextChunk()
            } catch {
                throw .transfer(error)
            }
            guard let chunk else { break }
            do throws(DownloadError) {
                try await folder.write(chunk, toDraftOf: name, isFirst: count == 0)
            } catch {
                throw .final(error)
            }
            count += Int64(chunk.count)
            progresses[name]?.wrote(chunk.count)
            await retries.received(Int64(chunk.count))
            do {
                try await tools.pacer.passed(chunk.count)
            } catch {
                throw .final(.cancelled)
            }
        }
        guard count > 0 else { throw .damaged("the body is empty") }
        if let total = stored.file?.total, UInt64(count) != total {
            throw .damaged("the file has \(count) bytes and not \(total)")
        }
        return count
    }

    /// Asks for the file or its rest; `begun` becomes the count of bytes that are there already.
    private func openFile(
        _ url: HTTPURL, _ name: String, _ begun: inout Int64
    ) async throws(TryFailure) -> Transfer {
        let there: Int64
        do {
            there = try await folder.draftLength(of: name) ?? 0
        } catch {
            throw .final(error)
        }
        let body = ReceivedBody(
            byteCount: UInt64(there), total: stored.file?.total, validator: stored.file?.validator)
        var options = TransferOptions(
            byteLimit: .max, range: body.rest, totalTimeout: .seconds(86_400),
            queueTimeout: Limits.segmentTimeout)
        options.chunkDelay = Limits.chunkDelay
        if body.rest != nil, let validator = body.validator { options.headers["If-Range"] = validator }
        let transfer: Transfer
        do {
            transfer = try await session.open(url.absoluteString, options)
        } catch {
            throw .transfer(error)
        }
        await retries.network.returned()
        let opening = try BodyOpening.judging(transfer.head, listed: nil, rest: body.rest)
        if opening.continues {
            stored.task.bytes = there
            begun = there
            return transfer
        }
        stored.task.bytes = 0
        stored.file = StoredTask.KnownFile(
            total: transfer.head.headers["Content-Encoding"] == nil ? transfer.head.contentLength : nil,
            validator: transfer.head.rangeValidator)
        do {
            try await folder.dropDraft(of: name)
            try await save()
        } catch {
            throw .final(error)
        }
        return transfer
    }
}
