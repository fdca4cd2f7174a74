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
        for field in headers.fields where !Self.isFraming(field.name) {
            guard Self.isSendable(field),
                unsafe MHD_add_response_header(pointer, field.name, field.value) == .YES
            else {
                logger.error(
                    "Dropped an invalid response field", metadata: ["name": "\(field.name.debugDescription)"])
                continue
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
        for byte in field.value.utf8 where !isFieldByte(byte) { return false }
        return !field.name.isEmpty
    }
}
