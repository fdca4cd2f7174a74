import Digest
import Encoding
import HTTP

/// The name of a task and of its folder: `[a-z0-9][a-z0-9_-]{0,62}`, but not `events`.
package enum TaskID {
    /// What an id is, for messages.
    package static let rule =
        "it has 1 to 63 of a-z, 0-9, - and _, begins with a letter or digit, and is not events"

    /// Whether a text can be an id.
    package static func isValid(_ text: String) -> Bool {
        guard (1...Limits.idLength).contains(text.utf8.count), text != "events",
            let first = text.utf8.first, isWordByte(first)
        else { return false }
        return text.utf8.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }

    /// The id of a URL: the last words of its path, eight digits of its digest, and the words of a window.
    ///
    /// Neither the query nor a playback token of Backcast is part of it, so that the same path with another
    /// token is the same task.
    static func made(for url: HTTPURL, words: [String] = []) throws(DownloadError) -> String {
        let digest: [UInt8]
        do {
            digest = try SHA256.digest(of: Array((url.redactedText).utf8))
        } catch {
            throw .unusable("\(error)")
        }
        let rest = ([Hexadecimal.encode(digest.prefix(4))] + words.flatMap { Self.words(in: $0) })
            .joined(separator: "-")
        let space = max(0, Limits.idLength - rest.utf8.count - 1)
        var head: [String] = []
        for word in Self.words(in: decoded(named(url.redactedPath))).suffix(3).reversed() {
            guard (head + [word]).joined(separator: "-").utf8.count <= space else { break }
            head.insert(word, at: 0)
        }
        return String((head + [rest]).joined(separator: "-").prefix(Limits.idLength))
    }

    /// The title that a URL suggests: the last part of its path that tells something.
    static func title(for url: HTTPURL) -> String {
        let parts = named(url.path).split(separator: "/")
        let usual: Set<Substring> = ["index", "master", "playlist", "main", "stream"]
        let part = parts.last { !usual.contains($0) } ?? parts.last
        return part.map(decoded) ?? url.host
    }

    /// A part of a path without escapes, if they are those of a text.
    private static func decoded(_ path: Substring) -> String {
        PercentEncoding.decoded(path) ?? String(path)
    }

    /// A path without the ending of its last part.
    private static func named(_ path: String) -> Substring {
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return path[...] }
        return path[..<dot]
    }

    private static func words(in text: some StringProtocol) -> [String] {
        text.lowercased().utf8.split { !isWordByte($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
    }
}
