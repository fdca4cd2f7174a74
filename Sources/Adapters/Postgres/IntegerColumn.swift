/// A column of integers that is read in place: the type is checked once, nothing is allocated.
package struct IntegerColumn: Sendable {
    private let storage: ResultStorage
    private let column: Int

    fileprivate init(_ storage: ResultStorage, _ column: Int) throws(PostgresError) {
        let type = storage.result.type(ofColumn: column)
        guard [.int2, .int4, .int8].contains(type) else {
            throw storage.error(decoding: column, as: Int64.self, isNull: false)
        }
        self.storage = storage
        self.column = column
    }

    /// The value in a row; nil for NULL.
    ///
    /// The row must exist.
    @inline(__always)
    package subscript(row: Int) -> Int64? {
        storage.result.withValue(row: row, column: column) { $0?.bigEndianInteger }
    }

    /// The value in a row, or the default for NULL.
    @inline(__always)
    package subscript(row: Int, default value: Int64) -> Int64 {
        storage.result.withValue(row: row, column: column) { $0?.bigEndianInteger ?? value }
    }
}

/// A column of bytes (`bytea`) that is read in place.
package struct ByteColumn: Sendable {
    private let storage: ResultStorage
    private let column: Int

    fileprivate init(_ storage: ResultStorage, _ column: Int) throws(PostgresError) {
        guard storage.result.type(ofColumn: column) == .bytea else {
            throw storage.error(decoding: column, as: [UInt8].self, isNull: false)
        }
        self.storage = storage
        self.column = column
    }

    /// A copy of the value; nil for NULL.
    package subscript(row: Int) -> [UInt8]? {
        storage.result.withValue(row: row, column: column) { bytes in
            guard let bytes else { return nil }
            return UInt8.decode(array: bytes, of: .bytea)
        }
    }

    /// Reads the value without copying it; nil for NULL.
    func withValue<Value>(row: Int, _ body: (Span<UInt8>?) -> Value) -> Value {
        storage.result.withValue(row: row, column: column, body)
    }
}

extension Rows {
    /// A column of smallint, integer or bigint, for scans of many rows.
    package func integers(_ name: String) throws(PostgresError) -> IntegerColumn {
        try IntegerColumn(storage, storage.column(named: name))
    }

    /// A column of bytea, for scans of many rows.
    package func bytes(_ name: String) throws(PostgresError) -> ByteColumn {
        try ByteColumn(storage, storage.column(named: name))
    }
}
