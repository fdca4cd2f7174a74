import Catalogue
import Concurrency
import DatabaseSupport
import Postgres
import TestSupport
import Testing
import Timeline

@testable import Retention

@Suite("Retention and clocks that jump")
struct RetentionClockTests {
    private static let week = Duration.seconds(8 * 86_400)

    @Test("Nothing expires when all clocks jump eight days ahead between two rounds, and a warning says so")
    func jump() async throws {
        try await withHouse(retention: 11 * 3600) { fixture in
            let clock = ManualClock(wall: noon)
            let lines = LogLines()
            let service = fixture.service(
                clock: clock, databaseTime: { clock.clock.now() }, logger: lines.logger)
            try await fixture.expireAll(service)
            #expect(try await fixture.left().facts == 10)
            #expect(service.ages.heldBackSeconds == 0)

            clock.advance(by: .seconds(30))
            clock.stepWall(by: Self.week)
            await service.expireByRetention()
            #expect(try await fixture.left().facts == 10)
            #expect(lines.all.filter { $0.hasPrefix("Retention holds back") }.count == 1)
            #expect(service.ages.heldBackSeconds == 8 * 86_400)

            for _ in 0..<9 {
                clock.advance(by: .seconds(30))
                await service.expireByRetention()
            }
            #expect(try await fixture.left().facts == 10)
            #expect(lines.all.filter { $0.hasPrefix("Retention holds back") }.count == 1)

            clock.stepWall(by: .zero - Self.week)
            await service.expireByRetention()
            #expect(lines.all.contains("Retention goes by the clock again"))
            #expect(service.ages.heldBackSeconds == 0)
        }
    }

    /// Lets rounds pass, and gives how far the clocks are ahead then, seconds.
    private static func heldBack(
        by ages: RetentionClock, _ clock: ManualClock, rounds: Int, of seconds: Double = 30
    ) -> Double {
        for _ in 0..<rounds {
            clock.advance(by: .seconds(seconds))
            let now = clock.clock.now()
            _ = ages.read(host: now, database: now, steady: clock.clock.steady(), recorded: .nothing)
        }
        return ages.heldBackSeconds
    }

    @Test("Clocks that stay ahead are not followed for a day, and by a minute in each round from then on")
    func jumpThatStays() {
        let (clock, ages) = (ManualClock(wall: noon), RetentionClock())
        #expect(Self.heldBack(by: ages, clock, rounds: 2) == 0)
        clock.stepWall(by: Self.week)
        #expect(Self.heldBack(by: ages, clock, rounds: 120) == 8 * 86_400)
        // Another jump begins the day again.
        clock.stepWall(by: .seconds(3600))
        #expect(Self.heldBack(by: ages, clock, rounds: 2880) == 8 * 86_400 + 3600)
        #expect(Self.heldBack(by: ages, clock, rounds: 10) == 8 * 86_400 + 3000)
        clock.stepWall(by: .zero - Self.week - .seconds(3600))
        #expect(Self.heldBack(by: ages, clock, rounds: 1) == 0)
    }

    @Test("Clocks that are ahead by less than a minute, or come to it little by little, are followed at once")
    func smallSteps() {
        let (clock, ages) = (ManualClock(wall: noon), RetentionClock())
        #expect(Self.heldBack(by: ages, clock, rounds: 2) == 0)
        for _ in 0..<10 {
            clock.stepWall(by: .seconds(59))
            #expect(Self.heldBack(by: ages, clock, rounds: 1) == 0)
        }
    }

    @Test("A clock that is behind for a moment, and right again, holds nothing back")
    func brieflyBehind() {
        let (clock, ages) = (ManualClock(wall: noon), RetentionClock())
        #expect(Self.heldBack(by: ages, clock, rounds: 2) == 0)
        clock.stepWall(by: .zero - .seconds(3600))
        _ = Self.heldBack(by: ages, clock, rounds: 1)
        clock.stepWall(by: .seconds(3600))
        #expect(Self.heldBack(by: ages, clock, rounds: 1) == 0)
        // After minutes it counts as right, and its correction as a jump.
        clock.stepWall(by: .zero - .seconds(3600))
        _ = Self.heldBack(by: ages, clock, rounds: 20)
        clock.stepWall(by: .seconds(3600))
        #expect(Self.heldBack(by: ages, clock, rounds: 1) > 3000)
    }

    @Test("A host that was off for a week is followed once its clocks have run evenly for minutes")
    func longStop() {
        let (clock, ages) = (ManualClock(wall: noon), RetentionClock())
        let end = noon - 7 * 24 * hourMicroseconds
        let read = {
            let now = clock.clock.now()
            return ages.read(
                host: now, database: now, steady: clock.clock.steady(), recorded: .until(end))
        }
        #expect(read() == end + 60 * Microseconds.perSecond)
        clock.advance(by: .seconds(300))
        #expect(read() == clock.clock.now() && ages.heldBackSeconds == 0)
    }

    @Test(
        "Identities and files in their grace period stay while the database's clock has jumped",
        arguments: [false, true])
    func jumpOfDatabase(hostToo: Bool) async throws {
        try await withHouse(retention: 5 * 3600) { fixture in
            let (clock, database) = (ManualClock(wall: noon), ManualClock(wall: noon))
            let service = fixture.service(
                grace: 7200, clock: clock, databaseTime: { database.clock.now() }, logger: silentLogger)
            try await fixture.expireAll(service)
            #expect(try await fixture.left() == (facts: 5, files: 10))
            database.stepWall(by: Self.week)
            if hostToo { clock.stepWall(by: Self.week) }
            _ = try await fixture.pool.query("UPDATE intake SET seen_at = now() - interval '3 days'")
            try await fixture.endGrace()
            await service.expireByRetention()
            #expect(try await fixture.pool.query("SELECT FROM intake").count == 10)
            #expect(try await fixture.left() == (facts: 5, files: 10))
            #expect(try await fixture.pendingObjectCount() > 0)

            database.stepWall(by: .zero - Self.week)
            if hostToo { clock.stepWall(by: .zero - Self.week) }
            await service.expireByRetention()
            #expect(try await fixture.pool.query("SELECT FROM intake").count == 1)
            #expect(try await fixture.left() == (facts: 5, files: 5))
            #expect(try await fixture.pendingObjectCount() == 0)
        }
    }

    @Test("Only one of the two clocks jumps: ages are measured by the other")
    func oneJumps() async throws {
        try await withHouse(retention: 5 * 3600) { fixture in
            let clock = ManualClock(wall: noon)
            let lines = LogLines()
            let service = fixture.service(clock: clock, databaseTime: { noon }, logger: lines.logger)
            try await fixture.expireAll(service)
            clock.stepWall(by: Self.week)
            try await fixture.expireAll(service)
            #expect(try await fixture.left().facts == 5)
            #expect(!lines.all.contains { $0.hasPrefix("Retention holds back") })
        }
    }

    @Test("Nothing expires by age after a start until the clocks of host and database agree")
    func start() async throws {
        try await withHouse(retention: 5 * 3600, maxBytes: 8500) { fixture in
            let clock = ManualClock(wall: noon)
            clock.stepWall(by: Self.week)
            let lines = LogLines()
            let service = fixture.service(clock: clock, databaseTime: { noon }, logger: lines.logger)
            try await fixture.expireAll(service)
            #expect(try await fixture.left() == (facts: 8, files: 8), "the size limit needs no clock")
            #expect(lines.all.filter { $0.hasPrefix("Retention holds back") }.count == 1)
            clock.stepWall(by: .zero - Self.week)
            try await fixture.expireAll(service)
            #expect(try await fixture.left().facts == 5)
        }
    }

    @Test("Ages grow as time passes, and a clock that is set right after a while is followed")
    func ages() async throws {
        try await withHouse(retention: 10 * 3600) { fixture in
            let clock = ManualClock(wall: noon)
            let service = fixture.service(
                clock: clock, databaseTime: { clock.clock.now() }, logger: silentLogger)
            await service.expireByRetention()
            clock.advance(by: .seconds(2 * 3600))
            try await fixture.expireAll(service)
            #expect(try await fixture.left().facts == 8)
            clock.stepWall(by: .seconds(300))
            await service.expireByRetention()
            #expect(service.ages.heldBackSeconds == 300)
            clock.advance(by: .seconds(86_400))
            for _ in 0..<5 { await service.expireByRetention() }
            #expect(service.ages.heldBackSeconds == 0)
        }
    }

    /// A service that starts with both clocks at a time, which is correct or not.
    private func started(_ fixture: RetentionFixture, at time: Instant) -> (
        RetentionService, ManualClock, LogLines
    ) {
        let (clock, lines) = (ManualClock(wall: time), LogLines())
        let service = fixture.service(
            clock: clock, databaseTime: { clock.clock.now() }, logger: lines.logger)
        return (service, clock, lines)
    }

    @Test("Nothing expires when the host and its database are eight days ahead for minutes after a start")
    func bothAheadAtStart() async throws {
        try await withHouse(retention: 11 * 3600) { fixture in
            let (service, clock, lines) = started(fixture, at: noon + 192 * hourMicroseconds)
            for _ in 0..<10 {
                await service.expireByRetention()
                clock.advance(by: .seconds(30))
            }
            var facts = try await fixture.left().facts
            #expect(facts == 10)
            #expect(lines.all.filter { $0.hasPrefix("Retention holds back until") }.count == 1)

            clock.stepWall(by: .zero - Self.week)
            await service.expireByRetention()
            facts = try await fixture.left().facts
            #expect(facts == 10)
            #expect(service.ages.heldBackSeconds == 0)
            #expect(lines.all.contains("Retention goes by the clock again"))
        }
    }

    @Test("What is recorded after the start by a wrong clock says nothing about the time")
    func recordedByWrongClock() async throws {
        try await withHouse(retention: 11 * 3600) { fixture in
            let (service, clock, _) = started(fixture, at: noon + 192 * hourMicroseconds)
            clock.advance(by: .seconds(4))
            let end = (clock.clock.now() - 1).microseconds
            _ = try await fixture.pool.query("UPDATE line SET end_us = \(end)")
            for _ in 0..<9 {
                await service.expireByRetention()
                clock.advance(by: .seconds(30))
            }
            #expect(try await fixture.left().facts == 10)
        }
    }

    @Test("Where nothing was recorded before the start, ages are measured at once")
    func fresh() async throws {
        try await withHouse(retention: 5 * 3600) { fixture in
            // The house is recorded after the start: nothing of it is older than a quarter of an hour then.
            let (service, clock, _) = started(fixture, at: noon - 11 * hourMicroseconds)
            await service.expireByRetention()
            #expect(try await fixture.left().facts == 10)
            clock.advance(by: .seconds(11 * 3600))
            await service.expireByRetention()
            #expect(service.ages.heldBackSeconds == 0)
            try await fixture.expireAll(service)
            #expect(try await fixture.left().facts == 5)
        }
    }

    @Test("After days without the service an hour expires in each round, once the clocks ran evenly")
    func backlog() async throws {
        try await withHouse(retention: 3600) { fixture in
            let (service, clock, _) = started(fixture, at: noon + 240 * hourMicroseconds)
            await service.expireByRetention()
            #expect(try await fixture.left().facts == 9, "what had expired when the recording ended")
            clock.advance(by: .seconds(300))
            for left in (0..<9).reversed() {
                await service.expireByRetention()
                let facts = try await fixture.left().facts
                #expect(facts == left)
            }
        }
    }
}
