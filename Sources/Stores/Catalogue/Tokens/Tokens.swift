import Postgres
package import Timeline

/// The playback tokens that were made, and those that are revoked.
extension Catalogue {
    /// Enters a token; false if there is one with its id.
    package func enter(_ token: IssuedToken) async throws(CatalogueError) -> Bool {
        let grant = token.grant
        return try await mappingErrors {
            let rows = try await pool.query(
                """
                INSERT INTO token (id, created_us, expires_us, channels, begin_us, end_us)
                VALUES (\(grant.id.description), \(token.created.microseconds),
                    \(grant.expires.microseconds), \(grant.channels.map(\.text)),
                    \(grant.begin?.microseconds), \(grant.end?.microseconds))
                ON CONFLICT DO NOTHING RETURNING id
                """)
            return rows.first != nil
        }
    }

    /// Tokens that are not revoked, ordered by id and so by the time when they were made.
    package func tokens(after id: TokenID?, limit: Int) async throws(CatalogueError) -> [IssuedToken] {
        try await mappingErrors {
            try await pool.query(
                """
                SELECT \(verbatim: Self.tokenColumns) FROM token WHERE id > \(id?.description ?? "")
                ORDER BY id LIMIT \(limit)
                """
            ).map(Self.token(from:))
        }
    }

    /// A token that is not revoked; nil if there is none with this id.
    package func token(_ id: TokenID) async throws(CatalogueError) -> IssuedToken? {
        try await mappingErrors {
            try await pool.query(
                "SELECT \(verbatim: Self.tokenColumns) FROM token WHERE id = \(id.description)"
            ).first.map(Self.token(from:))
        }
    }

    /// Revokes a token and announces that; false if there is none with this id.
    ///
    /// Revocations get their numbers in the order in which they are committed: one at a time.
    package func revoke(_ id: TokenID) async throws(CatalogueError) -> Bool {
        try await mappingErrors {
            try await pool.transaction { transaction in
                _ = try await transaction.query("LOCK TABLE revoked_token IN SHARE ROW EXCLUSIVE MODE")
                let rows = try await transaction.query(
                    """
                    WITH gone AS (DELETE FROM token WHERE id = \(id.description) RETURNING id, expires_us)
                    INSERT INTO revoked_token (id, expires_at)
                    SELECT id, to_timestamp(ceil(expires_us / 1e6)::float8) FROM gone
                    ON CONFLICT DO NOTHING RETURNING id
                    """)
                guard rows.first != nil else { return false }
                _ = try await transaction.query("SELECT pg_notify(\(Announcement.revocation), '')")
                return true
            }
        }
    }

    /// Deletes tokens that expired more than `Limits.expiredTokens` before an instant, and the revocations of
    /// those that expired more than `Limits.expiredRevocations` before it.
    ///
    /// The instant comes from a clock that is known not to be ahead: with its revocation deleted, a token
    /// would be valid again.
    package func pruneTokens(before instant: Instant) async throws(CatalogueError) {
        try await mappingErrors {
            let expired = (instant - Limits.expiredTokens).microseconds
            _ = try await pool.query("DELETE FROM token WHERE expires_us < \(expired)")
            let revoked = (instant - Limits.expiredRevocations).microseconds
            _ = try await pool.query(
                "DELETE FROM revoked_token WHERE expires_at < to_timestamp(\(revoked)::float8 / 1e6)")
        }
    }

    /// The tokens that were revoked after a revocation with this number, and the newest number; 0 stands for
    /// all.
    ///
    /// Whether they have expired does not matter: by a clock that is ahead, a token would be left out that
    /// counts again when the clock is right.
    package func revokedTokens(
        after revision: Int64,
    ) async throws(CatalogueError) -> (ids: Set<TokenID>, revision: Int64) {
        try await mappingErrors {
            let rows = try await pool.query(
                "SELECT id, revision FROM revoked_token WHERE revision > \(revision)")
            var (ids, newest): (Set<TokenID>, Int64) = ([], revision)
            for row in rows {
                newest = max(newest, try row.decode("revision"))
                if let id = TokenID(try row.decode("id", as: String.self)) { ids.insert(id) }
            }
            return (ids, newest)
        }
    }

    /// One element when listening has begun, also after a loss, and one for each revocation: the first kind
    /// is true, as earlier revocations may have been missed.
    ///
    /// Uses a connection outside the pool until the stream is cancelled or released.
    package func revocationChanges() -> AsyncStream<Bool> {
        let events = pool.notifications(channels: [Announcement.revocation])
        return AsyncStream(bufferingPolicy: .bufferingNewest(Limits.waitingChanges)) { continuation in
            let listening = Task {
                for await event in events { continuation.yield(event == .reconnected) }
                continuation.finish()
            }
            continuation.onTermination = { _ in listening.cancel() }
        }
    }

    private static let tokenColumns = "id, created_us, expires_us, channels, begin_us, end_us"

    private static func token(from row: Row) throws -> IssuedToken {
        let text = try row.decode("id", as: String.self)
        guard let id = TokenID(text) else { throw CatalogueError.unreadable("token id \(text)") }
        let channels = try row.decode("channels", as: [String].self)
        let grant = PlaybackGrant(
            id: id, expires: Instant(microseconds: try row.decode("expires_us")),
            channels: channels.compactMap { ChannelID($0) },
            begin: try row.decode("begin_us", as: Int64?.self).map(Instant.init(microseconds:)),
            end: try row.decode("end_us", as: Int64?.self).map(Instant.init(microseconds:)))
        return IssuedToken(grant: grant, created: Instant(microseconds: try row.decode("created_us")))
    }
}
