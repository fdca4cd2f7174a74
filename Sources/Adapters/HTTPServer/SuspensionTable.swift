import Glibc
import Synchronization

/// The suspended exchanges.
///
/// The exchange is resumed by the call that removes it, so exactly once.
///
/// Resuming happens under the lock, because a server that stops must not find a suspended connection. The
/// library does not call back from it.
final class SuspensionTable: Sendable {
    private struct Entry {
        let exchange: Exchange
        let deadline: Int64
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Inserts an exchange whose connection is suspended; false when the server stops, and then the caller
    /// resumes it.
    func enter(_ exchange: Exchange, deadline: Int64) -> Bool {
        state.withLock {
            if $0.isClosed { return false }
            $0.entries[ObjectIdentifier(exchange)] = Entry(exchange: exchange, deadline: deadline)
            return true
        }
    }

    /// Removes and resumes the exchange after `change`; does nothing when it has been removed.
    ///
    /// The task that `change` returns is cancelled outside the lock, because cancellation runs foreign code.
    func resume(_ exchange: Exchange, after change: () -> Task<Void, Never>?) {
        let work: Task<Void, Never>? = state.withLock {
            guard $0.entries.removeValue(forKey: ObjectIdentifier(exchange)) != nil else { return nil }
            let work = change()
            exchange.connection.resume()
            return work
        }
        work?.cancel()
    }

    /// Resumes every exchange past its deadline; returns their number.
    func resumeOverdue(at now: Int64) -> Int {
        resume(where: { $0.deadline < now }, after: { $0.deadlinePassed() })
    }

    /// Resumes every exchange whose client has disconnected: the library does not check while it is
    /// suspended.
    ///
    /// The kernel is asked outside the lock, because answers wait for that lock. An exchange may go on
    /// meanwhile. Then it has left the table and nothing happens to it, even if a new connection has got its
    /// descriptor number.
    func resumeDisconnected(_ disconnected: ([Exchange]) -> [Exchange] = SuspensionTable.disconnected) {
        let suspended = state.withLock { $0.entries.values.map(\.exchange) }
        for exchange in disconnected(suspended) { resume(exchange) { exchange.abandon() } }
    }

    /// Resumes all exchanges and accepts no more.
    func close() {
        state.withLock { $0.isClosed = true }
        _ = resume(where: { _ in true }, after: { $0.abandon() })
    }

    private func resume(where condition: (Entry) -> Bool, after change: (Exchange) -> Task<Void, Never>?)
        -> Int
    {
        let work = state.withLock { state in
            let chosen = state.entries.filter { condition($0.value) }
            return chosen.map { key, entry in
                state.entries[key] = nil
                let work = change(entry.exchange)
                entry.exchange.connection.resume()
                return work
            }
        }
        for task in work { task?.cancel() }
        return work.count
    }

    /// Linux's POLLRDHUP, which the headers hide from Swift.
    private static let peerHasClosed: Int16 = 0x2000

    /// Asks the kernel, in one call, which peers have closed or reset.
    ///
    /// A peer that closed only its sending side counts as disconnected, as it does for the library.
    static func disconnected(_ exchanges: [Exchange]) -> [Exchange] {
        if exchanges.isEmpty { return [] }
        var polls = exchanges.map { pollfd(fd: $0.peer.descriptor, events: peerHasClosed, revents: 0) }
        guard unsafe poll(&polls, nfds_t(polls.count), 0) > 0 else { return [] }
        return zip(exchanges, polls).filter { $1.revents != 0 }.map(\.0)
    }
}
