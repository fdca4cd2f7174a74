import Catalogue
import Concurrency
import Encoding
import HTTP
import JSON
import TimeZones
import Timeline

/// `player_api.php`: apps read its JSON types strictly, some numbers are texts.
extension ListHandler {
    private enum Action: String, CaseIterable {
        case categories = "get_live_categories"
        case streams = "get_live_streams"
        case shortGuide = "get_short_epg"
        case guide = "get_simple_data_table"
        case filmCategories = "get_vod_categories"
        case films = "get_vod_streams"
        case film = "get_vod_info"
        case seriesCategories = "get_series_categories"
        case series = "get_series"
        case oneSeries = "get_series_info"
    }

    func player(
        _ request: HTTPRequest, _ query: ListQuery, _ viewer: ViewerAccess, user: String,
        password: String,
    ) async throws -> HTTPResponse {
        let value: JSONValue
        switch try query.choice("action", Action.self) {
        case nil:
            value = account(
                try base(request), viewer, user: user, password: password,
                zone: try await zone(for: viewer))
        case .categories?: value = .array(categories(try await listed(for: viewer)))
        case .streams?:
            value = .array(streams(try await listed(for: viewer), category: try query.value("category_id")))
        case .shortGuide?, .guide?:
            guard let id = try query.value("stream_id"), Int32(id) != nil else {
                throw ParameterError("stream_id", "stream_id must be the number of a channel")
            }
            value = ["epg_listings": []]
        case .filmCategories?, .films?, .film?, .seriesCategories?, .series?, .oneSeries?: value = []
        }
        return Self.document(value.bytes, type: "application/json", variesByHost: true)
    }

    private func account(
        _ base: PublicBase, _ viewer: ViewerAccess, user: String, password: String, zone: String,
    ) -> JSONValue {
        let expiry = viewer.grant.map { String($0.expires.microseconds / Microseconds.perSecond) }
        let now = clock.now()
        let offset = NamedZone.offset(of: zone, at: now)
        let time = (now + (offset ?? 0)).rfc3339.prefix(19).map { $0 == "T" ? " " : String($0) }.joined()
        let isSecure = base.origin.scheme == .https
        let port = String(base.origin.port)
        let formats: JSONValue = viewer.grant?.end == nil ? ["m3u8", "ts"] : ["m3u8"]
        return [
            "user_info": [
                "username": .string(user), "password": .string(password), "message": "", "auth": 1,
                "status": "Active", "exp_date": expiry.map { .string($0) } ?? .null, "is_trial": "0",
                "active_cons": "0",
                "created_at": "0", "max_connections": "100", "allowed_output_formats": formats,
            ],
            "server_info": [
                "url": .string(base.origin.host), "port": .string(isSecure ? "80" : port),
                "https_port": .string(isSecure ? port : "443"),
                "server_protocol": .string(base.origin.scheme.rawValue), "rtmp_port": "0",
                "timezone": .string(offset == nil ? "UTC" : zone),
                "timestamp_now": .integer(now.microseconds / Microseconds.perSecond),
                "time_now": .string(time),
            ],
        ]
    }

    /// The zone of the starts of past programmes: that of all channels if they share one, else UTC.
    ///
    /// It is also UTC while the catalogue is unavailable and no channel is known.
    private func zone(for viewer: ViewerAccess) async throws(CatalogueError) -> String {
        var listed: [ListedChannel] = []
        do throws(CatalogueError) {
            listed = try await channels.lastKnown().filter(viewer.permits)
        } catch {
            guard error.isTransient else { throw error }
        }
        let zones = Set(listed.map(\.channel.settings.timeZone))
        return zones.count == 1 ? zones.first ?? "UTC" : "UTC"
    }

    private func categories(_ channels: [ListedChannel]) -> [JSONValue] {
        Set(channels.map(\.category)).sorted().map { name in
            [
                "category_id": .string(Self.categoryID(name)), "category_name": .string(name),
                "parent_id": 0,
            ]
        }
    }

    private func streams(_ channels: [ListedChannel], category: String?) -> [JSONValue] {
        let now = clock.now()
        return channels.enumerated().compactMap { index, listed -> JSONValue? in
            let id = Self.categoryID(listed.category)
            guard category ?? "" == "" || category == id else { return nil }
            let days = listed.heldDays(at: now)
            return [
                "num": .integer(Int64(index + 1)), "name": .string(listed.channel.settings.title),
                "stream_type": "live", "stream_id": .integer(Int64(listed.channel.row)),
                "stream_icon": .string(listed.channel.settings.logo ?? ""),
                "epg_channel_id": .string(listed.id), "added": "0", "category_id": .string(id),
                "custom_sid": "", "tv_archive": days > 0 ? 1 : 0, "direct_source": "",
                "tv_archive_duration": .integer(days),
            ]
        }
    }

    /// A number that is always the same for a name, because apps keep it; without the sign bit.
    private static func categoryID(_ name: String) -> String { String(FNV1a.hash(name.utf8) & 0x7FFF_FFFF) }
}

extension ListedChannel {
    /// The channel's group, or the common category of all channels without one.
    fileprivate var category: String { channel.settings.group ?? "Channels" }
}
