import ArgumentParser
import Concurrency
import Downloader
import Foundation
import HTTP
import Timeline

/// What of a presentation is taken.
struct ContentFlags: ParsableArguments {
    @Option(help: "The name of the task and of its folder; made from the URL unless given.")
    var id: String?

    @Option(help: "A title.")
    var title: String?

    @Option(help: ArgumentHelp("A label; may be repeated.", valueName: "key=value"))
    var label: [String] = []

    @Option(help: "folder, ts for one transport stream, or mp4 (packed by ffmpeg).")
    var format = "folder"

    @Option(help: "best, worst, a height as 720p, or bits per second.")
    var quality = "best"

    @Option(help: "default, all, or languages separated by commas.")
    var audio = "default"

    @Option(help: "none, all, or languages separated by commas.")
    var subtitles = "none"

    @Option(help: "The begin of a window of a Backcast channel.")
    var begin: String?

    @Option(help: "The length of the window, or how much is taken of a live playlist.")
    var duration: String?

    @Option(
        help: ArgumentHelp("The part of a finished presentation, as 0:10:00-0:20:00.", valueName: "from-to"))
    var range: String?

    @Flag(help: "Store segments without their encryption.")
    var decrypt = false

    /// The request for a URL.
    func request(for url: String, _ fetching: FetchFlags) throws -> DownloadRequest {
        do {
            _ = try HTTPURL(url)
        } catch {
            throw ValidationError("the URL \(Self.redacted(url)) cannot be used: \(error)")
        }
        var request = DownloadRequest(url: url)
        if let id, !TaskID.isValid(id) {
            throw ValidationError("--id \(Self.quoted(id)) is not an id: \(TaskID.rule)")
        }
        request.id = id
        request.title = title
        request.labels = try labels()
        guard let format = DownloadFormat(rawValue: format) else {
            throw ValidationError("--format \(Self.quoted(format)) is not folder, ts or mp4")
        }
        request.format = format
        guard let quality = QualityChoice(quality) else {
            throw ValidationError(
                "--quality \(Self.quoted(quality)) is not best, worst, a height or bits per second")
        }
        request.quality = quality
        request.audio = try Self.tracks(audio, option: "--audio", words: "default, all")
        request.subtitles = try Self.tracks(subtitles, option: "--subtitles", words: "none, all")
        try addTimes(to: &request)
        request.headers = try fetching.fields(for: url)
        request.decrypts = decrypt
        request.allowsInvalidCertificate = fetching.insecure
        return request
    }

    /// A text that is no valid URL, without the parts that may be secret: query, user and password.
    private static func redacted(_ text: String) -> String {
        let address = text.prefix { $0 != "?" && $0 != "#" }
        let start = address.firstRange(of: "://")?.upperBound ?? address.startIndex
        let rest = address[start...].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return PrintableText.line(String(address[..<start] + rest))
    }

    private static func tracks(_ text: String, option: String, words: String) throws -> TrackChoice {
        guard let choice = TrackChoice(words: text) else {
            throw ValidationError(
                "\(option) \(quoted(text)) is not \(words) or languages separated by commas")
        }
        return choice
    }

    /// A word in a message; one that is empty could not be seen.
    private static func quoted(_ text: String) -> String {
        text.isEmpty ? "''" : PrintableText.line(text)
    }

    private func addTimes(to request: inout DownloadRequest) throws {
        if let duration, !DownloadRequest.isDuration(duration) {
            throw ValidationError("--duration \(Self.quoted(duration)) is not a duration above 0")
        }
        if begin != nil, duration == nil { throw ValidationError("--begin needs --duration") }
        if let begin, !DownloadRequest.isBegin(begin) {
            throw ValidationError(
                "--begin \(Self.quoted(begin)) is not a time: \(DownloadRequest.beginForms)")
        }
        request.begin = begin
        request.duration = duration
        guard let range else { return }
        guard let time = TimeRange(range) else {
            throw ValidationError("--range \(Self.quoted(range)) is not of the form 0:10:00-0:20:00")
        }
        request.range = time
    }

    private func labels() throws -> [String: String] {
        var labels: [String: String] = [:]
        for text in label {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw ValidationError("--label \(text) is not of the form key=value")
            }
            labels[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        return labels
    }
}

/// How transfers are made.
struct FetchFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A header field for the URL's own server; may be repeated.", valueName: "name: value"))
    var header: [String] = []

    @Option(
        help: ArgumentHelp("Cookies in the format of Netscape, for the URL's own server.", valueName: "file"))
    var cookies: String?

    @Flag(help: "Accept any certificate.")
    var insecure = false

    func fields(for url: String) throws -> [DownloadRequest.Field] {
        try givenFields() + cookieFields(for: url)
    }

    private func cookieFields(for url: String) throws -> [DownloadRequest.Field] {
        guard let cookies else { return [] }
        let text = try InputFile.text(of: cookies, option: "--cookies")
        let now = HostClock.system.now().microseconds / Microseconds.perSecond
        let value = try CookieFile.field(in: text, for: url, now: now)
        return value.map { [DownloadRequest.Field(name: "Cookie", value: $0)] } ?? []
    }

    private func givenFields() throws -> [DownloadRequest.Field] {
        try header.map { text in
            guard let field = HeaderFlag.reading(text) else { throw ValidationError(HeaderFlag.fault) }
            return DownloadRequest.Field(name: field.name, value: field.value)
        }
    }
}

/// Bounds of all transfers together.
struct TransferFlags: ParsableArguments {
    @Option(help: ArgumentHelp("A proxy for all transfers.", valueName: "url"))
    var proxy: String?

    @Option(help: "Transfers at once.")
    var parallel = 4

    @Option(help: "Tasks at once.")
    var tasks = 2

    @Option(help: ArgumentHelp("Bytes per second of all transfers together.", valueName: "bytes"))
    var rate: Int?

    @Option(help: ArgumentHelp("Seconds without a network after which a task fails.", valueName: "seconds"))
    var networkTimeout = 300

    func options() throws -> DownloadOptions {
        guard (1...64).contains(parallel) else { throw ValidationError("--parallel is 1 to 64") }
        guard (1...64).contains(tasks) else { throw ValidationError("--tasks is 1 to 64") }
        guard rate.map({ $0 > 0 }) ?? true else { throw ValidationError("--rate is above 0") }
        guard (0...86_400).contains(networkTimeout) else {
            throw ValidationError("--network-timeout is 0 to 86400")
        }
        if let proxy, !Self.isProxy(proxy) {
            throw ValidationError("--proxy is a URL with http, https, socks4, socks4a, socks5 or socks5h")
        }
        var options = DownloadOptions()
        options.parallel = parallel
        options.tasks = tasks
        options.bytesPerSecond = rate
        options.networkTimeout = .seconds(networkTimeout)
        return options
    }

    private static func isProxy(_ text: String) -> Bool {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased() else { return false }
        let schemes: Set<String> = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        return schemes.contains(scheme) && !(url.host() ?? "").isEmpty
    }
}
