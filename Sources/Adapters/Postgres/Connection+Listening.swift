/// Waiting for notifications on a dedicated connection.
extension Connection {
    func listen(to channels: [String], _ interruption: Interruption) throws(PostgresError) {
        try open(interruption)
        for channel in channels {
            _ = try run(script: "LISTEN \(quoted(identifier: channel))", interruption)
        }
    }

    /// Blocks the connection's thread until a notification arrives.
    func nextNotification(_ interruption: Interruption) throws(PostgresError) -> PostgresNotification {
        let wait = SocketWait(pipe: pipe, interruption: interruption, deadline: nil)
        return try exchange { (handle) throws(PostgresError) in try handle.nextNotification(wait) }
    }
}
