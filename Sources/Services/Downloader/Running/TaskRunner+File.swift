import HTTP

/// A single media file.
extension TaskRunner {
    /// Downloads a media file; what an earlier process got of it is continued where it is the same version.
    func downloadFile() async throws(DownloadError) {
        guard request.format == .folder else {
            throw .unusable("the URL leads to one media file, which needs no packing")
        }
        let url = try request.fullURL()
        let name = Self.fileName(of: url)
        stored.task.segmentsTotal = 1
        stored.task.file = name
        try await change(.prepared)
        let there = try await folder.lengths(in: ".")[name]
        if let there, stored.file?.total == UInt64(there) {
            stored.task.bytes = there
        } else {
            try await fetchFile(url, name)
        }
        stored.task.segmentsDone = 1
        await makePicture(of: name)
    }

    private func fetchFile(_ url: HTTPURL, _ name: String) async throws(DownloadError) {
        let progress = FileProgress(clock: tools.clock)
        growingFile = GrowingFile(name: name, folder: folder, progress: progress)
        defer {
            progress.finish(.failed)
            growingFile = nil
        }
        stored.task.bytes = 0
        let fetcher = FileFetcher(
            session: session, folder: folder, rateLimiter: tools.rateLimiter, retries: retries, url: url,
            name: name,
            progress: progress, keep: { known async throws(DownloadError) in try await self.keep(known) })
        try await fetcher.fetch(stored.file)
        try await folder.commit(name)
        try await folder.sync([])
        progress.finish(.whole)
    }

    private func keep(_ file: StoredTask.KnownFile) async throws(DownloadError) {
        stored.file = file
        try await save()
    }

    /// The last component of a path, with `_` in place of each run of bytes that a file system may refuse.
    static func fileName(of url: HTTPURL) -> String {
        let last = url.path.split(separator: "/").last.map(String.init) ?? "file"
        let bytes = PercentEncoding.bytes(decoding: last) ?? Array(last.utf8)
        let plain = bytes.split(omittingEmptySubsequences: false) { !isPlain($0) }
        // One underscore for each run of other bytes, because a non-ASCII letter has several bytes.
        let kept = plain.indices.filter { $0 == 0 || $0 == plain.count - 1 || !plain[$0].isEmpty }
        let safe = kept.map { plain[$0] }.joined(separator: [UInt8(ascii: "_")])
        let text = String(decoding: Array(safe).suffix(120), as: UTF8.self)
        let name = String(text.drop { $0 == "." })
        return name.isEmpty || name == TaskFolder.taskFile ? "file-\(name)" : name
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || "-_.".utf8.contains(byte)
    }
}
