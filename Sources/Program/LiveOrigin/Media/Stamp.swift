/// What makes every published segment unlike every other.
struct Stamp: Sendable, Equatable {
    var channel: String
    var rendition: String
    var feed: Int
    var number: Int

    var text: String { "live-origin channel=\(channel) rendition=\(rendition) feed=\(feed) number=\(number)" }
}
