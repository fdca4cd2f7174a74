package import Timeline

extension Catalogue {
    /// Returns the contiguous spans of a channel's leading rendition within a window, up to the live edge, at
    /// most `Limits.timelineEntries`.
    package func coverage(of channel: Int32, in window: TimeWindow) async throws(CatalogueError)
        -> [TimeWindow]
    {
        let publishedHead = try await publishedHead(of: channel)
        return try await mappingErrors {
            guard let leading = try await describedRenditions(of: channel).min(by: { $0.1.id < $1.1.id })
            else { return [] }
            let known = TimeWindow(begin: publishedHead.expiredBefore, end: publishedHead.watermark)
            guard known.begin < known.end, window.overlaps(known) else { return [] }
            return try await spans(of: leading.0, in: window.clamped(to: known))
                .prefix(Limits.timelineEntries).map(\.window)
        }
    }
}
