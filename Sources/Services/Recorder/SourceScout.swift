import Concurrency
import HLS
import HTTPClient
import Timeline

/// Looks whether a source that is preferred to the one in use is good again.
struct SourceScout: Sendable {
    let parts: RecorderParts
    let pause: Duration

    /// The first of the sources, in order of preference, that delivers again; nil when cancelled.
    func find(among sources: [SourceSettings]) async -> SourceSettings? {
        while !Task.isCancelled {
            try? await Task.sleep(for: pause)
            for source in sources where !Task.isCancelled {
                if await delivers(source) { return source }
            }
        }
        return nil
    }

    /// Whether a source has a live list that goes on: a frozen list would be left again at once.
    private func delivers(_ source: SourceSettings) async -> Bool {
        do {
            let link = try SourceLink(source, client: parts.client, policy: parts.addressPolicy)
            let first = try await mediaPlaylist(link)
            guard let before = newest(first) else { return false }
            try await Task.sleep(for: .microseconds(PlaylistFollower.target(of: first) * 3 / 2))
            guard let after = newest(try await mediaPlaylist(link)) else { return false }
            return after.number >= before.number && after != before
        } catch {
            return false
        }
    }

    /// The last entry of a list that has not ended: a source whose numbers stand still goes on by names.
    private func newest(_ list: MediaPlaylist) -> SeenEntry? {
        list.isEnded ? nil : SeenEntry(list, list.segments.count - 1)
    }

    /// The source's media playlist, or that of its first variant.
    private func mediaPlaylist(_ link: SourceLink) async throws -> MediaPlaylist {
        let top = try await link.playlist(link.url, now: parts.clock, fresh: true)
        switch top.playlist {
        case .media(let list): return list
        case .multivariant(let list):
            guard let variant = list.variants.first else {
                throw PlaylistFailure(description: "the multivariant playlist has no variants")
            }
            let url = try link.resolve(variant.uri, against: top.base)
            let fetched = try await link.playlist(url, now: parts.clock, imports: list.variables)
            guard case .media(let list) = fetched.playlist else {
                throw PlaylistFailure(description: "a variant is no media playlist")
            }
            return list
        }
    }
}
