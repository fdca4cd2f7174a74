import HTTP

/// The form in which a body is passed to the library.
enum OutgoingBody {
    case bytes([UInt8])
    case pieces([SharedBytes], byteCount: Int)
    case file(FileSlice)
    case stream(any HTTPBodySource, length: UInt64?)
    /// No body, but the length that GET would announce.
    case announced(UInt64)
    /// No body and no length.
    ///
    /// The connection has to close, because this version of the library would send the end of a chunked body.
    case unannounced

    /// Pieces with at most `joined` bytes become one.
    init(_ response: HTTPResponse, isHead: Bool, joined: Int = Limits.joinedPiecesBytes) {
        let status = response.status
        if status == .noContent || status.rawValue < 200 {
            self = .bytes([])
        } else if isHead || status == .notModified {
            self = Self.byteCount(of: response.body).map(OutgoingBody.announced) ?? .unannounced
        } else {
            self = Self.form(of: response.body, joined: joined)
        }
    }

    var isStream: Bool {
        if case .stream = self { true } else { false }
    }

    /// Bytes of the body that are known in advance; a stream is counted while it is read.
    var knownByteCount: UInt64 {
        switch self {
        case .bytes(let bytes): UInt64(bytes.count)
        case .pieces(_, let byteCount): UInt64(byteCount)
        case .file(let slice): slice.byteCount
        case .stream, .announced, .unannounced: 0
        }
    }

    private static func form(of body: HTTPBody, joined: Int) -> OutgoingBody {
        switch body {
        case .empty: .bytes([])
        case .bytes(let bytes): .bytes(bytes)
        case .file(let slice): .file(slice)
        case .stream(0?, _): .bytes([])
        case .stream(let length, let source): .stream(source, length: length)
        case .pieces(let pieces): form(of: pieces, joined: joined)
        }
    }

    private static func form(of pieces: [SharedBytes], joined: Int) -> OutgoingBody {
        if pieces.count == 1 { return .bytes(pieces[0].bytes) }
        // A span does not count references to pieces, which other threads send at the same time.
        let all = pieces.span
        var byteCount = 0
        for index in all.indices { byteCount += all[index].bytes.count }
        guard byteCount <= joined else { return .pieces(pieces, byteCount: byteCount) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        for index in all.indices { bytes += all[index].bytes }
        return .bytes(bytes)
    }

    private static func byteCount(of body: HTTPBody) -> UInt64? {
        switch body {
        case .empty: 0
        case .bytes(let bytes): UInt64(bytes.count)
        case .pieces(let pieces): pieces.reduce(0) { $0 + UInt64($1.bytes.count) }
        case .file(let slice): slice.byteCount
        case .stream(let length, _): length
        }
    }
}
