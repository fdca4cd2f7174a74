import Catalogue
import Concurrency
import SegmentStore
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Retention

@Suite("Facts that may still wait in a journal")
struct BacklogWatchTests {
    private struct Away: Error {}

    @Test("After a start and an outage, keys stay until recorders have entered what they recorded meanwhile")
    func waits() async throws {
        try await withHouse(retention: nil) { fixture in
            let clock = ManualClock(wall: noon)
            let isAway = Mutex(false)
            let service = fixture.service(
                clock: clock, isStarting: true,
                databaseTime: {
                    if isAway.withLock({ $0 }) { throw Away() }
                    return clock.clock.now()
                }, logger: silentLogger)
            for number in 0..<2 {
                let key = ArchiveKey.key(fixture.channel.id, numberedKey(number))
                try await fixture.store.put([1], as: key)
                try await fixture.schedule([numberedKey(number)])
                isAway.withLock { $0 = number > 0 }
                await service.expireByRetention()
                isAway.withLock { $0 = false }
                for _ in 0..<10 {
                    await service.expireByRetention()
                    #expect(try await fixture.store.contains(key))
                    clock.advance(by: .seconds(60))
                }
                await service.expireByRetention()
                #expect(try await !fixture.store.contains(key))
            }
        }
    }
}
