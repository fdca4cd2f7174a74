extension PostgresError {
    /// Whether the prepared statement is unknown to the server, or its tables have changed.
    var isStalePlan: Bool {
        sqlState == "26000" || (sqlState == "0A000" && message.contains("cached plan"))
    }

    func with(statement: String) -> PostgresError {
        var error = self
        error.statement = self.statement ?? statement
        return error
    }

    func with(kind: Kind) -> PostgresError {
        PostgresError(kind, message).with(origin: self)
    }

    /// Copies the server's fields of another error.
    func with(origin: PostgresError) -> PostgresError {
        var error = self
        (error.sqlState, error.detail) = (origin.sqlState, origin.detail)
        (error.constraint, error.statement) = (origin.constraint, origin.statement)
        return error
    }
}
