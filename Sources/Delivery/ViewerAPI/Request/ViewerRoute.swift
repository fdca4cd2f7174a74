import Timeline

/// The resource that a path below `/live/` names.
enum ViewerRoute: Equatable {
    /// An object of the archive, which the URL alone determines.
    case object(ArchiveKey)
    case window(WindowRoute)

    static let root = "/live/"

    /// Nil when there is no such resource.
    ///
    /// No name of this API needs percent-encoding: what is still encoded names nothing.
    init?(path: String) {
        var rest = Substring(path.utf8.dropFirst(Self.root.utf8.count))
        guard let first = Self.folder(&rest), let channel = ChannelID(String(first)) else { return nil }
        guard let folder = Self.folder(&rest) else {
            guard let route = WindowRoute(channel: channel, file: rest) else { return nil }
            self = .window(route)
            return
        }
        // A name has no slash, so a longer path names nothing.
        guard let key = Self.key(channel, folder: folder, name: String(rest)) else { return nil }
        self = .object(key)
    }

    /// Removes the text up to the first slash and returns it without the slash; nil if there is no slash.
    private static func folder(_ rest: inout Substring) -> Substring? {
        guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        defer { rest = rest[rest.utf8.index(after: slash)...] }
        return rest[..<slash]
    }

    private static func key(_ channel: ChannelID, folder: Substring, name: String) -> ArchiveKey? {
        if folder == "keys" { return ArchiveKey.isKeyName(name) ? .key(channel, name) : nil }
        guard let rendition = RenditionID(String(folder)) else { return nil }
        if let segment = SegmentName(name) { return .segment(channel, rendition, segment) }
        return ArchiveKey.isInitializationName(name) ? .initialization(channel, rendition, name) : nil
    }
}

/// A resource that is a window of time.
struct WindowRoute: Equatable {
    enum Resource: Equatable {
        /// `index.m3u8`: the playlist form of the channel.
        case index
        /// `master.m3u8`: always multivariant.
        case master
        /// `{r}.m3u8`.
        case media(RenditionID)
        /// `{r}-iframes.m3u8`: the key frames of a video rendition.
        case keyFrames(RenditionID)
        /// One media playlist where audio and video are in the same segments, else as `index.m3u8`.
        case single
        /// `timeshift_abs-{utc}.m3u8`: the time-shifted playlist that starts at an instant.
        case since
        /// `download.ts`.
        case transportStream
        /// `recording_status.json`: which times are recorded.
        case recordingStatus
        /// `timeshift_rel-{duration}.ts`, `timeshift_abs-{utc}.ts`, `rewind-{duration}.ts`: a transport
        /// stream that goes on.
        case endlessStream
        /// `download.mp4`.
        case movie
        /// `frame.jpg`: the picture of a key frame.
        case picture
        /// `frames.vtt`: a track of pictures.
        case thumbnails

        /// Whether the answer is one file of media, which has no entries.
        var isMedia: Bool {
            switch self {
            case .transportStream, .endlessStream, .movie, .picture: true
            case .index, .master, .media, .keyFrames, .single, .since, .recordingStatus, .thumbnails: false
            }
        }

        /// The file under which this API answers a window of the resource, as redirects name it.
        var file: String {
            switch self {
            case .index, .single, .since, .recordingStatus: "index.m3u8"
            case .master: "master.m3u8"
            case .media(let id): "\(id).m3u8"
            case .keyFrames(let id): "\(id)-iframes.m3u8"
            case .transportStream, .endlessStream: "download.ts"
            case .movie: "download.mp4"
            case .picture: "frame.jpg"
            case .thumbnails: "frames.vtt"
            }
        }
    }

    var channel: ChannelID
    var resource: Resource
    /// The window that the name of the file says.
    var dialect: DialectWindow?

    init(channel: ChannelID, resource: Resource, dialect: DialectWindow? = nil) {
        self.channel = channel
        self.resource = resource
        self.dialect = dialect
    }

    init?(channel: ChannelID, file: Substring) {
        switch file {
        case "index.m3u8": self.init(channel: channel, resource: .index)
        case "master.m3u8": self.init(channel: channel, resource: .master)
        case "download.ts": self.init(channel: channel, resource: .transportStream)
        case "recording_status.json": self.init(channel: channel, resource: .recordingStatus)
        case "download.mp4": self.init(channel: channel, resource: .movie)
        case "frame.jpg": self.init(channel: channel, resource: .picture)
        case "frames.vtt": self.init(channel: channel, resource: .thumbnails)
        default:
            if file.hasSuffix(".m3u8"), let id = RenditionID(String(file.dropLast(5))) {
                self.init(channel: channel, resource: .media(id))
                return
            }
            if file.hasSuffix("-iframes.m3u8") {
                guard let id = RenditionID(String(file.dropLast(13))), id.kind == .video else { return nil }
                self.init(channel: channel, resource: .keyFrames(id))
                return
            }
            guard let (resource, dialect) = DialectWindow.reading(file) else { return nil }
            self.init(channel: channel, resource: resource, dialect: dialect)
        }
    }
}
