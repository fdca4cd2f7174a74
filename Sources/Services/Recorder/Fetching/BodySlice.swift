import Compression
import HLS
import HTTP
import HTTPClient
import Timeline

/// Streams the bytes of a segment or initialization section: the whole body, or only the listed range.
///
/// If the origin answers a range request with 200, the range is cut out here.
final class BodySlice: SegmentBody {
    private var transfer: Transfer
    private var wanted: WantedBytes
    private let byteLimit: Int
    /// Whether the body may be gzip although the request did not accept it.
    private let isCoded: Bool
    private var inflater: GzipInflater?
    /// How many bytes `next()` has returned, if the body may be gzip.
    private var byteCount = 0

    private init(_ transfer: consuming Transfer, _ wanted: WantedBytes, isCoded: Bool, byteLimit: Int) {
        self.transfer = transfer
        self.wanted = wanted
        self.isCoded = isCoded
        self.byteLimit = byteLimit
    }

    /// Requests a segment and waits for the response header.
    ///
    /// `timeLimit` bounds the transfer, `silence` the time without a byte, also before the response header.
    /// Before the transfer starts, the request may wait in the queue for `timeLimit`, too. `wantsOrigin`
    /// asks caches to revalidate. `isFresh` opens a new connection, which may reach another server.
    /// `byteLimit` bounds the wanted bytes; the file that contains the range may be larger.
    ///
    /// Gzip is also detected without Content-Encoding, but not in encrypted bytes, which may start with the
    /// same bytes by chance.
    static func open(
        _ url: HTTPURL, range: HLS.ByteRange?, link: SourceClient, timeLimit: Duration,
        silence: Duration = Limits.segmentSilence, wantsOrigin: Bool = false, isFresh: Bool = false,
        isEncrypted: Bool = false,
        byteLimit: Int = Limits.segmentBytes,
    ) async throws -> BodySlice {
        if let range, range.length > UInt64(byteLimit) { throw TransferError.tooLarge(limit: byteLimit) }
        let transfer = try await link.session.open(
            url.absoluteString,
            TransferOptions(
                byteLimit: range == nil ? byteLimit : Limits.sourceFileBytes,
                range: range.map { $0.offset..<$0.end },
                headers: wantsOrigin ? ["Cache-Control": "no-cache"] : [:],
                totalTimeout: timeLimit, queueTimeout: timeLimit, lowSpeedTime: silence,
                freshConnection: isFresh))
        let skip = try skipped(transfer.head, range: range)
        let isCoded = range == nil && (transfer.head.isGzip || !isEncrypted)
        return BodySlice(
            transfer, WantedBytes(skipping: skip, count: range?.length), isCoded: isCoded,
            byteLimit: byteLimit)
    }

    /// Bytes of the answer in front of the range.
    private static func skipped(_ head: TransferHead, range: HLS.ByteRange?) throws(FetchFailure) -> UInt64 {
        if head.status.hasWholeContent { return range?.offset ?? 0 }
        guard head.status == .partialContent else { throw FetchFailure(status: head.status.rawValue) }
        guard let field = head.headers["Content-Range"],
            case .part(let offset, let length, let total)? = ContentRange(reading: field),
            // Some caches answer with one range that is the whole file, though none was asked for.
            range.map({ $0.offset == offset }) ?? (offset == 0 && length == total)
        else { throw FetchFailure(.segmentMissing, "the source answered another byte range") }
        return 0
    }

    /// The next bytes; nil at the end.
    ///
    /// Throws if the body ends before the end of the range. A body that is announced as gzip but is not gzip
    /// is returned as received.
    func next() async throws -> [UInt8]? {
        guard isCoded else { return try await received() }
        if byteCount == 0, inflater == nil {
            guard let first = try await received() else { return nil }
            byteCount = first.count
            guard GzipInflater.begins(first) else { return first }
            (inflater, byteCount) = (try GzipInflater(), 0)
            inflater?.put(first)
        }
        guard let inflater else { return try await received() }
        return try await inflated(by: inflater)
    }

    private func inflated(by inflater: GzipInflater) async throws -> [UInt8]? {
        do {
            while true {
                if let piece = try inflater.next() {
                    byteCount += piece.count
                    guard byteCount <= byteLimit else { throw TransferError.tooLarge(limit: byteLimit) }
                    return piece
                }
                guard let chunk = try await received() else { break }
                inflater.put(chunk)
            }
        } catch let error as CompressionError {
            throw FetchFailure(.segmentCorrupt, "gzip: \(error)")
        }
        guard inflater.isComplete else { throw FetchFailure(.segmentCorrupt, "gzip ends early") }
        return nil
    }

    private func received() async throws -> [UInt8]? {
        while !wanted.isComplete, let chunk = try await transfer.nextChunk() {
            let bytes = wanted.take(chunk)
            if !bytes.isEmpty { return bytes }
        }
        if let left = wanted.left, left > 0 {
            throw FetchFailure(.segmentCorrupt, "the byte range ends early")
        }
        return nil
    }

    /// All bytes.
    func read() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let next = try await next() { bytes += next }
        return bytes
    }
}
