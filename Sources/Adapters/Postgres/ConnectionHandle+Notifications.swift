import CLibpq
import Glibc

extension ConnectionHandle {
    /// Waits for the next notification; blocks the thread.
    func nextNotification(_ wait: SocketWait) throws(PostgresError) -> PostgresNotification {
        while true {
            if let notification = takeNotification() { return notification }
            guard wait.untilReady(for: POLLIN, on: socket) == .ready else { throw .cancelled }
            guard unsafe PQconsumeInput(pointer) == 1 else {
                throw PostgresError(.connectionLost(mayHaveExecuted: false), errorMessage)
            }
        }
    }

    private func takeNotification() -> PostgresNotification? {
        guard let heard = unsafe PQnotifies(pointer) else { return nil }
        defer { unsafe PQfreemem(heard) }
        return unsafe PostgresNotification(
            channel: String(cString: heard.pointee.relname), payload: String(cString: heard.pointee.extra))
    }
}
