import Catalogue
import TestSupport
import Testing
import Timeline

@testable import Retention

@Suite("Retention of tokens")
struct TokenPruningTests {
    @Test("A round deletes what has expired of tokens, while the time is known")
    func tokens() async throws {
        try await withHouse(retention: nil) { fixture in
            let grant = PlaybackGrant(id: TokenID(number: 1), expires: noon - 40 * 24 * hourMicroseconds)
            _ = try await fixture.catalogue.enter(IssuedToken(grant: grant, created: noon))
            let unknown = fixture.service(
                clock: ManualClock(wall: noon), databaseTime: { throw CatalogueError.notInTime },
                logger: silentLogger)
            await unknown.expireByRetention()
            #expect(try await fixture.catalogue.token(grant.id) != nil)
            await fixture.service().expireByRetention()
            #expect(try await fixture.catalogue.token(grant.id) == nil)
        }
    }
}
