import Access

/// The kind of resource that a path names: a label of the request metrics with a bounded number of values.
package enum RequestRoute: String, Sendable, CaseIterable {
    case playlist
    case segment
    case key
    case download
    case list
    case picture
    case channels
    case channel
    case status
    case timeline
    case reanchor
    case tokens
    case token
    case document = "openapi"
    case metrics
    case health = "healthz"
    case readiness = "readyz"
    case frontPage = "index"
    case other

    package init(path: String) {
        // Most requests are those of viewers.
        let rest = TokenPath(path)?.rest ?? path[...]
        if rest.utf8.starts(with: "/live/".utf8) {
            self = Self.live(rest)
        } else if rest.utf8.starts(with: "/iptv/".utf8) || rest.utf8.starts(with: "/timeshift/".utf8)
            || rest.utf8.last == UInt8(ascii: "p") && Self.xtream.contains(String(rest))
        {
            self = .list
        } else if let route = Route(path: path) {
            self.init(route)
        } else {
            self = Self.isNumbered(rest) ? .list : .other
        }
    }

    /// `/{user}/{password}/{number}` of the Xtream Codes API, also with `.ts` or `.m3u8`.
    private static func isNumbered(_ path: Substring) -> Bool {
        let bytes = path.utf8
        guard bytes.count(where: { $0 == UInt8(ascii: "/") }) == 3,
            let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
        else { return false }
        let file = bytes[bytes.index(after: slash)...]
        let number = file.prefix { $0 != UInt8(ascii: ".") }
        return !number.isEmpty && number.allSatisfy { (0x30...0x39).contains($0) }
            && ["", ".ts", ".m3u8"].contains(String(Substring(file.dropFirst(number.count))))
    }

    /// Paths of the Xtream Codes API.
    private static let xtream: Set<String> = [
        "/player_api.php", "/get.php", "/xmltv.php", "/timeshift.php", "/streaming/timeshift.php",
    ]

    private init(_ route: Route) {
        self =
            switch route {
            case .frontPage: .frontPage
            case .health: .health
            case .readiness: .readiness
            case .metrics: .metrics
            case .document: .document
            case .channels: .channels
            case .channel(let path): Self.part(path.part)
            case .tokens: .tokens
            case .token: .token
            case .unknown: .other
            }
    }

    private static func part(_ part: ChannelPath.Part) -> RequestRoute {
        switch part {
        case .settings: .channel
        case .status: .status
        case .timeline: .timeline
        case .reanchor: .reanchor
        }
    }

    /// `/live/{ch}/…`, which is told without making a string of any part.
    private static func live(_ path: Substring) -> RequestRoute {
        let bytes = path.utf8
        let slash = UInt8(ascii: "/")
        let file = bytes.dropFirst("/live/".utf8.count).drop { $0 != slash }.dropFirst()
        guard let rest = file.firstIndex(of: slash) else {
            if file.suffix(5).elementsEqual(".m3u8".utf8) { return .playlist }
            if file.starts(with: "frame".utf8) { return .picture }
            let isDownload = file.starts(with: "download.".utf8) || file.suffix(3).elementsEqual(".ts".utf8)
            return isDownload ? .download : .other
        }
        if file[file.index(after: rest)...].contains(slash) { return .other }
        let folder = file[..<rest]
        if folder.elementsEqual("keys".utf8) { return .key }
        // `/live/{user}/{password}/{channel}` is of the Xtream Codes API.
        return isRendition(folder) ? .segment : .list
    }

    private static func isRendition(_ name: Substring.UTF8View) -> Bool {
        let kinds = "vas".utf8
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return name.first.map(kinds.contains) ?? false && (1...3).contains(name.dropFirst().count)
            && name.dropFirst().allSatisfy(digits.contains)
    }
}
