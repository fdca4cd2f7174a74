import Testing

@testable import Postgres

@Suite("Assignment of connections")
struct PoolStateTests {
    private typealias State = PoolState<String, Int>

    private func says(_ decision: State.Decision) -> String {
        switch decision {
        case .use(let connection): "use \(connection)"
        case .make: "make"
        case .wait: "wait"
        case .refuse(let error): "refuse: \(error.kind)"
        }
    }

    @Test("Connections are made up to the size, then callers wait, then they are refused")
    func bounds() {
        var state = State(size: 2, waiterLimit: 1)
        #expect(says(state.connectionWanted()) == "make")
        #expect(says(state.connectionWanted()) == "make")
        #expect(says(state.connectionWanted()) == "wait")
        let isWaiting = state.waiterArrived(1, 1)
        #expect(isWaiting)
        #expect(says(state.connectionWanted()) == "refuse: exhausted")
    }

    @Test("The longest waiter is served first; the connection used last is reused")
    func order() {
        var state = State(size: 2, waiterLimit: 9)
        _ = (state.connectionWanted(), state.connectionWanted())
        _ = (state.waiterArrived(1, 10), state.waiterArrived(2, 20))
        #expect(state.waiterLeft(1) == 10)
        #expect(state.waiterLeft(1) == nil)
        #expect(state.connectionReturned("a") == 20)
        #expect(state.connectionReturned("b") == nil)
        #expect(state.connectionReturned("a") == nil)
        #expect(says(state.connectionWanted()) == "use a")
    }

    @Test("A waiter that arrives as a connection returns tries again")
    func lateWaiter() {
        var state = State(size: 1, waiterLimit: 9)
        _ = state.connectionWanted()
        #expect(says(state.connectionWanted()) == "wait")
        _ = state.connectionReturned("a")
        let isWaiting = state.waiterArrived(1, 1)
        #expect(!isWaiting)
    }

    @Test("When a connection cannot be made, the next waiter tries")
    func failure() {
        var state = State(size: 1, waiterLimit: 9)
        _ = (state.connectionWanted(), state.waiterArrived(1, 10))
        #expect(state.connectingFailed() == 10)
        #expect(says(state.connectionWanted()) == "make")
    }

    @Test("After closing every request is refused")
    func closing() {
        var state = State(size: 2, waiterLimit: 9)
        _ = (state.connectionWanted(), state.connectionWanted(), state.waiterArrived(1, 10))
        #expect(state.connectionReturned("a") == 10)
        _ = state.connectionReturned("a")
        let closed = state.close()
        #expect(closed.connections == ["a"])
        #expect(closed.waiters == [])
        #expect(state.connectionReturned("b") == nil)
        #expect(says(state.connectionWanted()) == "refuse: closed")
    }
}
