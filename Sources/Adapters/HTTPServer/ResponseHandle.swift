import CMicrohttpd
import HTTP
import Logging

/// An answer of the library; `deinit` ends this owner's reference, the library keeps its own.
@safe struct ResponseHandle: ~Copyable {
    private let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit { unsafe MHD_destroy_response(pointer) }

    /// Adds the fields that may be sent.
    ///
    /// The library writes the framing fields; a field that could end a line is dropped and logged.
    func add(_ headers: HTTPHeaders, logger: Logger) {
        let all = headers.fields
        // A span does not copy the fields.
        let fields = all.span
        for index in fields.indices where !Self.isFraming(fields[index].name) {
            guard Self.isSendable(fields[index]), add(fields[index]) else {
                let name = fields[index].name.debugDescription
                logger.error("Dropped an invalid response field", metadata: ["name": "\(name)"])
                continue
            }
        }
    }

    /// Passes the texts as they are in memory; as arguments they would be copied first.
    private func add(_ field: HTTPHeaders.Field) -> Bool {
        unsafe field.name.withCString { name in
            unsafe field.value.withCString { value in
                unsafe MHD_add_response_header(pointer, name, value) == .YES
            }
        }
    }

    /// Closes the connection after this answer.
    func closeConnection() {
        unsafe MHD_add_response_header(pointer, "Connection", "close")
    }

    func queue(on connection: ConnectionHandle, status: HTTPStatus) -> Bool {
        guard let code = UInt32(exactly: status.rawValue) else { return false }
        return unsafe MHD_queue_response(connection.pointer, code, pointer) == .YES
    }

    private static func isFraming(_ name: String) -> Bool {
        let count = name.utf8.count
        guard count == 14 || count == 17 else { return false }
        let lowered = name.lowercased()
        return lowered == "content-length" || lowered == "transfer-encoding"
    }

    private static func isSendable(_ field: HTTPHeaders.Field) -> Bool {
        // Loops are compiled for the text, which `allSatisfy` with a function is not.
        for byte in field.name.utf8 where !isTokenByte(byte) { return false }
        // All bytes of the value are checked, without an early exit, so that the processor handles many at a
        // time.
        let bytes = field.value.utf8Span.span
        var isValid = true
        for index in bytes.indices { isValid = isFieldByte(bytes[index]) && isValid }
        return !field.name.isEmpty && isValid
    }
}
