extension PostgresError {
    /// A prepared statement whose tables have changed, or that the server no longer knows.
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

    /// Takes over what the server said in another error.
    func with(origin: PostgresError) -> PostgresError {
        var error = self
        (error.sqlState, error.detail) = (origin.sqlState, origin.detail)
        (error.constraint, error.statement) = (origin.constraint, origin.statement)
        return error
    }
}
