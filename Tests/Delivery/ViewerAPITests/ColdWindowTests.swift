import HTTP
import HTTPSupport
import Postgres
import TestSupport
import Testing
import Timeline

@testable import Catalogue
@testable import ViewerAPI

/// Windows that have to be read from the catalogue, while that does not answer.
@Suite(.serialized) struct ColdWindowTests {
    private static let channels = ["one", "two", "three", "four"]
    /// What needs no turn is answered long before the database ends what stands still in it, a minute.
    private static let atOnce = Duration.seconds(30)

    /// Two segments of each of some renditions that lie ten hours apart, so a window has 40 quarters.
    private func record(_ channel: String, renditions: Int = 1, _ recorder: ViewerFixture) async throws {
        var recording = Recording(channel, seconds: 0)
        for index in 0..<renditions {
            recording.add("v\(index)", from: 0, count: 1)
            recording.add("v\(index)", from: 36_000, count: 1)
        }
        recording.watermark = 36_004
        try await recorder.record(recording)
    }

    /// A window from the begin of a channel.
    private func window(_ channel: String, seconds: Int = 36_000) -> String {
        "/live/\(channel)/v0.m3u8?begintime=1469509516&duration=\(seconds)"
    }

    /// Answers that are made while no block can be read, once some of them wait for one and others were
    /// refused, and what the body returns then.
    private func whileBlocksHang<Value: Sendable>(
        _ recorder: ViewerFixture, _ viewer: ViewerFixture, _ hanging: [(target: String, client: String)],
        waiting: Int, refused: Int = 0, for table: String = "packed_quarter",
        _ body: @escaping @Sendable () async throws -> Value,
    ) async throws -> (Value, [HTTPResponse]) {
        let (value, tasks) = try await recorder.catalogue.pool.transaction { transaction in
            _ = try await transaction.query(
                table == "block" ? "LOCK TABLE block" : "LOCK TABLE packed_quarter")
            let refusals = Counter()
            let tasks = hanging.map { target, client in
                Task {
                    let answer = await viewer.begun(target, from: client)
                    if answer.status == .serviceUnavailable { refusals.add() }
                    return answer
                }
            }
            try await eventually("\(waiting) questions that hang") {
                try await self.hangingQuestions(recorder, for: table) >= waiting
            }
            // From then on all places of a client are taken.
            try await eventually("\(refused) refusals") { refusals.value >= refused }
            return (try await body(), tasks)
        }
        var answers: [HTTPResponse] = []
        for task in tasks { answers.append(await task.value) }
        return (value, answers)
    }

    /// How many statements wait for a table.
    private func hangingQuestions(
        _ recorder: ViewerFixture, for table: String = "packed_quarter"
    ) async throws -> Int {
        let rows = try await recorder.catalogue.pool.query(
            "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = \(table)::text::regclass")
        return rows.count
    }

    /// A segment in every other quarter of a day, so that windows of one segment share no quarter, and a
    /// service of six connections that has read the last one.
    private func withDay(
        _ body: (_ recorder: ViewerFixture, _ viewer: ViewerFixture) async throws -> Void,
    ) async throws {
        var recording = Recording("day", seconds: 0)
        for index in 0..<45 { recording.add("v0", from: Double(index) * 1800, count: 1) }
        recording.watermark = 81_000
        try await ViewerFixture.with { recorder in
            try await recorder.record(recording)
            try await recorder.withReplica(isShared: false, connections: 6) { viewer in
                #expect(await viewer.begun(shortWindow(44)).status == .ok)
                viewer.clock.slowDown()
                try await body(recorder, viewer)
            }
        }
    }

    private func shortWindow(_ index: Int) -> String {
        "/live/day/v0.m3u8?begintime=\(1_469_509_516 + 1800 * index)&duration=4"
    }

    @Test("While the database hangs, short windows of one client leave connections to others")
    func short() async throws {
        try await withDay { recorder, viewer in
            let many = (0..<40).map { (shortWindow($0), "192.0.2.1") }
            let (other, answers) = try await whileBlocksHang(recorder, viewer, many, waiting: 2) {
                let other = Task { await viewer.begun(shortWindow(40), from: "192.0.2.2") }
                try await eventually("the other client") {
                    try await hangingQuestions(recorder) >= 3
                }
                try await Task.sleep(for: .milliseconds(300))
                #expect(try await hangingQuestions(recorder) == 3)
                // What is in memory is answered, and so is what readiness asks.
                let begun = ContinuousClock.now
                #expect(await viewer.begun(shortWindow(44), from: "192.0.2.1").status == .ok)
                #expect(await viewer.catalogue.isReachable())
                #expect(ContinuousClock.now - begun < Self.atOnce)
                return other
            }
            #expect(await other.value.status == .ok)
            #expect(answers.count { $0.status == .ok } >= 2)
            #expect(answers.allSatisfy { $0.status == .ok || $0.status == .serviceUnavailable })
            // The turns were given back.
            #expect(await viewer.begun(shortWindow(41), from: "192.0.2.1").status == .ok)
        }
    }

    @Test("While the database hangs, windows of any length leave connections to readiness")
    func connections() async throws {
        try await withDay { recorder, viewer in
            // A day has two statements, and more where others read parts of it already.
            let many = (1...3).flatMap { client in
                let client = "192.0.2.\(client)"
                return (0..<4).map { (shortWindow(10 * $0), client) }
                    + [("/live/day/v0.m3u8?begintime=1469509516&duration=70000", client)]
            }
            let (_, answers) = try await whileBlocksHang(recorder, viewer, many, waiting: 4) {
                try await Task.sleep(for: .milliseconds(300))
                #expect(try await hangingQuestions(recorder) == 4)
                let begun = ContinuousClock.now
                #expect(await viewer.catalogue.isReachable())
                #expect(ContinuousClock.now - begun < Self.atOnce)
            }
            #expect(answers.allSatisfy { $0.status == .ok || $0.status == .serviceUnavailable })
        }
    }

    @Test("Short windows that many ask for at a time are read once, and no one waits for a turn")
    func shared() async throws {
        try await withDay { recorder, viewer in
            let first = [(target: shortWindow(0), client: "192.0.2.1")]
            let (others, answers) = try await whileBlocksHang(recorder, viewer, first, waiting: 1) {
                (0..<200).map { _ in Task { await viewer.begun(shortWindow(0), from: "192.0.2.1") } }
            }
            #expect(answers.map(\.status) == [.ok])
            for other in others { #expect(await other.value.status == .ok) }
        }
    }

    @Test("While the database hangs, a client has two turns and a few that wait; others have theirs")
    func share() async throws {
        try await ViewerFixture.with { recorder in
            for channel in Self.channels { try await record(channel, recorder) }
            try await recorder.withReplica(isShared: false, connections: 6) { viewer in
                for channel in Self.channels {
                    #expect(await viewer.begun(window(channel, seconds: 4)).status == .ok)
                }
                viewer.clock.slowDown()
                let many = (0..<19).map { number in
                    (window(Self.channels[number % 3], seconds: 35_000 + number), "192.0.2.1")
                }
                let (refusal, others) = try await whileBlocksHang(
                    recorder, viewer, many + [(window("four"), "192.0.2.2")], waiting: 3, refused: 1
                ) {
                    // What is in memory is answered.
                    let known = await viewer.begun(window("three", seconds: 4), from: "192.0.2.1")
                    #expect(known.status == .ok)
                    let begun = ContinuousClock.now
                    let refusal = await viewer.begun(window("three"), from: "192.0.2.1")
                    #expect(ContinuousClock.now - begun < Self.atOnce)
                    return refusal
                }
                #expect(refusal.status == .serviceUnavailable)
                #expect(refusal.headers["Retry-After"] == "2")
                #expect(refusal.headers["Access-Control-Allow-Origin"] == "*")
                #expect(others.last?.status == .ok)
                #expect(others.dropLast().count { $0.status == .ok } >= 2)
                // The turns were given back.
                #expect(await viewer.begun(window("three"), from: "192.0.2.1").status == .ok)
            }
        }
    }

    @Test("A growing playlist without an end waits for no long window, however long windows may be")
    func openEnd() async throws {
        try await ViewerFixture.with { recorder in
            for channel in ["one", "two", "three"] {
                var recording = Recording(channel, seconds: 0)
                recording.add("v0", from: 0, count: 1)
                recording.add("v0", from: 100_000, count: 3)
                recording.watermark = 100_012
                try await recorder.record(recording)
            }
            try await recorder.withReplica(maxWindowSeconds: 604_800, connections: 6) { viewer in
                viewer.clock.now = at(100_016)
                let growing = "/live/three/v0.m3u8?begintime=1469609516&mode=event"
                #expect(await viewer.begun(growing, from: "192.0.2.3").status == .ok)
                let long = ["one", "two"].enumerated().map { index, channel in
                    (window(channel, seconds: 100_000), "192.0.2.\(index + 1)")
                }
                let (answer, others) = try await whileBlocksHang(recorder, viewer, long, waiting: 2) {
                    await viewer.begun(growing, from: "192.0.2.3")
                }
                #expect(answer.status == .ok)
                #expect(others.map(\.status) == [.ok, .ok])
            }
        }
    }

    @Test("A window of many blocks takes all turns of a client")
    func weight() async throws {
        try await ViewerFixture.with { recorder in
            try await record("one", renditions: 11, recorder)
            try await record("two", recorder)
            try await recorder.withReplica(isShared: false, connections: 6) { viewer in
                for channel in ["one", "two"] {
                    #expect(await viewer.begun(window(channel, seconds: 4)).status == .ok)
                }
                let (second, others) = try await whileBlocksHang(
                    recorder, viewer, [(window("one"), "192.0.2.1")], waiting: 1
                ) {
                    await viewer.begun(window("two"), from: "192.0.2.1")
                }
                #expect(second.status == .serviceUnavailable)
                #expect(others.map(\.status) == [.ok])
                #expect(await viewer.begun(window("two"), from: "192.0.2.1").status == .ok)
            }
        }
    }

    @Test("While the database hangs, a client has one search for what is recorded near, and a few that wait")
    func searches() async throws {
        try await ViewerFixture.with { recorder in
            for channel in Self.channels { try await record(channel, recorder) }
            try await recorder.withReplica(isShared: false, connections: 6) { viewer in
                for channel in Self.channels {
                    #expect(await viewer.begun(window(channel, seconds: 4)).status == .ok)
                }
                viewer.clock.slowDown()
                // Behind everything that is recorded, in another quarter of an hour each.
                let nothing = { @Sendable (channel: String, number: Int) in
                    "/live/\(channel)/v0.m3u8?begintime=\(1_469_600_000 + 1000 * number)&duration=10"
                }
                let many = (0..<18).map { (nothing(Self.channels[$0 % 3], $0), "192.0.2.1") }
                let (refusals, others) = try await whileBlocksHang(
                    recorder, viewer, many + [(nothing("four", 0), "192.0.2.2")], waiting: 2, refused: 1,
                    for: "block"
                ) {
                    // What is in memory is answered.
                    let known = await viewer.begun(window("three", seconds: 4), from: "192.0.2.1")
                    #expect(known.status == .ok)
                    let begun = ContinuousClock.now
                    let search = await viewer.begun(nothing("three", 20), from: "192.0.2.1")
                    let status = await viewer.begun(
                        "/live/three/recording_status.json", from: "192.0.2.1")
                    #expect(ContinuousClock.now - begun < Self.atOnce)
                    return [search, status]
                }
                for refusal in refusals {
                    #expect(refusal.status == .serviceUnavailable)
                    #expect(refusal.headers["Retry-After"] == "2")
                }
                #expect(others.last?.status == .notFound)
                #expect(others.dropLast().count { $0.status == .notFound } >= 1)
                // The turns were given back.
                let again = await viewer.begun(nothing("three", 20), from: "192.0.2.1")
                #expect(again.status == .notFound)
            }
        }
    }

    @Test("While the database hangs, a client has one strict window that asks what a rendition lacks")
    func strict() async throws {
        try await ViewerFixture.with { recorder in
            var recording = Recording("one", seconds: 0)
            (recording.playlistForm, recording.watermark) = (.multivariant, 36_004)
            recording.add("v0", from: 0, count: 1)
            recording.add("a0", from: 36_000, count: 1, format: .audio) { $0.groupID = "aac" }
            try await recorder.record(recording)
            try await recorder.withReplica(isShared: false, connections: 6) { viewer in
                let strict = { @Sendable (number: Int) in
                    "/live/one/master.m3u8?begintime=1469509516&duration=4&strict=true&_=\(number)"
                }
                #expect(await viewer.begun(strict(99)).status == .ok)
                viewer.clock.slowDown()
                let many = (0..<18).map { (strict($0), "192.0.2.1") }
                let (hanging, answers) = try await whileBlocksHang(
                    recorder, viewer, many, waiting: 1, refused: 1, for: "block"
                ) {
                    try await hangingQuestions(recorder, for: "block")
                }
                #expect(hanging == 1)
                #expect(Set(answers.map(\.status)) == [.ok, .serviceUnavailable])
                #expect(await viewer.begun(strict(18), from: "192.0.2.1").status == .ok)
            }
        }
    }

    @Test("Streams without an end read in the turns of their client")
    func streams() async throws {
        try await ViewerFixture.with { recorder in
            for channel in Self.channels { try await record(channel, recorder) }
            try await recorder.withReplica(isShared: false, connections: 6) { viewer in
                viewer.clock.now = at(36_004)
                // A stream that begins in the hole of ten hours looks further and further for what follows;
                // what it reads without a turn is in memory.
                for channel in Self.channels {
                    #expect(await viewer.begun(window(channel, seconds: 5600)).status == .ok)
                }
                viewer.clock.slowDown()
                let stream = { @Sendable (channel: String) in "/live/\(channel)/timeshift_abs-1469510000.ts" }
                let many = (0..<19).map { (stream(Self.channels[$0 % 3]), "192.0.2.1") }
                let (refusal, others) = try await whileBlocksHang(
                    recorder, viewer, many + [(stream("four"), "192.0.2.2")], waiting: 3, refused: 1
                ) {
                    let begun = ContinuousClock.now
                    let refusal = await viewer.begun(window("three"), from: "192.0.2.1")
                    #expect(ContinuousClock.now - begun < Self.atOnce)
                    return refusal
                }
                #expect(refusal.status == .serviceUnavailable)
                #expect(others.last?.status == .ok)
                #expect(others.dropLast().count { $0.status == .ok } >= 2)
            }
        }
    }
}
