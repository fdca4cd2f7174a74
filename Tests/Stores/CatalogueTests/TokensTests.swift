import Postgres
import Testing
import Timeline

@testable import Catalogue

@Suite("Playback tokens of the catalogue", .serialized)
struct TokensTests {
    private func issued(
        _ number: UInt64, _ channels: [String] = [], created: Instant = midnight, expires: Instant? = nil,
        begin: Instant? = nil, end: Instant? = nil
    ) -> IssuedToken {
        IssuedToken(
            grant: PlaybackGrant(
                id: TokenID(number: number), expires: expires ?? midnight + 60 * second,
                channels: channels.compactMap { ChannelID($0) }, begin: begin, end: end), created: created)
    }

    @Test("A token is read as it was entered, once, and lists go on behind an id")
    func entering() async throws {
        try await withCatalogue { test async throws in
            let all = [
                issued(1), issued(2, ["news", "films"], begin: midnight + 1, end: midnight + 2),
                issued(.max, ["news"], end: midnight),
            ]
            for token in all.reversed() { #expect(try await test.catalogue.enter(token)) }
            #expect(try await !test.catalogue.enter(issued(2)))
            #expect(try await test.catalogue.tokens(after: nil, limit: 10) == all)
            #expect(try await test.catalogue.tokens(after: nil, limit: 2) == Array(all[..<2]))
            #expect(try await test.catalogue.tokens(after: all[0].grant.id, limit: 9) == Array(all[1...]))
            #expect(try await test.catalogue.token(TokenID(number: 2)) == all[1])
            #expect(try await test.catalogue.token(TokenID(number: 3)) == nil)
        }
    }

    @Test("A revoked token leaves the list, is revoked once, and has a number of its own")
    func revoking() async throws {
        try await withCatalogue { test async throws in
            for number in UInt64(1)...3 { _ = try await test.catalogue.enter(issued(number)) }
            var known: Int64 = 0
            for number in UInt64(1)...2 {
                let id = TokenID(number: number)
                #expect(try await test.catalogue.revoke(id))
                #expect(try await !test.catalogue.revoke(id))
                #expect(try await test.catalogue.token(id) == nil)
                let (ids, newest) = try await test.catalogue.revokedTokens(after: known)
                #expect(ids == [id] && newest > known)
                known = newest
            }
            #expect(try await test.catalogue.revokedTokens(after: 0).ids.count == 2)
            #expect(try await test.catalogue.tokens(after: nil, limit: 9) == [issued(3)])
            #expect(try await !test.catalogue.revoke(TokenID(number: 9)))
        }
    }

    @Test("What has expired goes: tokens after thirty days, revocations after one")
    func pruning() async throws {
        try await withCatalogue { test async throws in
            let day: Int64 = 86_400 * second
            for number in UInt64(1)...2 { _ = try await test.catalogue.enter(issued(number)) }
            _ = try await test.catalogue.revoke(TokenID(number: 2))
            let expiry = midnight + 60 * second
            for (instant, tokens, revocations) in [
                (midnight, 1, 1), (expiry + day, 1, 1), (expiry + day + second, 1, 0),
                (expiry + 30 * day, 1, 0), (expiry + 30 * day + second, 0, 0),
            ] as [(Instant, Int64, Int64)] {
                try await test.catalogue.pruneTokens(before: instant)
                #expect(try await test.number("SELECT count(*) FROM token") == tokens)
                #expect(try await test.number("SELECT count(*) FROM revoked_token") == revocations)
            }
        }
    }

    /// Every process with this database may make and revoke tokens, by the clock of its host.
    @Test("A clock that is a month ahead makes neither tokens nor revocations of others go")
    func clockAhead() async throws {
        try await withCatalogue { test async throws in
            let day: Int64 = 86_400 * second
            let expiry = midnight + 20 * day
            for number in UInt64(1)...3 {
                _ = try await test.catalogue.enter(issued(number, expires: expiry))
            }
            _ = try await test.catalogue.revoke(TokenID(number: 1))
            let ahead = midnight + 60 * day
            _ = try await test.catalogue.enter(issued(4, created: ahead, expires: ahead + day))
            _ = try await test.catalogue.revoke(TokenID(number: 2))
            #expect(try await test.catalogue.token(TokenID(number: 3)) != nil)
            let revoked = try await test.catalogue.revokedTokens(after: 0).ids
            #expect(revoked == [TokenID(number: 1), TokenID(number: 2)])
        }
    }

    @Test("Revocations are announced to listeners, who first learn that they may have missed some")
    func announcing() async throws {
        try await withCatalogue { test async throws in
            var changes = test.catalogue.revocationChanges().makeAsyncIterator()
            #expect(await changes.next() == true)
            _ = try await test.catalogue.enter(issued(1))
            _ = try await test.catalogue.revoke(TokenID(number: 1))
            #expect(await changes.next() == false)
        }
    }
}
