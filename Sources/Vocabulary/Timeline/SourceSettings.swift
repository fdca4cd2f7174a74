/// An upstream playlist of a channel and how it is requested.
package struct SourceSettings: Sendable, Equatable, Codable {
    package var url: String
    /// Request headers; they are sent only to the source's own host and to `headerHosts`.
    package var headers: [String: String]
    /// Lower is preferred.
    package var priority: Int
    /// Maximum number of concurrent connections; nil is no limit.
    package var maxConnections: Int?
    package var allowInvalidCertificate: Bool
    /// Whether the playlist's query is appended to the URLs that it lists.
    package var inheritQuery: Bool
    /// 4, 6, or nil for either.
    package var ipVersion: Int?
    package var headerHosts: [String]

    package init(url: String, headers: [String: String] = [:], priority: Int = 0) {
        self.url = url
        self.headers = headers
        self.priority = priority
        maxConnections = nil
        allowInvalidCertificate = false
        inheritQuery = false
        ipVersion = nil
        headerHosts = []
    }

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case url, headers, priority
        case maxConnections = "max_connections"
        case allowInvalidCertificate = "allow_invalid_certificate"
        case inheritQuery = "inherit_query"
        case ipVersion = "ip_version"
        case headerHosts = "header_hosts"
    }

    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            url: try stored.read(.url), headers: try stored.read(.headers, default: [:]),
            priority: try stored.read(.priority, default: 0))
        maxConnections = try stored.readIfPresent(.maxConnections)
        allowInvalidCertificate = try stored.read(
            .allowInvalidCertificate, default: allowInvalidCertificate)
        inheritQuery = try stored.read(.inheritQuery, default: inheritQuery)
        ipVersion = try stored.readIfPresent(.ipVersion)
        headerHosts = try stored.read(.headerHosts, default: headerHosts)
    }
}

extension SourceSettings {
    /// Its texts as bytes, in a fixed order.
    ///
    /// Texts are equal by `==` also if only their Unicode normalization differs, and servers tell such URLs
    /// apart.
    package var textBytes: [[UInt8]] {
        let headers = headers.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        return ([url] + headers + headerHosts).map { Array($0.utf8) }
    }
}
