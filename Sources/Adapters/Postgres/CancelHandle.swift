import CLibpq

/// The owner of a `PGcancel`: what is needed to reach the server of a connection once more.
///
/// Unchecked because libpq only reads it, on any thread (manual, 34.7). It is a copy, so it may outlive the
/// connection.
@safe final class CancelHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Nil without memory, or for a connection that is broken.
    init?(of connection: OpaquePointer) {
        guard let pointer = unsafe PQgetCancel(connection) else { return nil }
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        unsafe PQfreeCancel(pointer)
    }

    /// Asks the server to end the statement, over a connection of its own.
    ///
    /// Returns when the server has done so: true, or when it cannot be reached. Blocks the thread for as long
    /// as the server takes the connection and does not answer.
    func send() -> Bool {
        var complaint = [CChar](repeating: 0, count: 256)
        return unsafe PQcancel(pointer, &complaint, Int32(complaint.count)) == 1
    }
}
