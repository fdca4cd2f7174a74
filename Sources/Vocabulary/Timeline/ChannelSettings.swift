/// The settings of a channel, as an operator defines them.
///
/// The JSON form is that of the admin API, and the stored one. Of settings that a later version stored,
/// unknown fields are skipped (the catalogue keeps them when it writes), and an unknown choice reads as the
/// one that loses nothing: `auto`, `keep`, `all`. A channel that waits for the right version would not be
/// recorded.
package struct ChannelSettings: Sendable, Equatable, Codable {
    package var id: ChannelID
    package var title: String
    /// In order of preference: by priority, lower first, then as listed.
    package var sources: [SourceSettings]
    package var recording: Bool
    /// How long segments are kept, seconds; nil keeps them forever.
    package var retentionSeconds: Int64?
    /// How many bytes the channel may hold; nil is no limit.
    package var maxBytes: Int64?
    package var renditions: RenditionChoice
    package var clock: ClockChoice
    package var encryption: EncryptionChoice
    /// The IANA time zone of request times that name no zone.
    package var timeZone: String
    /// The URL of a picture, for lists of channels.
    package var logo: String?
    /// The heading under which lists of channels show it.
    package var group: String?

    package init(id: ChannelID, title: String, sources: [SourceSettings], retentionSeconds: Int64?) {
        self.id = id
        self.title = title
        self.sources = sources
        self.retentionSeconds = retentionSeconds
        recording = true
        renditions = .all
        clock = .auto
        encryption = .keep
        timeZone = "UTC"
    }

    /// The allowed retention, seconds: from a minute, so that live playback works, to ten years.
    package static let retentionBounds: ClosedRange<Int64> = 60...315_360_000

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case id, title, sources, recording
        case retentionSeconds = "retention_seconds"
        case maxBytes = "max_bytes"
        case renditions
        case clock, encryption
        case timeZone = "time_zone"
        case logo, group
    }

    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        let id: ChannelID = try stored.read(.id)
        self.init(
            id: id, title: try stored.read(.title, default: id.text), sources: try stored.read(.sources),
            retentionSeconds: try stored.readIfPresent(.retentionSeconds))
        recording = try stored.read(.recording, default: recording)
        maxBytes = try stored.readIfPresent(.maxBytes)
        renditions = try stored.read(.renditions, default: renditions)
        clock = try stored.read(.clock, fallback: clock)
        encryption = try stored.read(.encryption, fallback: encryption)
        timeZone = try stored.read(.timeZone, default: timeZone)
        logo = try stored.readIfPresent(.logo)
        group = try stored.readIfPresent(.group)
    }
}

extension ChannelSettings {
    /// Whether settings are the same to the byte, also where only the Unicode normalization of texts differs.
    package func isIdentical(to other: ChannelSettings) -> Bool {
        self == other && textBytes == other.textBytes
    }

    private var textBytes: [[UInt8]] {
        [title, timeZone, logo, group].map { Array(($0 ?? "").utf8) } + sources.flatMap(\.textBytes)
    }
}

/// Where the wall-clock times of a channel come from.
package enum ClockChoice: String, Sendable, Codable, CaseIterable {
    /// The source's dates if they are plausible, else the time of arrival.
    case auto
    case source
    case arrival
}

/// How AES-128 segments are stored.
package enum EncryptionChoice: String, Sendable, Codable, CaseIterable {
    /// As received, with the key stored beside them.
    case keep
    /// Decrypted.
    case clear
}

/// Which renditions of a multivariant source are recorded.
package enum RenditionChoice: Sendable, Equatable, Codable {
    case all
    case highest
    case lowest
    case named([RenditionID])

    /// An unknown form reads as `all`: too much is recorded rather than too little.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let names = try? container.decode([RenditionID].self) {
            self = .named(names)
            return
        }
        switch try? container.decode(String.self) {
        case "highest": self = .highest
        case "lowest": self = .lowest
        default: self = .all
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .all: try container.encode("all")
        case .highest: try container.encode("highest")
        case .lowest: try container.encode("lowest")
        case .named(let names): try container.encode(names)
        }
    }
}
