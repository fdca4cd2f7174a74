/// Why the database did not execute a request, and whether a retry can help.
package struct PostgresError: Error, Hashable, Sendable {
    /// The category of the error, which callers act on.
    package enum Kind: Hashable, Sendable {
        /// The connection string or a bound of the pool is invalid.
        case configuration
        /// No connection could be made.
        case unreachable
        /// The connection broke; `mayHaveExecuted` when the statement may still have taken effect.
        case connectionLost(mayHaveExecuted: Bool)
        /// The server refused the statement; `sqlState` says why.
        case refused
        /// The task was cancelled.
        case cancelled
        /// No connection became free in time, or too many tasks are waiting.
        case exhausted
        /// The pool, the transaction or the session has ended.
        case closed
        /// A value does not have the requested type.
        case undecodable
        /// A bound of this module was exceeded.
        case tooLarge
        /// The schema is not the one of this program.
        case schema
    }

    package let kind: Kind
    /// What happened, in words, without values of the statement and without the password.
    package let message: String
    /// PostgreSQL's code of five characters (appendix A of its manual), when the server sent one.
    package var sqlState: String?
    /// The server's detail; may contain values, so the description does not include it.
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
    /// Whether the same request can succeed later without a change.
    package var isTransient: Bool {
        switch kind {
        case .unreachable, .connectionLost, .exhausted: true
        case .refused: sqlState.map(Self.isTransient(sqlState:)) ?? false
        case .configuration, .cancelled, .closed, .undecodable, .tooLarge, .schema: false
        }
    }

    /// Whether the server failed for a reason of its own that may be over later: a time limit, the disk, or
    /// an internal error.
    package var isServerFault: Bool {
        guard kind == .refused, let sqlState else { return false }
        return ["57014", "58", "XX"].contains { sqlState.hasPrefix($0) }
    }

    /// Whether the server refuses a value of the request, so that no later try with the same values succeeds:
    /// data exceptions, violated constraints, and values larger than PostgreSQL takes.
    ///
    /// A check that fails without a constraint is a missing partition.
    package var refusesValues: Bool {
        if kind == .tooLarge { return true }
        guard kind == .refused, let sqlState else { return false }
        if isCheckViolation, constraint == nil { return false }
        return ["22", "23", "54"].contains { sqlState.hasPrefix($0) }
    }

    /// Whether the statement may have taken effect although it failed.
    var mayHaveExecuted: Bool { kind == .connectionLost(mayHaveExecuted: true) }

    var isConnectionLost: Bool {
        if case .connectionLost = kind { true } else { false }
    }

    package var isCancelled: Bool { kind == .cancelled }
    package var isCheckViolation: Bool { sqlState == "23514" }
    var isUndefinedTable: Bool { sqlState == "42P01" }
    package var isLockNotAvailable: Bool { sqlState == "55P03" }
    /// Whether the server only reads, as a standby does: another one may be the primary now.
    var isReadOnly: Bool { sqlState == "25006" }

    /// Connection failures, lost races, missing resources, an unavailable lock, a server that starts, stops
    /// or takes no writes for now.
    private static func isTransient(sqlState: String) -> Bool {
        sqlState.hasPrefix("08") || sqlState.hasPrefix("53") || sqlState.hasPrefix("57P0")
            || ["25006", "40001", "40P01", "55P03"].contains(sqlState)
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
