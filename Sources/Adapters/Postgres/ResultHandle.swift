import CLibpq

/// The owner of a `PGresult`.
///
/// libpq never changes a result once it is handed out (manual, 34.20), so it may be read on any thread.
@safe struct ResultHandle: ~Copyable, @unchecked Sendable {
    private let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        unsafe PQclear(pointer)
    }

    var status: ExecStatusType { unsafe PQresultStatus(pointer) }
    var rowCount: Int { unsafe Int(PQntuples(pointer)) }
    var columnCount: Int { unsafe Int(PQnfields(pointer)) }
    var commandTag: String { unsafe String(cString: PQcmdStatus(pointer)) }
    var affectedRows: Int { unsafe Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

    /// The number of a column; names are folded to lower case as SQL does, unless in quotation marks.
    func column(named name: String) -> Int? {
        let number = unsafe PQfnumber(pointer, name)
        return number < 0 ? nil : Int(number)
    }

    func name(ofColumn column: Int) -> String {
        unsafe PQfname(pointer, Int32(clamping: column)).map { unsafe String(cString: $0) } ?? "\(column)"
    }

    func type(ofColumn column: Int) -> PostgresType {
        unsafe PostgresType(rawValue: PQftype(pointer, Int32(clamping: column)))
    }

    /// Reads a value in place; nil for NULL.
    ///
    /// Row and column must exist: libpq answers NULL for others.
    @inline(__always)
    func withValue<Value>(row: Int, column: Int, _ body: (Span<UInt8>?) -> Value) -> Value {
        let (row, column) = (Int32(clamping: row), Int32(clamping: column))
        guard unsafe PQgetisnull(pointer, row, column) == 0,
            let start = unsafe PQgetvalue(pointer, row, column)
        else { return body(nil) }
        let count = unsafe Int(PQgetlength(pointer, row, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return unsafe body(Span<UInt8>(_bytes: bytes.bytes))
    }

    /// A field of the server's error (manual, 34.3.1, `PQresultErrorField`).
    func errorField(_ code: UnicodeScalar) -> String? {
        unsafe PQresultErrorField(pointer, Int32(code.value)).map { unsafe String(cString: $0) }
    }
}
