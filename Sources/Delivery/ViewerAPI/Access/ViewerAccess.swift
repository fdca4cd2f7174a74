import Access
import Catalogue
import Timeline

/// What a viewer may see, and what the URLs in lists for them begin with.
struct ViewerAccess: Sendable {
    /// The viewer's token; nil while playback is open.
    var token: Substring?
    /// What the token permits; nil while playback is open.
    var grant: PlaybackGrant?
    /// Whether the path of the request began with the token, and not with the root of the server.
    var isPrefixed = false

    /// What the viewer's paths begin with.
    var prefix: String { token.map { TokenPath.root + $0 } ?? "" }

    /// The password of the viewer, for apps that ask for one.
    var password: String { token.map { String($0) } ?? "open" }

    func permits(_ channel: ListedChannel) -> Bool {
        grant?.permits(channel.channel.id) ?? true
    }
}
