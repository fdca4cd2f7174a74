import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Processes

@Suite("Programs with streams", .timeLimit(.minutes(30)))
struct ProgramStreamTests {
    private static let bounds = ProgramBounds(cpuSeconds: 60, memoryBytes: 1 << 30)

    private func start(_ arguments: String..., inputs: Int = 1) async throws -> ChildProgram {
        try await ChildProgram.start(
            arguments[0], Array(arguments.dropFirst()), inputs: inputs, bounds: Self.bounds)
    }

    private func all(of program: ChildProgram) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await program.read(limit: 1000) { bytes += piece }
        return bytes
    }

    @Test("What goes in comes out, more than any buffer holds")
    func stream() async throws {
        let program = try await start("cat")
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        async let read = all(of: program)
        try await program.write(bytes)
        await program.finish()
        #expect(try await read == bytes)
    }

    @Test("A second stream is descriptor 3, and no other descriptor is open")
    func descriptors() async throws {
        let program = try await start(
            "sh", "-c", "cat <&0; cat <&3; ls /proc/self/fd | tr '\\n' ' '", inputs: 2)
        try await program.write(Array("one ".utf8))
        try await program.write(Array("two ".utf8), to: 1)
        await program.finish(0)
        await program.finish(1)
        // The last one is the folder that ls reads.
        #expect(String(decoding: try await all(of: program), as: UTF8.self) == "one two 0 1 2 3 4 ")
    }

    @Test("A pair of streams that no program gets is closed")
    func unusedPair() throws {
        var pair: StreamPair? = try StreamPair()
        let other = try #require(pair?.other)
        pair = nil
        // A program that another test starts has a copy until it runs its own file: the end may come later.
        var ready = pollfd(fd: other.number, events: Int16(POLLIN), revents: 0)
        #expect(poll(&ready, 1, 10_000) == 1)
        var byte: UInt8 = 0
        // The end of what the other side writes: while that is open, nothing to read is an error.
        let count = recv(other.number, &byte, 1, Int32(MSG_DONTWAIT))
        #expect(count == 0)
    }

    @Test("A descriptor that another thread opens while programs start is not theirs")
    func descriptorsOfOthers() async throws {
        let isDone = Mutex(false)
        async let opening: Void = {
            while !isDone.withLock({ $0 }) {
                let numbers = (0..<50).map { _ in open("/dev/null", O_RDONLY) }
                await Task.yield()
                for number in numbers { close(number) }
            }
        }()
        for _ in 0..<30 {
            let program = try await start("sh", "-c", "ls /proc/self/fd | wc -l")
            await program.finish()
            // Three streams and the folder that ls reads.
            #expect(String(decoding: try await all(of: program), as: UTF8.self) == "4\n")
        }
        isDone.withLock { $0 = true }
        await opening
    }

    @Test("It gets no variable of this process")
    func environment() async throws {
        setenv("BACKCAST_TEST_SECRET", "42", 1)
        let program = try await start("sh", "-c", "exec env")
        await program.finish()
        let text = String(decoding: try await all(of: program), as: UTF8.self)
        #expect(text.contains("PATH=") && !text.contains("SECRET"))
    }

    @Test("A program that fails ends what is read with its status and words, and does not end it as whole")
    func failure() async throws {
        let program = try await start("sh", "-c", "echo half; echo broken >&2; exit 3")
        #expect(try await program.read(limit: 100) == Array("half\n".utf8))
        await #expect(throws: ProgramFailure.failed("sh", status: 3, message: "broken\n")) {
            try await program.read(limit: 100)
        }
    }

    @Test("A program that is not there is told by its name")
    func missing() async throws {
        let program = try await start("backcast-none")
        await #expect(throws: ProgramFailure.missing("backcast-none")) { try await program.read(limit: 1) }
    }

    @Test("What is named is the program that is not there, also where that is one that bounds it")
    func bounding() async throws {
        let folder = try TemporaryFolder("path")
        let missing = { ProgramFile.missing(toRun: "sh", in: folder.path) }
        #expect(missing() == "setpriv")
        for (name, next) in [("setpriv", "prlimit"), ("prlimit", "sh"), ("sh", nil)] {
            let file = try #require(ProgramFile.path(of: name))
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(of: name), withDestinationPath: file)
            #expect(missing() == next)
            guard let next else { continue }
            let program = try await ChildProgram.start(
                "sh", ["-c", "exit"], bounds: Self.bounds, searchPath: folder.path)
            await #expect(throws: ProgramFailure.missing(next)) { try await program.read(limit: 1) }
        }
    }

    @Test(
        "A program that is there and cannot be run, as its libraries cannot, is not missing",
        arguments: [126, 127])
    func notRun(status: Int) async throws {
        let program = try await start("sh", "-c", "echo no memory >&2; exit \(status)")
        let failure = await #expect(throws: ProgramFailure.self) { try await program.read(limit: 1) }
        #expect(failure == .unstartable("no memory"))
        #expect(failure?.isShortage == true)
    }

    @Test("A program that another process kills is told apart from one that is stopped")
    func killed() async throws {
        let program = try await start("sh", "-c", "kill -9 $$")
        let failure = await #expect(throws: ProgramFailure.self) { try await program.read(limit: 1) }
        #expect(failure == .killed("sh"))
        #expect(failure?.isShortage == true)
    }

    @Test("A program that is stopped is gone, and who writes to it or reads from it is told")
    func stopped() async throws {
        let program = try await start("sleep", "60")
        let process = try #require(program.process)
        let writing = Task { try await program.write([UInt8](repeating: 0, count: 4_000_000)) }
        program.stop()
        await #expect(throws: ProgramFailure.self) { try await writing.value }
        await #expect(throws: ProgramFailure.failed("sleep", status: 128 + SIGKILL, message: "")) {
            try await program.read(limit: 1)
        }
        #expect(kill(process, 0) != 0)
        program.stop()
    }
}
