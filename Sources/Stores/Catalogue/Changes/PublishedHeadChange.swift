import Postgres

/// The announcement of one commit to a channel's published log or archive.
package struct PublishedHeadChange: Sendable, Equatable {
    /// The channel's row id.
    package var channel: Int32
    /// The channel's revision after the commit; each commit adds one, so a receiver notices a missed commit.
    package var revision: Int64
    /// The quarters whose segments changed; nil if there were too many to list.
    package var touched: Set<Quarter>?

    package init(channel: Int32, revision: Int64, touched: Set<Quarter>?) {
        self.channel = channel
        self.revision = revision
        self.touched = touched
    }
}

/// The payload is `channel revision`, then `rendition:quarter` for each quarter, counted in quarters since
/// 1970, or `*` if there were too many.
extension PublishedHeadChange {
    var payload: String {
        guard let touched, touched.count <= Limits.announcedQuarters else {
            return "\(channel) \(revision) *"
        }
        let names = touched.map { "\($0.rendition):\($0.begin / Quarter.microseconds)" }
        return (["\(channel) \(revision)"] + names.sorted()).joined(separator: " ")
    }

    /// Nil if another program wrote the payload.
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
    /// Announces a change to all listeners; PostgreSQL delivers it only if the transaction commits.
    func announce(_ change: PublishedHeadChange) async throws {
        _ = try await query("SELECT pg_notify(\(Catalogue.Announcement.publishedHead), \(change.payload))")
    }
}
