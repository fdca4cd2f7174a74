import HTTP

/// A place in a JSON document as a URI fragment (RFC 6901 §6).
struct JSONPointer: Sendable, Hashable {
    private let tokens: [String]

    /// The whole document.
    static let root = JSONPointer(tokens: [])

    private init(tokens: [String]) {
        self.tokens = tokens
    }

    /// The place of a path of names and indices.
    init(path: [String]) {
        self = path.reduce(.root) { $0.appending($1) }
    }

    func appending(_ name: String) -> JSONPointer {
        JSONPointer(tokens: tokens + [String(name.prefix(Limits.quotedCharacters))])
    }

    func appending(_ index: Int) -> JSONPointer {
        appending(String(index))
    }

    /// For example `#/sources/0/url`.
    var text: String {
        "#" + tokens.map { "/" + PercentEncoding.encoded(Self.escaped($0)) }.joined()
    }

    /// For messages: `sources/0/url`, or `the body` for the whole document.
    var words: String {
        tokens.isEmpty ? "the body" : tokens.joined(separator: "/")
    }

    private static func escaped(_ token: String) -> String {
        token.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}
