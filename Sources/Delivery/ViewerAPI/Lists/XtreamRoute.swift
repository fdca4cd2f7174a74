import HTTP
import Timeline

/// A resource of the Xtream Codes API.
enum XtreamRoute: Equatable {
    /// `/player_api.php`: account, categories, channels.
    case player
    /// `/get.php`: the channels as M3U.
    case playlist
    /// `/xmltv.php`: the guide.
    case guide
    /// A channel, live or in the past.
    case media(XtreamMedia)
    /// `/streaming/timeshift.php`, `/timeshift.php`: a channel in the past, which the query names.
    case past(pathToRoot: String)

    /// Nil when the path does not belong to that API.
    init?(path: String) {
        switch path {
        case "/player_api.php": self = .player
        case "/get.php": self = .playlist
        case "/xmltv.php": self = .guide
        case "/timeshift.php": self = .past(pathToRoot: "")
        case "/streaming/timeshift.php": self = .past(pathToRoot: "../")
        default:
            guard let media = XtreamMedia(path: path) else { return nil }
            self = .media(media)
        }
    }
}

/// A channel in a path or a query of the Xtream Codes API.
struct XtreamMedia: Equatable {
    enum Form: Equatable {
        /// `/live/{user}/{password}/{channel}`, and without the first part where the channel is a number.
        case live
        /// `/timeshift/{user}/{password}/{minutes}/{start}/{channel}`.
        case past(minutes: String, start: String)
    }

    var form: Form
    var password: String
    /// The number or the id of a channel.
    var channel: String
    /// Whether the name ends in `.ts` or in nothing, else in `.m3u8`.
    var isStream: Bool
    /// The relative path from the request to the root of the viewer's paths.
    var pathToRoot: String

    init?(path: String) {
        // The number of slashes rules out most other paths before anything is decoded.
        let slashes = path.utf8.count { $0 == UInt8(ascii: "/") }
        guard [3, 4, 6].contains(slashes) else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let texts = parts.compactMap { PercentEncoding.decoded($0) }
        guard texts.count == parts.count, let file = texts.last, let name = Self.name(file) else {
            return nil
        }
        (channel, isStream) = name
        switch (texts[0], texts.count) {
        case (let user, 3) where Self.isShort(user: user, name.channel): form = .live
        case ("live", 4) where !Self.isObject(path): form = .live
        case ("timeshift", 6): form = .past(minutes: texts[3], start: texts[4])
        default: return nil
        }
        password = texts[texts.count == 3 ? 1 : 2]
        pathToRoot = String(repeating: "../", count: slashes - 1)
    }

    /// Whether a path of three parts names a channel.
    ///
    /// Its last part must be a number, and its user must not be the name of a folder of this server or of the
    /// Xtream Codes API.
    private static func isShort(user: String, _ channel: String) -> Bool {
        !user.isEmpty && !folders.contains(user) && !channel.isEmpty
            && channel.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static let folders: Set<String> = [
        "api", "exports", "healthz", "iptv", "live", "metrics", "movie", "readyz", "recordings", "series",
        "streaming", "t", "timeshift",
    ]

    /// Whether a path of four parts names an object of the archive; a password such as `v0` can make one.
    ///
    /// `AccessGate` lets no object pass as a channel.
    private static func isObject(_ path: String) -> Bool {
        if case .object? = ViewerRoute(path: path) { true } else { false }
    }

    /// A channel in the past with what a query says; nil if `stream` is no name of a channel.
    init?(stream: String, minutes: String, start: String, password: String, pathToRoot: String) {
        guard let name = Self.name(stream) else { return nil }
        (channel, isStream) = name
        form = .past(minutes: minutes, start: start)
        (self.password, self.pathToRoot) = (password, pathToRoot)
    }

    /// The channel of a file name and whether that names a stream; nil for files of other kinds.
    private static func name(_ file: String) -> (channel: String, isStream: Bool)? {
        if file.hasSuffix(".m3u8") { return (String(file.dropLast(5)), false) }
        let name = file.hasSuffix(".ts") ? file.dropLast(3) : file[...]
        return name.isEmpty || name.contains(".") ? nil : (String(name), true)
    }
}

/// Reads the start of a past programme as apps of the Xtream Codes API write it.
enum XtreamTime {
    /// `yyyy-MM-dd:HH-mm`, also with `HH:mm`, a space, and seconds; or a time as everywhere else.
    static func reading(_ text: String, zone: InstantReading.Zone) -> Instant? {
        let bytes = Array(text.utf8)
        let marks = bytes.indices.filter { !(0x30...0x39).contains(bytes[$0]) }
        guard [[4, 7, 10, 13], [4, 7, 10, 13, 16]].contains(marks),
            bytes.count == (marks.count == 4 ? 16 : 19),
            bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), ": _T".utf8.contains(bytes[10]),
            marks.dropFirst(3).allSatisfy({ "-:".utf8.contains(bytes[$0]) })
        else { return InstantReading.reading(text, zone: zone) }
        let digits = text.filter(\.isNumber)
        return InstantReading.reading(marks.count == 4 ? digits + "00" : digits, zone: zone)
    }
}
