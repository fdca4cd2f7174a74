import Testing

@Suite("Dangerous constructs")
struct DangerRuleTests {
    static let path = "Sources/Stores/Journal/Frame.swift"

    @Test(
        "Each is found",
        arguments: [
            (DangerousConstruct.uncheckedSendable, "final class A: @unchecked Sendable {}"),
            (.nonisolatedUnsafe, "nonisolated(unsafe) var a = 1"),
            (.detachedTask, "Task.detached { }"),
            (.forcedTry, "let a = try! b()"),
            (.fatalCall, "guard a else { fatalError(\"b\") }"),
            (.failedPrecondition, "default: preconditionFailure()"),
            (.unsafe, "let a = unsafe b(c)"),
            (.unsafe, "try unsafe b.withUnsafeBytes { 1 }"),
            (.unstructuredTask, "Task { await a() }"),
            (.unstructuredTask, "let a = Task<Void, Never> { b() }"),
            (.unstructuredTask, "Task(priority: .high) { }"),
            (.unstructuredTask, "return Task(operation: a)"),
            (.unstructuredTask, "Task(executorPreference: a) { }"),
            (.clockRead, "let a = ContinuousClock.now"),
            (.clockRead, "let a = SteadyInstant.now + b"),
            (.clockRead, "if SuspendingClock().now > a { }"),
            (.clockRead, "let a = Date().timeIntervalSince1970"),
            (.clockRead, "clock_gettime(CLOCK_MONOTONIC, &a)"),
            (.clockRead, "a(at: .now)"),
            (.clockRead, "let a: ContinuousClock.Instant = .now + b"),
            (.clockRead, "queue.asyncAfterwards(.now() + a)"),
            (.ownSleep, "try await Task.sleep(for: a)"),
            (.ownSleep, "try await Task<Never, Never>.sleep(for: a)"),
            (.ownSleep, "usleep(1000)"),
            (.ownSleep, "queue.asyncAfter(deadline: a) { }"),
            (.hostClock, "HostClock.system.sleep(for: a)"),
            (.hostClock, "init(clock: HostClock = .system) { }"),
            (.hostClock, "a(clock: .system)"),
            (.foundationProcess, "let process = Process()"),
        ])
    func found(construct: DangerousConstruct, line: String) {
        let findings = DangerRule(exceptions: []).findings(in: [TextFile(Self.path, "\n\(line)\n")])
        #expect(
            findings == [
                Finding(
                    path: Self.path, line: 2, reason: "\(construct.rawValue) without a reason in the list")
            ])
    }

    @Test(
        "Prose and other words are none",
        arguments: [
            "// try! and unsafe code", "let a = \"fatalError\"", "final class A: Sendable {}",
            "let unsafe = 1",
            "a.unsafe(b)", "try b()", "func isunsafe () {}",
            "let a: Task<Void, Never>?", "group.addTask { }", "struct ChannelTask { }", "Task.isCancelled",
            "return .now(response)", "case .now(let response):", "let a = clock.now()", "a.now + 1",
            "try await clock.sleep(for: a)", "func sleep(until a: Instant) { }", "memory.system",
        ])
    func harmless(line: String) {
        #expect(DangerRule(exceptions: []).findings(in: [TextFile(Self.path, line)]).isEmpty)
    }

    @Test(
        "A construct needs no entry where it is at home",
        arguments: [
            ("Sources/Adapters/Digest/Handle.swift", "let a = unsafe b(c)"),
            (
                "Tests/Stores/JournalTests/A.swift",
                "Task { try await Task.sleep(for: ContinuousClock.now - a) }"
            ),
            ("Sources/Program/Backcast/Composition.swift", "let clock = HostClock.system"),
        ])
    func home(path: String, line: String) {
        #expect(DangerRule(exceptions: []).findings(in: [TextFile(path, line)]).isEmpty)
    }

    @Test("A listed one is allowed in its file only")
    func listed() {
        let exception = ListedException(
            construct: .forcedTry, path: Self.path, reason: "the pattern is a literal")
        let files = [TextFile(Self.path, "try! a()"), TextFile("Sources/Stores/Journal/B.swift", "try! a()")]
        #expect(DangerRule(exceptions: [exception]).findings(in: files).map(\.path) == [files[1].path])
    }

    @Test("A listed folder covers what is in it, and nothing beside it")
    func folder() {
        let exception = ListedException(
            construct: .forcedTry, path: "Sources/Stores/Journal/", reason: "the pattern is a literal")
        let files = [
            TextFile(Self.path, "try! a()"), TextFile("Sources/Stores/JournalOther/B.swift", "try! a()"),
        ]
        #expect(DangerRule(exceptions: [exception]).findings(in: files).map(\.path) == [files[1].path])
    }

    @Test(
        "An entry that no longer applies, or gives no reason, is found",
        arguments: [("a()", "the pattern is a literal"), ("try! a()", "because")])
    func stale(code: String, reason: String) {
        let exception = ListedException(construct: .forcedTry, path: Self.path, reason: reason)
        #expect(DangerRule(exceptions: [exception]).findings(in: [TextFile(Self.path, code)]).count == 1)
    }
}
