import Postgres

/// One commit of a channel's line or archive, as it is announced.
package struct PublishedHeadChange: Sendable, Equatable {
    /// The channel's row.
    package var channel: Int32
    /// The line's revision after the commit: a channel's commits are numbered without a hole.
    package var revision: Int64
    /// The quarters whose segments changed; nil when they were too many to name.
    package var touched: Set<Quarter>?

    package init(channel: Int32, revision: Int64, touched: Set<Quarter>?) {
        self.channel = channel
        self.revision = revision
        self.touched = touched
    }
}

/// The payload: `channel revision`, then `rendition:quarter` for each, quarters counted from 1970, or `*`.
extension PublishedHeadChange {
    var payload: String {
        guard let touched, touched.count <= Limits.announcedQuarters else {
            return "\(channel) \(revision) *"
        }
        let names = touched.map { "\($0.rendition):\($0.begin / Quarter.microseconds)" }
        return (["\(channel) \(revision)"] + names.sorted()).joined(separator: " ")
    }

    /// Nil when the payload is of another program.
    init?(payload: String) {
        let words = payload.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2, let channel = Int32(words[0]), let revision = Int64(words[1]) else {
            return nil
        }
        self.init(channel: channel, revision: revision, touched: nil)
        if words.dropFirst(2) == ["*"] { return }
        let quarters = words.dropFirst(2).map(Quarter.init(announced:))
        guard !quarters.contains(nil) else { return nil }
        touched = Set(quarters.compactMap { $0 })
    }
}

extension Quarter {
    fileprivate init?(announced text: Substring) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let rendition = Int32(parts[0]), let number = Int64(parts[1]) else {
            return nil
        }
        let (begin, overflow) = number.multipliedReportingOverflow(by: Self.microseconds)
        guard !overflow else { return nil }
        self.init(rendition: rendition, containing: begin)
    }
}

extension PostgresTransaction {
    /// Tells every listener of a commit, once it is one.
    func announce(_ change: PublishedHeadChange) async throws {
        _ = try await query("SELECT pg_notify(\(Catalogue.Announcement.publishedHead), \(change.payload))")
    }
}
