import Timeline

@testable import ViewerAPI

extension TokenTests {
    /// The kinds of resources: a new route needs a kind here, or the switch below does not compile.
    enum Kind: String, CaseIterable {
        case segment, initialization, key, index, master, media, keyFrames, single, since, transportStream
        case movie, picture, thumbnails
        case endlessStream, recordingStatus, channels, guide, xtreamPlayer, xtreamPlaylist, xtreamGuide
        case xtreamLive, xtreamShort, xtreamPast, xtreamQuery

        init(_ route: ViewerRoute) {
            switch route {
            case .object(.segment): self = .segment
            case .object(.initialization): self = .initialization
            case .object(.key): self = .key
            case .window(let window):
                switch window.resource {
                case .index: self = .index
                case .master: self = .master
                case .media: self = .media
                case .keyFrames: self = .keyFrames
                case .single: self = .single
                case .since: self = .since
                case .transportStream: self = .transportStream
                case .movie: self = .movie
                case .picture: self = .picture
                case .thumbnails: self = .thumbnails
                case .endlessStream: self = .endlessStream
                case .recordingStatus: self = .recordingStatus
                }
            }
        }

        /// Nil for paths that name nothing.
        init?(_ route: ListRoute) {
            switch route {
            case .channels: self = .channels
            case .guide: self = .guide
            case .xtream(.player): self = .xtreamPlayer
            case .xtream(.playlist): self = .xtreamPlaylist
            case .xtream(.guide): self = .xtreamGuide
            case .xtream(.media(let media)) where media.form == .live:
                self = media.pathToRoot == "../../" ? .xtreamShort : .xtreamLive
            case .xtream(.media): self = .xtreamPast
            case .xtream(.past): self = .xtreamQuery
            case .unknown: return nil
            }
        }

        init?(path: String) {
            if let route = ViewerRoute(path: path) {
                self.init(route)
            } else if let route = ListRoute(path: path) {
                self.init(route)
            } else {
                return nil
            }
        }

        /// Whether it names channels, and is for the viewers of any of them.
        var isList: Bool {
            switch self {
            case .channels, .guide, .xtreamPlayer, .xtreamPlaylist, .xtreamGuide, .xtreamLive, .xtreamShort,
                .xtreamPast, .xtreamQuery:
                true
            default: false
            }
        }

        /// The seconds of a token that permits the resource inside of it.
        ///
        /// The Xtream Codes API names live, and windows of whole minutes.
        var limits: (begin: Double, end: Double) {
            switch self {
            case .xtreamLive, .xtreamShort: (99_990, 100_010)
            case .xtreamPast, .xtreamQuery: (8, 68)
            default: (8, 24)
            }
        }
    }
}
