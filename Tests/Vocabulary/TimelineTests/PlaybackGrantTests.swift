import TestSupport
import Testing
import Timeline

@Suite("What a playback token permits")
struct PlaybackGrantTests {
    private func window(_ begin: Double, _ end: Double) -> TimeWindow {
        TimeWindow(begin: at(begin), end: at(end))
    }

    @Test("Without channels it is for every channel, else for those that it names")
    func channels() throws {
        let (news, films) = (try #require(ChannelID("news")), try #require(ChannelID("films")))
        var grant = PlaybackGrant(id: TokenID(number: 1), expires: at(0))
        #expect(grant.permits(news) && grant.permits(films))
        grant.channels = [news]
        #expect(grant.permits(news) && !grant.permits(films))
    }

    @Test("A window is held when all of it is, and either end may be open")
    func windows() {
        var grant = PlaybackGrant(id: TokenID(number: 1), expires: at(0))
        #expect(!grant.isLimitedInTime && grant.permits(window(-5, 5)))
        grant.begin = at(10)
        #expect(grant.isLimitedInTime && grant.permits(window(10, 99)) && !grant.permits(window(9.999, 99)))
        #expect(grant.permits(at(10)) && !grant.permits(at(9.999)))
        grant.end = at(20)
        #expect(grant.permits(window(10, 20)) && !grant.permits(window(10, 20.001)))
        #expect(grant.permits(at(19.999)) && !grant.permits(at(20)))
    }

    @Test("An id has sixteen digits in one spelling, and ids are in the order of their tokens")
    func ids() throws {
        let id = TokenID(made: Instant(seconds: 1_795_254_076), random: 7)
        #expect(id.description == "6b01673c00000007" && TokenID(id.description) == id)
        #expect(id < TokenID(made: Instant(seconds: 1_795_254_077), random: 0))
        for text in ["", "7", "6B01673C00000007", "+b01673c00000007", "6b01673c000000070"] {
            #expect(TokenID(text) == nil)
        }
    }
}
