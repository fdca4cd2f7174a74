import HLS
import HTTP

/// The names of keys in the folder `keys`: one for each URI of a playlist, and for each key that replaced
/// another one there.
///
/// A URI with another token gets the name that its segments have already.
struct KeyNames: Sendable {
    /// The URI under which each key is to be asked for.
    private(set) var uris: [String: String] = [:]
    private var names: [String: String] = [:]
    private var next = 1

    var isEmpty: Bool { uris.isEmpty }

    init(kept: [String] = []) {
        next = (kept.map(Self.number).max() ?? 0) + 1
    }

    mutating func name(for uri: String, known: String?) -> String {
        let name = known ?? names[uri] ?? newName()
        names[uri] = name
        uris[name] = uri
        return name
    }

    /// The names of the keys that a URI had, the latest last.
    func names(of uri: String) -> [String] {
        uris.filter { $0.value == uri }.keys.sorted { Self.number(of: $0) < Self.number(of: $1) }
    }

    /// The name of a key that has replaced the one at a URI.
    mutating func newName(at uri: String) -> String {
        let name = newName()
        (names[uri], uris[name]) = (name, uri)
        return name
    }

    private static func number(of name: String) -> Int { Int(name.prefix { $0 != "." }) ?? 0 }

    private mutating func newName() -> String {
        defer { next += 1 }
        return "\(next).key"
    }
}

extension PartKey {
    /// The key of a segment or section; nil when it is clear.
    ///
    /// Takes the first AES-128 key with the identity format; throws if there are only others.
    static func taking(
        _ keys: [Key], number: UInt64, base: HTTPURL
    ) throws(DownloadError) -> PartKey? {
        guard let last = keys.last else { return nil }
        let usable = keys.first { $0.method == .aes128 && $0.keyFormat == Key.identityFormat }
        guard let usable else { throw .protected(method: last.method.rawValue) }
        guard let uri = usable.uri else { throw .key("a key has no URI") }
        let vector = usable.effectiveInitializationVector(mediaSequenceNumber: number)
        if uri.lowercased().hasPrefix("data:") { return PartKey(uri: uri, vector: vector) }
        do {
            return PartKey(uri: try base.resolving(uri).absoluteString, vector: vector)
        } catch {
            throw .key("the URI of a key cannot be used: \(error)")
        }
    }

    var vectorBytes: [UInt8] { Key.bytes(ofInitializationVector: vector) }
}
