import Compression
import Files
import HLS
import HTTP
package import HTTPClient
package import Logging

/// Reads playlists from files and URLs and reports on them; needs neither a database nor a folder of its own.
package struct PlaylistProber: Sendable {
    private let disk = Disk<ProbeError>()
    /// Nil when no source is a URL.
    private let client: HTTPClient?

    /// Opens what the sources need; `close` ends it.
    package static func open(
        for sources: [String], logger: Logger
    ) throws(HTTPClientError) -> PlaylistProber {
        guard sources.contains(where: isURL) else { return PlaylistProber(client: nil) }
        return PlaylistProber(client: try HTTPClient.open(ClientConfiguration(logger: logger)))
    }

    private init(client: HTTPClient?) {
        self.client = client
    }

    /// The report on a file or a URL; one that cannot be read is refused with the reason.
    package func report(on source: String) async -> ProbeReport {
        do throws(ProbeError) {
            guard Self.isURL(source) else {
                // The URL and the multivariant playlist of a file are not known.
                var variables = VariableSource()
                variables.mayLackValues = true
                return ProbeReport(
                    source: source, bytes: plain(try contents(of: source)), variables: variables)
            }
            let (bytes, effectiveURL) = try await fetch(source)
            return ProbeReport(
                source: source, bytes: plain(bytes), variables: VariableSource(url: effectiveURL))
        } catch {
            return ProbeReport(source: source, refusedBecause: "\(error)")
        }
    }

    package func close() async {
        await client?.close()
    }

    /// Everything else is the path of a file.
    private static func isURL(_ source: String) -> Bool {
        let start = source.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// As recording does.
    private func plain(_ bytes: [UInt8]) -> [UInt8] {
        GzipReader.plain(bytes, limit: Limits.playlistByteCount)
    }

    /// One byte more than a playlist may have is read, so that a longer file is refused as such.
    ///
    /// It is read until its end, because a pipe does not say its length.
    private func contents(of path: String) throws(ProbeError) -> [UInt8] {
        guard let bytes = try disk.readToEnd(path, upTo: Limits.playlistByteCount + 1) else {
            throw Self.missing(path)
        }
        return bytes
    }

    /// What looks like a URL of another scheme was hardly meant as a file.
    private static func missing(_ path: String) -> ProbeError {
        guard path.contains("://") else { return .missing }
        do throws(HTTPURLError) {
            _ = try HTTPURL(path)
        } catch {
            if case .notHTTP(_?) = error { return .unreachable("\(error)") }
        }
        return .missing
    }

    private func fetch(_ text: String) async throws(ProbeError) -> (bytes: [UInt8], effectiveURL: String) {
        let body: FetchedBody
        do {
            let url = try HTTPURL(text)
            guard let client else { throw TransferError.closed }
            let session = try client.makeSession(SessionOptions(source: url.absoluteString))
            defer { session.close() }
            body = try await session.fetch(
                url.absoluteString,
                TransferOptions(
                    byteLimit: Limits.playlistByteCount, acceptCompressed: true, totalTimeout: Limits.timeout)
            )
        } catch {
            throw .unreachable("\(error)")
        }
        guard body.status == .ok else { throw .status(body.status.rawValue) }
        return (body.bytes, body.head.effectiveURL)
    }
}
