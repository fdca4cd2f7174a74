import Foundation
import TestSupport
import Testing

@testable import Processes

@Suite("Other programs", .timeLimit(.minutes(30)))
struct ChildProgramTests {
    private static let bounds = ProgramBounds(cpuSeconds: 60, memoryBytes: 1 << 30)
    /// For a program that writes a small file.
    private static let writing = ProgramBounds(cpuSeconds: 1, memoryBytes: 1 << 30, fileBytes: 1000)

    private func run(_ name: String, _ arguments: [String], in folder: String = "/tmp") async throws {
        try await ChildProgram.run(name, arguments, in: folder, bounds: Self.bounds)
    }

    @Test("A program runs in its folder, and its arguments are no words of a shell")
    func folder() async throws {
        let folder = try TemporaryFolder("child")
        try await run("cp", ["/dev/null", "a; touch b $(id)"], in: folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a; touch b $(id)"])
    }

    @Test("A failure has the status and the last words")
    func failure() async {
        let failure = await #expect(throws: ProgramFailure.self) {
            try await run("ls", ["/none"])
        }
        #expect(failure?.description.contains("/none") ?? false)
        #expect(failure?.description.contains("status 2") ?? false)
    }

    @Test("A program that is not there is told by its name")
    func missing() async {
        await #expect(throws: ProgramFailure.missing("backcast-none")) { try await run("backcast-none", []) }
    }

    @Test("The file of a program is found in the folders of PATH")
    func programFile() {
        #expect(ProgramFile.path(of: "env")?.hasSuffix("/env") ?? false)
        #expect(ProgramFile.path(of: "backcast-none") == nil)
    }

    @Test("A folder that is not there is told apart from a program that is not there")
    func missingFolder() async {
        let failure = await #expect(throws: ProgramFailure.self) { try await run("ls", [], in: "/none/here") }
        #expect(failure?.description.contains("folder") ?? false)
    }

    @Test("Where no thread can be made, the caller hears of it")
    func noThread() async {
        // No address space has room for its stack.
        let thread = ProgramThread(stackByteCount: 1 << 60)
        let failure = await #expect(throws: ProgramFailure.self) {
            try await ChildProgram.start(
                "true", [], bounds: Self.bounds, searchPath: ProgramFile.searchPath, thread: thread)
        }
        #expect(failure.map { if case .unstartable = $0 { true } else { false } } ?? false)
    }

    @Test("A cancelled task kills its program")
    func cancelled() async throws {
        let folder = try TemporaryFolder("child")
        let running = Task {
            try await run("sh", ["-c", "touch started; exec sleep 60"], in: folder.path)
        }
        try await eventually("the program") {
            FileManager.default.fileExists(atPath: folder.path(of: "started"))
        }
        running.cancel()
        await #expect(throws: ProgramFailure.cancelled) { try await running.value }
    }

    @Test(
        "A program that uses more than it may is ended",
        arguments: [
            "while :; do :; done", "head -c 2000 /dev/zero > file",
            "for file in $(seq 3 99); do eval \"exec $file</dev/null\"; done",
        ])
    func bounds(script: String) async throws {
        let folder = try TemporaryFolder("child")
        let failure = await #expect(throws: ProgramFailure.self) {
            try await ChildProgram.run("bash", ["-c", script], in: folder.path, bounds: Self.writing)
        }
        // It would do the same again.
        #expect(failure?.isShortage == false)
    }

    @Test("A program has a process group of its own, so that Ctrl-C does not reach it")
    func ownGroup() async throws {
        let folder = try TemporaryFolder("child")
        try await ChildProgram.run(
            "sh", ["-c", "cut -d ' ' -f 1,5 /proc/$$/stat > group"], in: folder.path, bounds: Self.writing)
        let text = try String(contentsOfFile: folder.path(of: "group"), encoding: .utf8)
        let numbers = text.split { !$0.isNumber }
        #expect(numbers.count == 2 && numbers.first == numbers.last, "\(text)")
    }

    @Test("A program gets no more memory than it may have", arguments: [(20, true), (300, false)])
    func memory(megabytes: Int, isGiven: Bool) async throws {
        let bounds = ProgramBounds(cpuSeconds: 60, memoryBytes: 256 << 20)
        // It asks for a block of that size at once.
        let arguments = ["if=/dev/zero", "of=/dev/null", "count=1", "bs=\(megabytes)M"]
        do throws(ProgramFailure) {
            try await ChildProgram.run("dd", arguments, in: "/tmp", bounds: bounds)
            #expect(isGiven)
        } catch {
            #expect(!isGiven && error.description.contains("memory exhausted"), "\(error)")
        }
    }

    @Test("A program writes files up to its bound")
    func file() async throws {
        let folder = try TemporaryFolder("child")
        try await ChildProgram.run(
            "bash", ["-c", "head -c 1000 /dev/zero > file"], in: folder.path, bounds: Self.writing)
    }
}
