import Foundation
import Postgres
import Synchronization
import Timeline

/// The row of a channel: it has a version even if this program cannot read its settings.
package struct StoredChannel: Sendable {
    /// The row id; it never changes.
    package var row: Int32
    package var version: Int64
    package var isDeleted: Bool
    /// The channel, or why its settings cannot be read.
    package var channel: Result<Channel, CatalogueError>

    static let columns = """
        channel_id, slug, settings::text AS settings, version, shape, media_until_us,
        deleted_at IS NOT NULL AS deleted
        """

    /// Reads a row of `columns`; settings that are the same text as at the last time are taken from `known`.
    init(from fields: Row, known: KnownSettings? = nil) throws {
        row = try fields.decode("channel_id")
        version = try fields.decode("version")
        isDeleted = try fields.decode("deleted")
        let form = try fields.decode("shape", as: String?.self).flatMap(PlaylistForm.init)
        let mediaUntil = try fields.decode("media_until_us", as: Int64?.self).map(Instant.init(microseconds:))
        let (slug, text): (String, String) = (try fields.decode("slug"), try fields.decode("settings"))
        let settings = known?.settings(of: row, in: text) ?? Self.settings(text, of: slug)
        if case .success(let settings) = settings { known?.hold(settings, of: row, as: text) }
        channel = settings.map { [row, version, isDeleted] settings in
            Channel(
                row: row, settings: settings, version: version, playlistForm: form, mediaUntil: mediaUntil,
                isDeleted: isDeleted)
        }
    }

    private static func settings(
        _ text: String, of slug: String
    ) -> Result<ChannelSettings, CatalogueError> {
        do {
            return .success(try JSONDecoder().decode(ChannelSettings.self, from: Data(text.utf8)))
        } catch {
            let fault = (error as? DecodingError)?.plainMessage ?? "\(error)"
            return .failure(.unreadableSettings(channel: slug, fault: fault))
        }
    }
}

/// The settings of all channels as they were read last, by the row id of the channel: they are read each
/// second, and hardly ever change.
final class KnownSettings: Sendable {
    private let known = Mutex<[Int32: (text: String, settings: ChannelSettings)]>([:])

    var count: Int { known.withLock { $0.count } }

    /// Nil if the text is not the one that was read last, to the byte.
    func settings(of row: Int32, in text: String) -> Result<ChannelSettings, CatalogueError>? {
        known.withLock { known in
            guard let last = known[row], last.text.utf8.elementsEqual(text.utf8) else { return nil }
            return .success(last.settings)
        }
    }

    func hold(_ settings: ChannelSettings, of row: Int32, as text: String) {
        known.withLock { known in
            if let last = known[row], last.text.utf8.elementsEqual(text.utf8) { return }
            known[row] = (text, settings)
        }
    }

    /// Forgets channels that are gone.
    func keep(_ rows: Set<Int32>) {
        known.withLock { known in
            if known.count > rows.count { known = known.filter { rows.contains($0.key) } }
        }
    }
}

extension DecodingError {
    /// What is wrong with which field, such as "the field sources.0.url is missing".
    var plainMessage: String {
        switch self {
        case .keyNotFound(let key, let context): "\(Self.name(context.codingPath + [key])) is missing"
        case .valueNotFound(_, let context): "\(Self.name(context.codingPath)) is null"
        case .typeMismatch(_, let context): "\(Self.name(context.codingPath)) has the wrong type"
        case .dataCorrupted(let context): "\(Self.name(context.codingPath)) has a value that is not valid"
        @unknown default: "a field has a value that is not valid"
        }
    }

    private static func name(_ path: [any CodingKey]) -> String {
        let names = path.map { key in key.intValue.map(String.init) ?? key.stringValue }
        return names.isEmpty ? "the whole value" : "the field " + names.joined(separator: ".")
    }
}
