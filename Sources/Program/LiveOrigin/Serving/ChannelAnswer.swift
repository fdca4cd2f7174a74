import HTTP
import Synchronization

/// Answers to requests below one channel's path.
struct ChannelAnswer {
    var channel: Channel
    /// Seconds since 1970.
    var now: Double

    func answer(_ path: [String]) -> HTTPAnswer {
        let isDown = channel.state.withLock { $0.faults.downUntil > now }
        guard !isDown else { return .now(HTTPResponse(status: .serviceUnavailable)) }
        switch (path.count, path.first) {
        case (1, "index.m3u8"): return .now(playlist(nil))
        case (1, let name?) where name.hasSuffix(".m3u8"): return .now(playlist(String(name.dropLast(5))))
        case (2, "key"): return .now(key(path[1]))
        case (2, _): return segment(rendition: path[0], uri: path.joined(separator: "/"))
        default: return .now(HTTPResponse(status: .notFound))
        }
    }

    /// A rendition's playlist; without a rendition, the channel's top playlist.
    private func playlist(_ rendition: String?) -> HTTPResponse {
        channel.state.withLock { state in
            guard state.faults.htmlUntil <= now else { return StaticResources.response(for: "webpage.html") }
            guard let text = Self.text(rendition, state, now: now) else {
                return HTTPResponse(status: .notFound, headers: ["Cache-Control": "no-cache"])
            }
            return HTTPResponse(
                status: .ok,
                headers: ["Content-Type": "application/vnd.apple.mpegurl", "Cache-Control": "no-cache"],
                body: .bytes(Array(text.utf8)))
        }
    }

    /// Nothing is served before every rendition has a segment.
    private static func text(_ rendition: String?, _ state: ChannelState, now: Double) -> String? {
        if let rendition {
            return state.faults.isWithdrawn(rendition, now: now)
                ? nil : state.playlist(of: rendition)?.written()
        }
        guard state.options.layout.isMultivariant else {
            return state.options.layout.renditions.first.flatMap { state.playlist(of: $0.id) }?.written()
        }
        var options = state.options
        options.layout.renditions.removeAll { state.faults.isUnnamed($0.id, now: now) }
        return state.isReady ? MultivariantPlaylistText(options: options).written() : nil
    }

    private func key(_ index: String) -> HTTPResponse {
        let (key, isDown) = channel.state.withLock { state in
            (Int(index).flatMap { state.keys[$0] }, state.faults.keysDownUntil > now)
        }
        guard !isDown else { return HTTPResponse(status: .serviceUnavailable) }
        guard let key else { return HTTPResponse(status: .notFound) }
        return HTTPResponse(
            status: .ok, headers: ["Content-Type": "application/octet-stream", "Cache-Control": "no-store"],
            body: .bytes(key))
    }

    private func segment(rendition: String, uri: String) -> HTTPAnswer {
        let decision = channel.state.withLock { $0.decide(rendition: rendition, uri: uri, now: now) }
        switch decision {
        case .refuse(let status): return .now(HTTPResponse(status: HTTPStatus(rawValue: status)))
        case .initialization(let bytes): return .now(Self.whole(bytes, uri: uri))
        case .segment(let segment, let delivery):
            // Producing it takes some milliseconds, which a server thread should not spend.
            return .later { Self.response(segment, delivery, uri: uri) }
        }
    }

    private static func response(_ segment: PublishedSegment, _ delivery: Delivery, uri: String)
        -> HTTPResponse
    {
        guard let bytes = try? segment.bytes() else { return HTTPResponse(status: .internalServerError) }
        if delivery.truncation?.isSilent == true {
            return whole(Array(bytes.prefix(bytes.count / 2)), uri: uri)
        }
        guard delivery.truncation != nil || delivery.bytesPerSecond < .max else {
            return whole(bytes, uri: uri)
        }
        let cut = delivery.truncation == nil ? nil : bytes.count / 2
        let source = SlowBody(bytes: bytes, bytesPerSecond: delivery.bytesPerSecond, cut: cut)
        var response = whole([], uri: uri)
        response.body = .stream(length: UInt64(bytes.count), source)
        return response
    }

    private static func whole(_ bytes: [UInt8], uri: String) -> HTTPResponse {
        HTTPResponse(
            status: .ok, headers: ["Content-Type": mediaType(uri), "Cache-Control": "max-age=60"],
            body: .bytes(bytes))
    }

    private static func mediaType(_ uri: String) -> String {
        if uri.hasSuffix(".ts") { return "video/mp2t" }
        return uri.hasSuffix(".vtt") ? "text/vtt; charset=utf-8" : "video/mp4"
    }
}
