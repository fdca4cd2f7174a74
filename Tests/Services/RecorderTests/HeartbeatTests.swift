import Testing

@testable import Recorder

@Suite("Heartbeat")
struct HeartbeatTests {
    @Test(
        "A node is steady once it was heard for as long as a lease lasts, and until it is not heard any more")
    func steady() {
        let heartbeat = Heartbeat()
        #expect(!heartbeat.isSteady(at: moment(0)))
        for second in 0...6 {
            heartbeat.beat(at: moment(Double(second)))
            #expect(heartbeat.isSteady(at: moment(Double(second))) == (second == 6))
        }
        #expect(heartbeat.isSteady(at: moment(12)))
        #expect(!heartbeat.isSteady(at: moment(12.1)))
    }

    @Test("After a pause of the catalogue a node waits as long again: the others must be heard first")
    func pause() {
        let heartbeat = Heartbeat()
        for second in 0...10 { heartbeat.beat(at: moment(Double(second))) }
        heartbeat.beat(at: moment(30))
        #expect(!heartbeat.isSteady(at: moment(30)))
        for second in 31...35 { heartbeat.beat(at: moment(Double(second))) }
        #expect(!heartbeat.isSteady(at: moment(35)))
        heartbeat.beat(at: moment(36))
        #expect(heartbeat.isSteady(at: moment(36)))
    }
}
