/// The rows of a result, in the received form.
package struct Rows: Sendable {
    let storage: ResultStorage

    init(_ result: consuming ResultHandle) {
        storage = ResultStorage(result)
    }

    package var count: Int { storage.rowCount }
    package var isEmpty: Bool { count == 0 }
    package var first: Row? { isEmpty ? nil : self[0] }

    /// Rows inserted, updated, deleted or selected, from the command tag; 0 for other commands.
    package var affectedRows: Int { storage.result.affectedRows }

    var commandTag: String { storage.result.commandTag }

    /// The row at a position below `count`.
    package subscript(position: Int) -> Row {
        precondition(position >= 0 && position < count, "there is no row \(position) of \(count)")
        return Row(storage: storage, position: position)
    }
}

extension Rows: Sequence {
    /// Iterates over the rows.
    package struct Iterator: IteratorProtocol {
        fileprivate let rows: Rows
        fileprivate var position = 0

        package mutating func next() -> Row? {
            guard position < rows.count else { return nil }
            defer { position += 1 }
            return rows[position]
        }
    }

    package func makeIterator() -> Iterator { Iterator(rows: self) }
    package var underestimatedCount: Int { count }
}

/// Shares the owner of a result between rows and columns.
final class ResultStorage: Sendable {
    let result: ResultHandle
    let rowCount: Int

    init(_ result: consuming ResultHandle) {
        rowCount = result.rowCount
        self.result = result
    }

    func column(named name: String) throws(PostgresError) -> Int {
        guard let column = result.column(named: name) else {
            throw PostgresError(.undecodable, "the result has no column \(name)")
        }
        return column
    }

    func error(decoding column: Int, as type: Any.Type, isNull: Bool) -> PostgresError {
        guard column >= 0 && column < result.columnCount else {
            return PostgresError(.undecodable, "the result has no column \(column)")
        }
        let found = isNull ? "NULL" : "a value of type \(result.type(ofColumn: column).rawValue)"
        return PostgresError(
            .undecodable, "column \(result.name(ofColumn: column)) holds \(found), not \(type)")
    }
}
