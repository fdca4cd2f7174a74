import Monitoring
import Testing
import Timeline

@Suite("The status board")
struct StatusBoardTests {
    @Test("has the newest status of each channel until the channel is taken off")
    func set() throws {
        let board = StatusBoard()
        let (a, b) = (try #require(ChannelID("a")), try #require(ChannelID("b")))
        let since = Instant(seconds: 1_785_042_316)
        #expect(board.status(of: a) == nil)
        board.set(ChannelStatus(state: .waiting, since: since), of: a)
        board.set(ChannelStatus(state: .stalled, since: since), of: b)
        board.set(ChannelStatus(state: .recording, since: since), of: a)
        #expect(board.status(of: a)?.state == .recording)
        #expect(Set(board.all.keys) == [a, b])
        board.set(nil, of: a)
        #expect(board.status(of: a) == nil)
        #expect(Set(board.all.keys) == [b])
    }
}
