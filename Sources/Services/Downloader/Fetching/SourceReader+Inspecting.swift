import HLS
import HTTP
import HTTPClient
import MediaFormat

/// Inspects the first bytes of a rendition that is not downloaded.
extension SourceReader {
    /// Whether a rendition has audio and no video; nil where two small requests cannot tell.
    ///
    /// Each request is made once, since nothing depends on it. Keys are not asked for.
    func isAudioOnly(_ plan: RenditionPlan) async -> Bool? {
        guard let part = plan.parts.first(where: { !$0.segment.isGap }) else { return nil }
        var section: InitSection?
        if let source = part.initSection {
            guard let read = await self.section(source) else { return nil }
            if !read.tracks.isEmpty { return read.tracks.map(\.description).areAudioOnly }
            section = read
        }
        guard part.key == nil,
            let bytes = await beginning(of: part.url, part.segment.byteRange, upTo: Limits.probedBytes)
        else { return nil }
        var inspector = StreamingInspector(initSection: section)
        inspector.append(bytes)
        return (try? inspector.finish())?.tracks.areAudioOnly
    }

    private func section(_ source: PartInitSection) async -> InitSection? {
        guard source.key == nil,
            let bytes = await beginning(of: source.url, source.range, upTo: Limits.initSectionBytes)
        else { return nil }
        return try? InitSection.reading(bytes)
    }

    /// The first bytes of a resource, or of a byte range of it; nil where they do not come.
    private func beginning(of url: HTTPURL, _ listed: HLS.ByteRange?, upTo limit: Int) async -> [UInt8]? {
        let range = HLS.ByteRange(
            length: min(listed?.length ?? .max, UInt64(limit)), offset: listed?.offset ?? 0)
        // Some servers answer with everything that they have: its beginning is read.
        var options = TransferOptions(
            byteLimit: Limits.segmentBytes, range: range.offset..<range.end,
            totalTimeout: Limits.playlistTimeout, queueTimeout: Limits.playlistTimeout)
        options.chunkDelay = Limits.chunkDelay
        options.refusesTooLongAtOnce = false
        do {
            var transfer = try await session.open(url.absoluteString, options)
            guard range.offset == 0 || transfer.head.status == .partialContent else { return nil }
            var wanted = try BodyResponse.evaluating(transfer.head, listed: range, rest: nil).wanted
            var bytes: [UInt8] = []
            while !wanted.isComplete, let chunk = try await transfer.nextChunk() {
                bytes += wanted.take(chunk)
            }
            return bytes
        } catch {
            return nil
        }
    }
}

extension [Track] {
    /// Whether there is audio and no video.
    var areAudioOnly: Bool {
        contains { $0.kind == .audio } && !contains { $0.kind == .video }
    }
}
