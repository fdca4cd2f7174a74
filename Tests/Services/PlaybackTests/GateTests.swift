import Synchronization
import Testing

@testable import Playback

struct GateTests {
    @Test("Never more than its width are inside, everybody gets through, and beyond the queue nobody waits")
    func width() async {
        let gate = Gate(width: 3, waiting: 1_000)
        let crowd = Crowd()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    guard await gate.enter() else { return false }
                    crowd.change(by: 1)
                    await Task.yield()
                    crowd.change(by: -1)
                    gate.leave()
                    return true
                }
            }
            for await isThrough in group { #expect(isThrough) }
        }
        #expect((1...3).contains(crowd.most))
    }

    @Test("Who comes when too many wait is turned away")
    func full() async {
        let gate = Gate(width: 1, waiting: 0)
        #expect(await gate.enter())
        #expect(await gate.enter() == false)
        gate.leave()
        #expect(await gate.enter())
    }
}

/// How many are inside, and were at most.
private final class Crowd: Sendable {
    private let count = Mutex((now: 0, most: 0))

    var most: Int { count.withLock { $0.most } }

    func change(by difference: Int) {
        count.withLock { count in
            count.now += difference
            count.most = max(count.most, count.now)
        }
    }
}
