import CLibpq
import Glibc

/// One request and its complete response; each call blocks the thread.
extension ConnectionHandle {
    /// Runs text of one or more statements without values and returns the last result.
    func execute(script: String, _ wait: SocketWait) throws(PostgresError) -> ResultHandle {
        if wait.isInterrupted { throw .cancelled }
        try send(unsafe PQsendQuery(pointer, script), wait)
        return try answer(wait)
    }

    /// Prepares a statement under a name.
    func prepare(
        _ name: String, _ statement: Statement, _ wait: SocketWait
    ) throws(PostgresError) {
        if wait.isInterrupted { throw .cancelled }
        let types = statement.parameters.types.map(\.rawValue)
        let count = Int32(clamping: types.count)
        try send(unsafe PQsendPrepare(pointer, name, statement.sql, count, types), wait)
        _ = try answer(wait)
    }

    /// Runs a prepared statement; values and results in binary form.
    func execute(
        prepared name: String, _ parameters: Parameters, _ wait: SocketWait
    ) throws(PostgresError) -> ResultHandle {
        if wait.isInterrupted { throw .cancelled }
        let lengths = parameters.ranges.map { Int32(clamping: $0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: parameters.count)
        let wasTaken = unsafe parameters.bytes.withUnsafeBytes { bytes in
            let values = unsafe parameters.ranges.map { place in
                unsafe place.flatMap { unsafe bytes.baseAddress?.advanced(by: $0.lowerBound) }?
                    .assumingMemoryBound(to: CChar.self)
            }
            let count = Int32(clamping: parameters.count)
            return unsafe PQsendQueryPrepared(pointer, name, count, values, lengths, formats, 1)
        }
        try send(wasTaken, wait)
        return try answer(wait)
    }

    /// Sends the request that libpq has taken, as far as its buffer still has it.
    ///
    /// A request that is sent in part can only be given up together with the connection.
    private func send(_ wasTaken: Int32, _ wait: SocketWait) throws(PostgresError) {
        guard wasTaken == 1 else { throw lost(errorMessage) }
        while case let rest = unsafe PQflush(pointer), rest != 0 {
            guard rest == 1 else { throw lost(errorMessage) }
            switch wait.untilReady(for: POLLIN | POLLOUT, on: socket) {
            // The server may wait until its own messages are read.
            case .ready: if unsafe PQconsumeInput(pointer) != 1 { throw lost(errorMessage) }
            case .interrupted: throw lost("the request was cancelled while it was sent")
            case .expired: throw lost("the server did not receive the request in time")
            }
        }
    }

    /// Reads results to the end; throws the first failure, else returns the last result.
    private func answer(_ wait: SocketWait) throws(PostgresError) -> ResultHandle {
        var failure: PostgresError?
        var answer: ResultHandle?
        var wait = wait
        while let result = try nextResult(&wait) {
            let found = self.failure(in: result)
            failure = failure ?? found
            if found?.isConnectionLost == true { break }
            answer = consume result
        }
        if let failure { throw failure }
        guard let answer else { throw lost("no answer") }
        return answer
    }

    private func nextResult(_ wait: inout SocketWait) throws(PostgresError) -> ResultHandle? {
        // After a failure to read, PQisBusy stays true and PQgetResult tells what happened.
        waiting: while unsafe PQisBusy(pointer) != 0 {
            switch wait.untilReady(for: POLLIN, on: socket) {
            case .ready: if unsafe PQconsumeInput(pointer) != 1 { break waiting }
            case .interrupted:
                // If that fails, the statement runs until its timeout.
                unsafe cancelRequests.send(over: pointer)
                wait.cancelWasSent()
            case .expired: throw lost("the server did not answer in time")
            }
        }
        guard let result = unsafe PQgetResult(pointer) else { return nil }
        return unsafe ResultHandle(owning: result)
    }
}

extension ConnectionHandle {
    /// The error of a result.
    private func failure(in result: borrowing ResultHandle) -> PostgresError? {
        switch result.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            guard result.rowCount > Limits.rows else { return nil }
            return PostgresError(.tooLarge, "more than \(Limits.rows) rows")
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            return lost("COPY is not supported")
        default:
            return failure(reportedBy: result)
        }
    }

    private func failure(reportedBy result: borrowing ResultHandle) -> PostgresError {
        let sqlState = result.errorField("C")
        if sqlState == "57014", cancelRequests.statementEnded() { return .cancelled }
        let text = (result.errorField("M") ?? errorMessage).prefix(Limits.messageByteCount)
        // The server closes the connection after a message of this severity (field V is never translated).
        let isLast = isBroken || ["FATAL", "PANIC"].contains(result.errorField("V"))
        var error = isLast ? lost(String(text)) : PostgresError(.refused, String(text))
        error.sqlState = sqlState
        error.detail = result.errorField("D")
        error.constraint = result.errorField("n")
        return error
    }

    /// The connection cannot be used further; whether the statement took effect is unknown.
    private func lost(_ message: String) -> PostgresError {
        PostgresError(.connectionLost(mayHaveExecuted: true), "the connection broke: \(message)")
    }
}
