import Compression
import HLS
import HTTP
import HTTPClient
import MediaFormat
import Timeline

/// What a URL leads to.
enum Source: Sendable {
    case playlist(Playlist, base: HTTPURL, window: WindowHeaders?)
    /// One media file.
    case file
}

/// What a Backcast service says of a window beside its playlist.
struct WindowHeaders: Sendable, Equatable {
    /// How much of the window was not recorded.
    var missingSeconds: Double
    /// Where the channel goes on in another form, if the window ends because of that.
    var next: String?
    /// Its begin and end, the latter at most the live edge.
    var span: String?
    /// Whether everything up to its end is published; nil where the server does not say.
    var isFinal: Bool?

    /// Nil where another server answers.
    init?(_ headers: HTTPHeaders) {
        let missing = headers["Backcast-Missing-Seconds"].flatMap { Double($0) }
        span = headers["Backcast-Window"]
        guard missing != nil || span != nil else { return nil }
        missingSeconds = missing.flatMap { $0.isFinite ? max(0, $0) : nil } ?? 0
        next = headers["Backcast-Next"]
        isFinal = headers["Backcast-Final"].map { $0 == "true" }
    }

    /// Whether a window that was requested with this length will still grow.
    ///
    /// A final window shorter than requested may be the canonical form of a growing one, cut at the live
    /// edge.
    func isUnfinished(of microseconds: Int64) -> Bool {
        guard let isFinal else { return false }
        guard isFinal, next == nil, let span else { return !isFinal }
        let ends = span.split(separator: "/").compactMap { InstantReading.reading(String($0)) }
        return ends.count == 2 && ends[1] - ends[0] < microseconds
    }
}

/// Reads playlists and keys of one source.
struct SourceReader: Sendable {
    let session: HTTPSession
    let retries: Retries

    /// The name of the URL from the command line in messages.
    private static let urlName = "the URL"

    /// Opens the source of a request; for a window, sets `isGrowing` if it is still nil.
    ///
    /// Only the server knows how far it has published: the clock, the time zones and the delay are its own.
    func open(_ request: inout DownloadRequest) async throws(DownloadError) -> Source {
        let source = try await open(try request.fullURL(), isWindow: request.begin != nil)
        guard request.isGrowing == nil, let length = request.windowMicroseconds else { return source }
        guard case .playlist(_, _, let window?) = source, window.isUnfinished(of: length) else {
            request.isGrowing = false
            return source
        }
        request.isGrowing = true
        return try await open(try request.fullURL(), isWindow: true)
    }

    /// Opens what a person has given: a playlist or a media file; with `isWindow` a window of the past.
    private func open(_ url: HTTPURL, isWindow: Bool) async throws(DownloadError) -> Source {
        try await retries.run(Self.urlName) { _ async throws(AttemptFailure) in
            try await look(at: url, isWindow: isWindow)
        }
    }

    /// Reads a playlist that must be one.
    func playlist(
        _ url: HTTPURL, imports: [String: String] = [:]
    ) async throws(DownloadError) -> (Playlist, base: HTTPURL, window: WindowHeaders?) {
        try await retries.run("the playlist") { _ async throws(AttemptFailure) in
            let body = try await body(url, limit: ReadingLimits.standard.byteCount)
            let (playlist, base) = try Self.reading(body.bytes, of: body.head, imports: imports)
            return (playlist, base, WindowHeaders(body.head.headers))
        }
    }

    /// Reads a media playlist, and what a Backcast service says of its window.
    func mediaPlaylist(
        _ url: HTTPURL, imports: [String: String]
    ) async throws(DownloadError) -> (MediaPlaylist, base: HTTPURL, window: WindowHeaders?) {
        let (playlist, base, window) = try await playlist(url, imports: imports)
        guard case .media(let media) = playlist else {
            throw .unusable("the URI of a rendition leads to a multivariant playlist")
        }
        return (media, base, window)
    }

    /// Reads a key: 16 bytes.
    ///
    /// `currentURI` gives its URI for each attempt, and the number of the reading of the playlists that named
    /// it: read again, they may name it with another token.
    func key(
        _ uri: String, currentURI: @Sendable () async -> (uri: String, readingNumber: Int),
        renew: @Sendable (Int) async throws(DownloadError) -> Void,
    ) async throws(DownloadError) -> [UInt8] {
        do {
            return try await retries.run("the key \(Self.sourceName(of: uri))", renew: renew) {
                plan async throws(AttemptFailure) in
                let (uri, readingNumber) = await currentURI()
                plan.readingNumber = readingNumber
                if DataURI.isDataURI(uri) {
                    guard let bytes = DataURI.bytes(of: uri), bytes.count == 16 else {
                        throw .final(.key("a data: URI does not hold a key of 16 bytes"))
                    }
                    return bytes
                }
                let url: HTTPURL
                do {
                    url = try HTTPURL(uri)
                } catch {
                    throw .final(.key("\(error)"))
                }
                let body = try await body(url, limit: Limits.keyBytes)
                guard body.bytes.count == 16 else {
                    throw .damaged("the key has \(body.bytes.count) bytes and not 16")
                }
                return body.bytes
            }
        } catch .part(let name, let reason) {
            throw .key("\(name) cannot be fetched: \(reason)")
        }
    }

    /// A URI in a message: without one person's query and token, and not longer than a line.
    private static func sourceName(of uri: String) -> String {
        let text = (try? HTTPURL(uri))?.redactedText ?? String(uri.prefix { $0 != "?" && $0 != "#" })
        let limit = Limits.nameLength
        return text.count > limit ? "\(text.prefix(limit / 2))…\(text.suffix(limit / 2 - 1))" : text
    }

    private func body(_ url: HTTPURL, limit: Int) async throws(AttemptFailure) -> FetchedBody {
        let body: FetchedBody
        do {
            body = try await session.fetch(url.absoluteString, Self.options(limit: limit))
        } catch {
            throw .transfer(error)
        }
        await retries.network.returned()
        if let failure = AttemptFailure(body.head, body.bytes) { throw failure }
        return body
    }

    private static func options(limit: Int) -> TransferOptions {
        TransferOptions(
            byteLimit: limit, acceptCompressed: true, totalTimeout: Limits.playlistTimeout,
            queueTimeout: Limits.playlistTimeout, priority: .urgent)
    }

    private static func reading(
        _ bytes: [UInt8], of head: TransferHead, imports: [String: String]
    ) throws(AttemptFailure) -> (Playlist, base: HTTPURL) {
        do {
            let source = VariableSource(url: head.effectiveURL, imports: imports)
            // Some origins compress without saying so, or compress what is compressed already.
            let plain = GzipReader.plain(bytes, limit: ReadingLimits.standard.byteCount)
            let read = try Playlist.reading(plain, source: source)
            return (read.playlist, try HTTPURL(head.effectiveURL))
        } catch let error as PlaylistError where error.isTransient {
            throw .damaged("\(error)")
        } catch {
            throw .final(.unusable("\(error)"))
        }
    }

    private func look(at url: HTTPURL, isWindow: Bool) async throws(AttemptFailure) -> Source {
        var options = Self.options(limit: ReadingLimits.standard.byteCount)
        // The first bytes show what it is: there is no need to wait for more of a long file.
        options.chunkDelay = Limits.chunkDelay
        // A media file may be longer than any playlist.
        options.refusesTooLongAtOnce = false
        var transfer: Transfer
        do {
            transfer = try await session.open(url.absoluteString, options)
        } catch {
            throw .transfer(error)
        }
        var bytes: [UInt8] = []
        while bytes.count < Limits.kindBytes, let chunk = try await transfer.next() { bytes += chunk }
        let head = transfer.head
        await retries.network.returned()
        if let failure = AttemptFailure(head, bytes, isGivenURL: true) { throw failure }
        // Other servers ignore what they do not know, and answer with everything that they have.
        if isWindow, head.headers["Backcast-Window"] == nil {
            throw .final(.unusable("the server has no windows: --begin is for channels of Backcast"))
        }
        guard Self.isPlaylist(bytes, head, url) else {
            try Self.checkMedia(bytes)
            return .file
        }
        while let chunk = try await transfer.next() { bytes += chunk }
        let (playlist, base) = try Self.reading(bytes, of: head, imports: [:])
        return .playlist(playlist, base: base, window: WindowHeaders(head.headers))
    }

    /// Whether a body begins as a playlist, or was announced as one.
    private static func isPlaylist(_ bytes: [UInt8], _ head: TransferHead, _ url: HTTPURL) -> Bool {
        let start = String(decoding: bytes.prefix(256), as: UTF8.self)
        if start.contains("#EXTM3U") { return true }
        let type = head.headers["Content-Type"]?.lowercased() ?? ""
        return type.contains("mpegurl") || url.path.lowercased().hasSuffix(".m3u8")
    }

    /// Throws unless the bytes may be media; only an empty or unknown binary body is tried again.
    private static func checkMedia(_ bytes: [UInt8]) throws(AttemptFailure) {
        guard !bytes.isEmpty else { throw .damaged("the body is empty") }
        guard let refusal = MediaFileKind.refusal(of: bytes) else { return }
        let message = "it leads neither to a playlist nor to media: \(refusal)"
        if case .unrecognised(.binary, _) = refusal { throw .damaged(message) }
        throw .final(.unusable("\(Self.urlName): \(message)"))
    }
}
