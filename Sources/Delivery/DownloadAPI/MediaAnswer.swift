import Downloader
import HTTP

extension DownloadAPI {
    /// A playlist, segment, key or file of a task.
    func media(_ name: String, of id: String, _ request: HTTPRequest) async throws -> HTTPResponse {
        guard manager.task(id) != nil else { throw Problem.noTask(id) }
        let range = request.headers["Range"]
        // Browsers ask for whole parts by a range from the first byte on.
        let needsWholePart = range != nil && range != "bytes=0-"
        switch try await manager.content(name, of: id, needsWholePart: needsWholePart) {
        case .file(let file)?: return MediaAnswer.file(file, name, request)
        case .playlist(let bytes)?: return MediaAnswer.playlist(bytes)
        case .growingPart(let body, let length)?:
            return MediaAnswer.growingPart(body, length: length, name, isRange: range != nil)
        case .growingFile(let file)?: return try await MediaAnswer.growingFile(file, name, request)
        case .preparing?:
            throw Problem(.serviceUnavailable, "the task reads the playlists of its source")
                .retryable(afterSeconds: Limits.retrySeconds)
        case .notRunning?:
            throw Problem(.serviceUnavailable, "the part is missing, and its task is not running")
                .retryable(afterSeconds: Limits.retrySeconds)
        case .sourceUnavailable?:
            throw Self.sourceUnavailable
        case nil: throw Problem.notFound("the task has no file of this name")
        }
    }

    fileprivate static let sourceUnavailable = Problem(
        HTTPStatus(rawValue: 502), "the source sends nothing for this part")
}

/// Answers with media: pages of every origin may read them.
enum MediaAnswer {
    static let fields: HTTPHeaders = [
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": "Content-Length, Content-Range, Accept-Ranges, ETag",
        "X-Content-Type-Options": "nosniff",
    ]

    static let preflight = HTTPResponse(
        status: .noContent,
        headers: [
            "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
            "Access-Control-Allow-Headers": "Range, If-Range, If-None-Match",
            "Access-Control-Max-Age": "86400",
        ])

    static func playlist(_ bytes: [UInt8]) -> HTTPResponse {
        var headers = fields
        headers["Content-Type"] = MediaTypes.playlist
        headers["Cache-Control"] = "no-store"
        return HTTPResponse(status: .ok, headers: headers, body: .bytes(bytes))
    }

    static func file(_ file: ServedFile, _ name: String, _ request: HTTPRequest) -> HTTPResponse {
        let validators = Validators(entityTag: EntityTag(strong: file.version))
        var headers = fields
        headers["Content-Type"] = MediaTypes.type(of: name)
        headers["Cache-Control"] = "no-cache"
        headers["Accept-Ranges"] = "bytes"
        headers["ETag"] = validators.entityTag?.fieldValue
        let whole = FileSlice(file: file, offset: 0, byteCount: file.byteCount)
        switch Preconditions.evaluated(method: request.method, headers: request.headers, current: validators)
        {
        case .notModified:
            return HTTPResponse(status: .notModified, headers: headers, body: .file(whole))
        case .preconditionFailed:
            return Problem(.preconditionFailed, "the file has changed").answer(fields)
        case .proceed: break
        }
        let range = ByteRange.requested(
            method: request.method, headers: request.headers, current: validators, length: file.byteCount)
        switch range {
        case .whole: return HTTPResponse(status: .ok, headers: headers, body: .file(whole))
        case .part(let offset, let length):
            let content = ContentRange.part(offset: offset, length: length, total: file.byteCount)
            headers["Content-Range"] = content.fieldValue
            let slice = FileSlice(file: file, offset: offset, byteCount: length)
            return HTTPResponse(status: .partialContent, headers: headers, body: .file(slice))
        case .unsatisfiable: return unsatisfiable(file.byteCount)
        }
    }

    private static func unsatisfiable(_ byteCount: UInt64) -> HTTPResponse {
        var answer = Problem(.rangeNotSatisfiable, "the file has \(byteCount) bytes").answer(fields)
        answer.headers["Content-Range"] = ContentRange.unsatisfied(total: byteCount).fieldValue
        return answer
    }

    /// A media file that comes while it is answered, also from the middle on.
    static func growingFile(
        _ file: GrowingFile, _ name: String, _ request: HTTPRequest
    ) async throws(Problem) -> HTTPResponse {
        guard await file.hasBegun() else { throw DownloadAPI.sourceUnavailable }
        var headers = fields
        headers["Content-Type"] = MediaTypes.type(of: name)
        headers["Cache-Control"] = "no-cache"
        var (status, offset, count) = (HTTPStatus.ok, UInt64(0), file.byteCount)
        if let total = file.byteCount {
            headers["Accept-Ranges"] = "bytes"
            let range = ByteRange.requested(
                method: request.method, headers: request.headers, current: Validators(entityTag: nil),
                length: total)
            switch range {
            case .whole: break
            case .unsatisfiable: return unsatisfiable(total)
            case .part(let first, let length):
                (status, offset, count) = (.partialContent, first, length)
                let content = ContentRange.part(offset: first, length: length, total: total)
                headers["Content-Range"] = content.fieldValue
            }
        }
        guard let body = await file.body(from: offset, count: count, isRead: request.method == .get) else {
            throw DownloadAPI.sourceUnavailable
        }
        return HTTPResponse(status: status, headers: headers, body: .stream(length: count, body))
    }

    /// A part that comes while it is answered.
    static func growingPart(
        _ body: GrowingBody, length: UInt64?, _ name: String, isRange: Bool
    ) -> HTTPResponse {
        var headers = fields
        headers["Content-Type"] = MediaTypes.type(of: name)
        headers["Cache-Control"] = "no-cache"
        var status = HTTPStatus.ok
        if isRange, let length, length > 0 {
            status = .partialContent
            headers["Content-Range"] =
                ContentRange.part(offset: 0, length: length, total: length).fieldValue
        }
        return HTTPResponse(status: status, headers: headers, body: .stream(length: length, body))
    }
}

/// The types of files by their endings.
enum MediaTypes {
    static let playlist = "application/vnd.apple.mpegurl"

    static func type(of name: String) -> String {
        let ending = name.split(separator: ".").last?.lowercased() ?? ""
        return types[ending] ?? "application/octet-stream"
    }

    private static let types = [
        "m3u8": playlist, "ts": "video/mp2t", "m4s": "video/iso.segment", "mp4": "video/mp4",
        "m4v": "video/mp4", "m4a": "audio/mp4", "mov": "video/quicktime", "webm": "video/webm",
        "mkv": "video/x-matroska", "aac": "audio/aac", "mp3": "audio/mpeg", "ac3": "audio/ac3",
        "ec3": "audio/eac3", "ogg": "audio/ogg", "opus": "audio/ogg", "flac": "audio/flac",
        "wav": "audio/wav", "vtt": "text/vtt; charset=utf-8", "jpg": "image/jpeg",
    ]
}
