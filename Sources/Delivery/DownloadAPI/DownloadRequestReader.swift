import Downloader
import HTTP
import JSON

/// Reads a download request from the body of an HTTP request; an error names the field that is wrong.
struct DownloadRequestReader {
    private var members: [String: JSONValue]

    static func request(from body: [UInt8]) throws(Problem) -> DownloadRequest {
        let value: JSONValue
        do {
            value = try JSONReader.value(of: body)
        } catch {
            throw Problem(.badRequest, "the body is not JSON: \(error)")
        }
        guard case .object(let list) = value else {
            throw Problem(.badRequest, "the body must be an object, not \(value.typeName)")
        }
        var reader = DownloadRequestReader(
            members: Dictionary(list.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }))
        return try reader.request()
    }

    private mutating func request() throws(Problem) -> DownloadRequest {
        guard let url = try text("url") else { throw Self.fault("url", "is missing") }
        guard (try? HTTPURL(url)) != nil else { throw Self.fault("url", "is not an http or https URL") }
        var request = DownloadRequest(url: url)
        request.id = try text("id")
        if let id = request.id, !TaskID.isValid(id) { throw Self.fault("id", "is not an id") }
        request.title = try text("title")
        request.labels = try texts("labels").reduce(into: [:]) { $0[$1.name] = $1.value }
        if let format = try text("format") {
            guard let form = DownloadFormat(rawValue: format) else {
                throw Self.fault("format", "is not folder, ts or mp4")
            }
            request.format = form
        }
        if let quality = try quality() { request.quality = quality }
        if let audio = try tracks("audio") { request.audio = audio }
        if let subtitles = try tracks("subtitles") { request.subtitles = subtitles }
        request.begin = try text("begin")
        request.duration = try seconds("duration_seconds")
        if request.begin != nil, request.duration == nil {
            throw Self.fault("begin", "needs duration_seconds")
        }
        if let begin = request.begin, !DownloadRequest.isBegin(begin) {
            throw Self.fault("begin", "is not a time: \(DownloadRequest.beginForms)")
        }
        request.headers = try headers()
        request.decrypts = try bool("decrypt") ?? false
        if let unknown = members.keys.sorted().first { throw Self.fault(unknown, "is unknown") }
        return request
    }

    private mutating func quality() throws(Problem) -> QualityChoice? {
        let words: String?
        if case .integer(let rate)? = members["quality"] {
            members["quality"] = nil
            words = String(rate)
        } else {
            words = try text("quality")
        }
        guard let words else { return nil }
        guard let quality = QualityChoice(words) else {
            throw Self.fault("quality", "is not best, worst, a height as 720p or bits per second")
        }
        return quality
    }

    private mutating func tracks(_ name: String) throws(Problem) -> TrackChoice? {
        guard let words = try text(name) else { return nil }
        guard let choice = TrackChoice(words: words) else {
            throw Self.fault(name, "is not none, default, all or languages separated by commas")
        }
        return choice
    }

    private mutating func headers() throws(Problem) -> [DownloadRequest.Field] {
        try texts("headers").map { member throws(Problem) in
            guard HTTPHeaders.Field(name: member.name, value: member.value).canBeSent else {
                throw Self.fault("headers", "has a field that cannot be sent")
            }
            return DownloadRequest.Field(name: member.name, value: member.value)
        }
    }
}

extension DownloadRequestReader {
    private mutating func take(_ name: String) -> JSONValue? {
        guard let value = members.removeValue(forKey: name), value != .null else { return nil }
        return value
    }

    private mutating func text(_ name: String) throws(Problem) -> String? {
        switch take(name) {
        case nil: return nil
        case .string(let text)? where text.unicodeScalars.count <= Limits.textCharacters: return text
        case .string?: throw Self.fault(name, "is longer than \(Limits.textCharacters) characters")
        case let other?: throw Self.fault(name, "must be a string, not \(other.typeName)")
        }
    }

    private mutating func bool(_ name: String) throws(Problem) -> Bool? {
        switch take(name) {
        case nil: return nil
        case .bool(let value)?: return value
        case let other?: throw Self.fault(name, "must be true or false, not \(other.typeName)")
        }
    }

    /// A number above 0, as the text that requests have.
    private mutating func seconds(_ name: String) throws(Problem) -> String? {
        let words: String
        switch take(name) {
        case nil: return nil
        case .integer(let seconds)?: words = String(seconds)
        case .number(let seconds)?: words = "\(seconds)"
        default: throw Self.fault(name, "must be a number of seconds above 0")
        }
        // A text that cannot be read as a duration would mean no limit.
        guard DownloadRequest.isDuration(words) else {
            throw Self.fault(name, "must be a number of seconds above 0 that a duration can have")
        }
        return words
    }

    private mutating func texts(_ name: String) throws(Problem) -> [(name: String, value: String)] {
        guard let value = take(name) else { return [] }
        guard case .object(let list) = value, list.count <= Limits.members else {
            throw Self.fault(name, "must be an object with at most \(Limits.members) members")
        }
        return try list.map { member throws(Problem) in
            guard case .string(let text) = member.value, text.unicodeScalars.count <= Limits.textCharacters
            else {
                throw Self.fault(name, "must have strings of at most \(Limits.textCharacters) characters")
            }
            return (member.name, text)
        }
    }

    private static func fault(_ name: String, _ words: String) -> Problem {
        let name = String(name.prefix(64))
        return Problem(.badRequest, "\(name) \(words)").with("field", .string(name))
    }
}
