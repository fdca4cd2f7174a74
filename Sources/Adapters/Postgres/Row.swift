/// One row of a result.
package struct Row: Sendable {
    let storage: ResultStorage
    let position: Int

    /// Reads a column by its number, from 0.
    package func decode<T: PostgresDecodable>(_ column: Int, as type: T.Type = T.self) throws(PostgresError)
        -> T
    {
        let (value, isNull) = storage.result.withValue(row: position, column: column) { bytes -> (T?, Bool) in
            guard let bytes else { return (T.null, true) }
            return (T.decode(bytes, of: storage.result.type(ofColumn: column)), false)
        }
        guard let value, column >= 0, column < storage.result.columnCount else {
            throw storage.error(decoding: column, as: type, isNull: isNull)
        }
        return value
    }

    /// Reads a column by its name.
    package func decode<T: PostgresDecodable>(_ name: String, as type: T.Type = T.self) throws(PostgresError)
        -> T
    {
        try decode(storage.column(named: name), as: type)
    }

    package subscript<T: PostgresDecodable>(name: String) -> T {
        get throws(PostgresError) { try decode(name) }
    }

    package subscript<T: PostgresDecodable>(column: Int) -> T {
        get throws(PostgresError) { try decode(column) }
    }
}
