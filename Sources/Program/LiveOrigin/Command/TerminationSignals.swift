import Dispatch
import Glibc

/// Waits for SIGTERM and SIGINT.
enum TerminationSignals {
    /// Returns at the first of the two, or when the task is cancelled.
    static func wait() async {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        let sources = [SIGTERM, SIGINT].map { number in
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            return source
        }
        for await _ in stream { break }
        for source in sources { source.cancel() }
    }
}
