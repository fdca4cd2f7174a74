import Synchronization

/// Channels whose heads wait to be read again: each once, however often it changes meanwhile.
final class HeadRefreshQueue: Sendable {
    private struct State {
        var waiting: Set<Int32> = []
        var readers = 0
    }

    private let state = Mutex(State())

    /// Adds a channel; true if another reader has to begin.
    func add(_ channel: Int32) -> Bool {
        state.withLock { state in
            state.waiting.insert(channel)
            guard state.readers < Limits.headReaders else { return false }
            state.readers += 1
            return true
        }
    }

    /// The next channel for a reader; nil if none waits, which ends the reader.
    func next() -> Int32? {
        state.withLock { state in
            guard let channel = state.waiting.popFirst() else {
                state.readers -= 1
                return nil
            }
            return channel
        }
    }
}
