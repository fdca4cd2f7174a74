import Glibc
import Synchronization

/// One run of another program, which reads from streams and writes to one.
///
/// It is started without a shell, has bounds, and ends with this process.
///
/// It inherits only its streams and PATH, no other descriptor or variable. The code that starts it must call
/// `stop` in the end, even if the program may have ended by itself.
package final class ChildProgram: Sendable {
    private enum End {
        case running
        case ended(status: Int32, message: String)
    }

    private struct State {
        var process: pid_t?
        var end = End.running
        /// Whether this process killed it.
        var isStopped = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let name: String
    private let searchPath: String
    private let state = Mutex(State())
    private let inputs: [ProgramStream]
    private let output: ProgramStream

    /// Runs a program in a folder to its end; cancelling the task kills it.
    ///
    /// It reads nothing, and what it writes on standard output is dropped.
    package static func run(
        _ name: String, _ arguments: [String], in folder: String, bounds: ProgramBounds,
    ) async throws(ProgramFailure) {
        let program = try await start(name, arguments, in: folder, bounds: bounds)
        let result = await withTaskCancellationHandler {
            await program.end()
        } onCancel: {
            program.stop()
        }
        if Task.isCancelled { throw .cancelled }
        try result.get()
    }

    /// Starts a program with `inputs` streams to read from: descriptor 0, then 3 and so on.
    ///
    /// It runs in a folder if one is given, else in this process's.
    package static func start(
        _ name: String, _ arguments: [String], inputs: Int = 1, in folder: String? = nil,
        bounds: ProgramBounds,
    ) async throws(ProgramFailure) -> ChildProgram {
        try await start(
            name, arguments, inputs: inputs, in: folder, bounds: bounds, searchPath: ProgramFile.searchPath)
    }

    /// As above, where programs are looked for in other folders than those of PATH, and on another thread.
    static func start(
        _ name: String, _ arguments: [String], inputs: Int = 1, in folder: String? = nil,
        bounds: ProgramBounds, searchPath: String, thread: ProgramThread = ProgramThread(),
    ) async throws(ProgramFailure) -> ChildProgram {
        let ends = try (0..<(inputs + 2)).map { _ throws(ProgramFailure) in try StreamPair() }
        let program = ChildProgram(name, searchPath, ends.prefix(inputs + 1).map { ProgramStream($0.own) })
        let bounded = ["setpriv", "--pdeathsig", "KILL", "prlimit"] + bounds.arguments + [name] + arguments
        let launch = ProgramLaunch(
            arguments: bounded, folder: folder, searchPath: searchPath,
            inputs: ends.prefix(inputs).map(\.other), output: ends[inputs].other,
            errors: ends[inputs + 1].other)
        let errors = ProgramStream(ends[inputs + 1].own)
        let result: Result<Void, ProgramFailure> = await withCheckedContinuation { started in
            // The kernel kills the child when the thread that started it has ended (PR_SET_PDEATHSIG).
            do throws(ProgramFailure) {
                try thread.start { program.run(launch, errors) { started.resume(returning: $0) } }
            } catch {
                started.resume(returning: .failure(error))
            }
        }
        try result.get()
        return program
    }

    private init(_ name: String, _ searchPath: String, _ streams: [ProgramStream]) {
        (self.name, self.searchPath) = (name, searchPath)
        inputs = Array(streams.dropLast())
        output = streams[streams.count - 1]
    }

    /// Writes to a stream; it waits until the program has taken enough, and throws when it takes no more.
    package func write(_ bytes: [UInt8], to input: Int = 0) async throws(ProgramFailure) {
        guard await inputs[input].write(bytes) else { throw await failure() }
    }

    /// Ends what the program reads from a stream.
    package func finish(_ input: Int = 0) async {
        await inputs[input].close()
    }

    /// The next bytes that the program wrote, at most `limit`; nil when it has ended with status 0.
    package func read(limit: Int) async throws(ProgramFailure) -> [UInt8]? {
        if let bytes = await output.read(limit: limit) { return bytes }
        let end = await ended()
        guard end.status == 0 else { throw reason(end) }
        return nil
    }

    /// Kills the program if it runs.
    package func stop() {
        state.withLock { state in
            guard let process = state.process, case .running = state.end,
                !ProgramLaunch.hasEnded(process)
            else { return }
            state.isStopped = true
            kill(process, SIGKILL)
        }
    }

    /// The number of the process.
    package var process: Int32? { state.withLock { $0.process } }

    /// Drops what the program writes until it has ended.
    private func end() async -> Result<Void, ProgramFailure> {
        await finish()
        do throws(ProgramFailure) {
            while try await read(limit: Limits.droppedBytes) != nil {}
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func failure() async -> ProgramFailure {
        stop()
        return reason(await ended())
    }

    private func reason(_ end: (status: Int32, message: String)) -> ProgramFailure {
        if end.status == 128 + SIGKILL, !state.withLock({ $0.isStopped }) { return .killed(name) }
        guard [ProgramLaunch.notRun, ProgramLaunch.notFound].contains(end.status) else {
            return .failed(name, status: end.status, message: end.message)
        }
        if let missing = ProgramFile.missing(toRun: name, in: searchPath) { return .missing(missing) }
        return .unstartable(String(end.message.split(separator: "\n").last ?? ""))
    }

    private func ended() async -> (status: Int32, message: String) {
        while true {
            if case .ended(let status, let message) = state.withLock({ $0.end }) { return (status, message) }
            await withCheckedContinuation { waiter in
                let isEnded = state.withLock { state in
                    if case .ended = state.end { return true }
                    state.waiting.append(waiter)
                    return false
                }
                if isEnded { waiter.resume() }
            }
        }
    }

    /// Starts the program and waits for its end, on a thread of its own.
    private func run(
        _ launch: ProgramLaunch, _ errors: ProgramStream, started: (Result<Void, ProgramFailure>) -> Void,
    ) {
        let process: pid_t
        do throws(ProgramFailure) {
            process = try launch.start()
        } catch {
            started(.failure(error))
            return
        }
        state.withLock { $0.process = process }
        started(.success(()))
        var message: [UInt8] = []
        while let piece = errors.readNow(limit: Limits.wordBytes) {
            message = (message + piece).suffix(Limits.wordBytes)
        }
        // The child stays a zombie until `reap`, so that `stop` cannot kill another process with its number.
        ProgramLaunch.awaitEnd(of: process)
        let waiting = state.withLock { state in
            let status = ProgramLaunch.reap(process)
            state.end = .ended(status: status, message: String(decoding: message, as: UTF8.self))
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }
}
