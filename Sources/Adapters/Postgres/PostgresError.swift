/// Why the database did not do what was asked, and whether asking again can help.
package struct PostgresError: Error, Hashable, Sendable {
    /// What went wrong, in the terms a caller decides by.
    package enum Kind: Hashable, Sendable {
        /// The connection string or a bound of the pool makes no sense.
        case configuration
        /// No connection could be made.
        case unreachable
        /// The connection broke; `mayHaveExecuted` when the statement may have taken effect nevertheless.
        case connectionLost(mayHaveExecuted: Bool)
        /// The server refused the statement; `sqlState` says why.
        case refused
        /// The task was cancelled.
        case cancelled
        /// No connection became free in time, or too many tasks wait already.
        case exhausted
        /// The pool, the transaction or the session is over.
        case closed
        /// A value is not of the type asked for.
        case undecodable
        /// A bound of this module was passed.
        case tooLarge
        /// The schema is not the one this program was made for.
        case schema
    }

    package let kind: Kind
    /// What happened, in words; without values of the statement and without the password.
    package let message: String
    /// PostgreSQL's five characters (appendix A of its manual), when the server said something.
    package var sqlState: String?
    /// The server's detail; may hold values, so it is not part of the description.
    package var detail: String?
    /// The constraint that was violated.
    package var constraint: String?
    /// The statement's text, without its values.
    package var statement: String?

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

extension PostgresError {
    /// Whether the same request can succeed later without anybody changing anything.
    package var isTransient: Bool {
        switch kind {
        case .unreachable, .connectionLost, .exhausted: true
        case .refused: sqlState.map(Self.isTransient(sqlState:)) ?? false
        case .configuration, .cancelled, .closed, .undecodable, .tooLarge, .schema: false
        }
    }

    /// Whether the statement may have taken effect although it failed.
    package var mayHaveExecuted: Bool { kind == .connectionLost(mayHaveExecuted: true) }

    package var isConnectionLost: Bool {
        if case .connectionLost = kind { true } else { false }
    }

    package var isCancelled: Bool { kind == .cancelled }
    package var isUniqueViolation: Bool { sqlState == "23505" }
    package var isForeignKeyViolation: Bool { sqlState == "23503" }
    package var isCheckViolation: Bool { sqlState == "23514" }
    package var isNotNullViolation: Bool { sqlState == "23502" }
    package var isUndefinedTable: Bool { sqlState == "42P01" }
    package var isStatementTimeout: Bool { kind == .refused && sqlState == "57014" }

    /// Connection trouble, lost races, missing resources, a lock not available, a server that starts or stops.
    private static func isTransient(sqlState: String) -> Bool {
        sqlState.hasPrefix("08") || sqlState.hasPrefix("53") || sqlState.hasPrefix("57P0")
            || ["40001", "40P01", "55P03"].contains(sqlState)
    }
}

extension PostgresError: CustomStringConvertible {
    package var description: String {
        var text = "PostgreSQL: \(message)"
        if let sqlState { text += " [\(sqlState)]" }
        if let constraint { text += ", constraint \(constraint)" }
        if mayHaveExecuted { text += " (may have taken effect)" }
        if let statement { text += " in: \(statement.prefix(200))" }
        return text
    }
}

extension PostgresError {
    static let cancelled = PostgresError(.cancelled, "cancelled")
}
