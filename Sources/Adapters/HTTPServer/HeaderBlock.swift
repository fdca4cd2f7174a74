import CMicrohttpd
import HTTP

/// The header fields of a request, read from the library and checked against the received bytes.
///
/// The library leaves names and values where they were received, so each field has to begin two bytes (CR LF)
/// after the preceding one. Otherwise its parser missed something: a folded line, a NUL, a bare LF.
struct HeaderBlock {
    private(set) var fields = HTTPHeaders()
    private(set) var count = 0
    /// Bytes of Cookie fields, which the library copies, and the most cookies that it finds in them.
    private(set) var cookieByteCount = 0
    private(set) var cookieCount = 0
    /// Why the request is refused.
    private(set) var fault: String?
    /// The address at which the next field has to begin.
    private(set) var next: UInt

    /// Reads all fields of a request, the first of which begins at `start`.
    static func reading(_ connection: ConnectionHandle, from start: UInt) -> HeaderBlock {
        var block = HeaderBlock(next: start)
        unsafe withUnsafeMutablePointer(to: &block) { context in
            _ = unsafe MHD_get_connection_values_n(
                connection.pointer, MHD_ValueKind.HEADER_KIND, takeField, UnsafeMutableRawPointer(context))
        }
        return block
    }

    private init(next: UInt) {
        self.next = next
    }

    mutating func take(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
        guard unsafe !name.isEmpty, unsafe name.allSatisfy({ isTokenByte($0) }) else {
            return refuse("a field name is not a token")
        }
        guard UInt(bitPattern: name.baseAddress) == next, unsafe isDirectlyAfter(name, value) else {
            return refuse("the header has a folded or hidden line")
        }
        guard unsafe value.allSatisfy({ isFieldByte($0) }) else {
            return refuse("a field value has a control character")
        }
        let text = unsafe String(decoding: trimmed(value), as: UTF8.self)
        let title = unsafe String(decoding: name, as: UTF8.self)
        fields.append(title, text)
        count += 1
        if title.utf8.count == 6, title.lowercased() == "cookie" {
            cookieByteCount += value.count + 1
            cookieCount += unsafe value.count { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") } + 1
        }
        next = UInt(bitPattern: value.baseAddress) + UInt(value.count) + 2
        return true
    }

    private mutating func refuse(_ reason: String) -> Bool {
        fault = reason
        return false
    }

    /// Whether only the colon and blanks are between a name and its value.
    private func isDirectlyAfter(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
        let afterColon = UInt(bitPattern: name.baseAddress) + UInt(name.count) + 1
        let start = UInt(bitPattern: value.baseAddress)
        guard start >= afterColon, start - afterColon < 65_536 else { return false }
        guard let base = name.baseAddress else { return false }
        let blanks = unsafe UnsafeRawBufferPointer(
            start: base + name.count + 1, count: Int(start - afterColon))
        return unsafe blanks.allSatisfy { $0 == 0x20 || $0 == 0x09 }
    }

    private func trimmed(_ value: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        var slice = unsafe value[...]
        while let last = unsafe slice.last, last == 0x20 || last == 0x09 { unsafe slice.removeLast() }
        return unsafe slice
    }
}

/// A byte of a token (RFC 9110 §5.6.2).
func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    default: false
    }
}

/// A byte of a field value: no control character except the tab (RFC 9110 §5.5).
func isFieldByte(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F || byte == 0x09
}

/// The library's callback for each field; `context` is the block that is being read.
private func takeField(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
    _ nameSize: Int,
    _ value: UnsafePointer<CChar>?, _ valueSize: Int,
) -> MHD_Result {
    guard let block = unsafe context?.assumingMemoryBound(to: HeaderBlock.self) else { return .NO }
    let isTaken = unsafe block.pointee.take(
        name: UnsafeRawBufferPointer(start: name, count: nameSize),
        value: UnsafeRawBufferPointer(start: value, count: valueSize))
    return isTaken ? .YES : .NO
}
