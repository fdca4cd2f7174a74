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
                #expect(try await test.catalogue.revoke(id, now: midnight))
                #expect(try await !test.catalogue.revoke(id, now: midnight))
                #expect(try await test.catalogue.token(id) == nil)
                let (ids, newest) = try await test.catalogue.revokedTokens(after: known, now: midnight)
                #expect(ids == [id] && newest > known)
                known = newest
            }
            #expect(try await test.catalogue.revokedTokens(after: 0, now: midnight).ids.count == 2)
            #expect(try await test.catalogue.tokens(after: nil, limit: 9) == [issued(3)])
            #expect(try await !test.catalogue.revoke(TokenID(number: 9), now: midnight))
        }
    }

    @Test("What has expired goes: tokens after thirty days, revocations after one")
    func expiring() async throws {
        try await withCatalogue { test async throws in
            let day: Int64 = 86_400 * second
            _ = try await test.catalogue.enter(issued(1))
            _ = try await test.catalogue.enter(issued(2))
            _ = try await test.catalogue.revoke(TokenID(number: 2), now: midnight)
            let later = midnight + 31 * day
            #expect(try await test.catalogue.revokedTokens(after: 0, now: later).ids.isEmpty)
            _ = try await test.catalogue.enter(issued(3, created: later, expires: later + day))
            #expect(try await test.catalogue.token(TokenID(number: 1)) == nil)
            #expect(try await test.number("SELECT count(*) FROM revoked_token") == 1)
            _ = try await test.catalogue.revoke(TokenID(number: 3), now: later)
            #expect(try await test.number("SELECT count(*) FROM revoked_token") == 1)
        }
    }

    @Test("Revocations are announced to listeners, who first learn that they may have missed some")
    func announcing() async throws {
        try await withCatalogue { test async throws in
            var changes = test.catalogue.revocationChanges().makeAsyncIterator()
            #expect(await changes.next() == true)
            _ = try await test.catalogue.enter(issued(1))
            _ = try await test.catalogue.revoke(TokenID(number: 1), now: midnight)
            #expect(await changes.next() == false)
        }
    }
}
