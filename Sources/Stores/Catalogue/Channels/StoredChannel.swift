import Foundation
import Postgres
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

    /// Reads a row of `columns`.
    init(from fields: Row) throws {
        row = try fields.decode("channel_id")
        version = try fields.decode("version")
        isDeleted = try fields.decode("deleted")
        let form = try fields.decode("shape", as: String?.self).flatMap(PlaylistForm.init)
        let mediaUntil = try fields.decode("media_until_us", as: Int64?.self).map(Instant.init(microseconds:))
        let settings = Self.settings(
            try fields.decode("settings"), of: try fields.decode("slug", as: String.self))
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
            let fault = (error as? DecodingError)?.plainWords ?? "\(error)"
            return .failure(.unreadableSettings(channel: slug, fault: fault))
        }
    }
}

extension DecodingError {
    /// What is wrong with which field, such as "the field sources.0.url is missing".
    var plainWords: String {
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
