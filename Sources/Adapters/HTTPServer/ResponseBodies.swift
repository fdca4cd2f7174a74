import CMicrohttpd
import Glibc
import HTTP

// Each form of body as an answer of the library. Whatever the library keeps is retained here and released in
// the callback named beside it.
extension ResponseHandle {
    /// Creates the answer; nil without memory or descriptors.
    ///
    /// A vector of pieces may use `memoryLeft` bytes.
    static func make(_ body: OutgoingBody, memoryLeft: Int, for exchange: Exchange) -> ResponseHandle? {
        switch body {
        case .bytes(let bytes): made(of: bytes)
        case .pieces(let pieces, let byteCount): made(of: pieces, byteCount, memoryLeft: memoryLeft)
        case .file(let slice): slice.byteCount < Limits.sendfileThreshold ? read(slice) : sent(slice)
        case .stream(let source, let length):
            streamed(StreamBody(source, length: length, for: exchange), length: length)
        case .announced(let length): withoutBody(length: length)
        case .unannounced: withoutBody(length: nil)
        }
    }

    /// Creates an answer that many connections may send at once; nil for content of other kinds.
    ///
    /// What the library reads while it sends is never shared: when a read fails, it shortens the answer to
    /// what it has sent, for all connections that have it.
    static func kept(_ body: OutgoingBody) -> ResponseHandle? {
        switch body {
        case .bytes(let bytes): made(of: bytes)
        case .file(let slice): slice.byteCount <= Limits.copiedBodyBytes ? read(slice) : nil
        case .announced(let length): withoutBody(length: length)
        case .pieces, .stream, .unannounced: nil
        }
    }

    private static func made(of bytes: [UInt8]) -> ResponseHandle? {
        bytes.count <= Limits.copiedBodyBytes ? copied(bytes) : shared(SharedBytes(bytes))
    }

    private static func copied(_ bytes: [UInt8]) -> ResponseHandle? {
        let response = unsafe bytes.withUnsafeBytes { buffer in
            // The library only reads what it copies.
            let start = unsafe UnsafeMutableRawPointer(mutating: buffer.baseAddress)
            return unsafe MHD_create_response_from_buffer(buffer.count, start, .RESPMEM_MUST_COPY)
        }
        return unsafe owning(response)
    }

    /// The elements of an array are in its own heap object.
    ///
    /// They do not move while the owner exists, because a `SharedBytes` is immutable.
    private static func shared(_ owner: SharedBytes) -> ResponseHandle? {
        let start = unsafe owner.bytes.withUnsafeBytes {
            unsafe UnsafeMutableRawPointer(mutating: $0.baseAddress)
        }
        let context = unsafe Unmanaged.passRetained(owner).toOpaque()
        let response = unsafe MHD_create_response_from_buffer_with_free_callback_cls(
            owner.bytes.count, start, releaseBytes, context)
        if unsafe response == nil { unsafe releaseBytes(context) }
        return unsafe owning(response)
    }

    private static func made(of pieces: [SharedBytes], _ byteCount: Int, memoryLeft: Int) -> ResponseHandle? {
        let vectorSize = unsafe pieces.count * MemoryLayout<MHD_IoVec>.stride
        if pieces.count > Limits.vectoredPieces || vectorSize > memoryLeft {
            return readSequentially(PieceReader(pieces), byteCount: byteCount)
        }
        return vectored(PieceReader(pieces))
    }

    private static func vectored(_ owner: PieceReader) -> ResponseHandle? {
        let vector = unsafe owner.pieces.map { piece in
            unsafe piece.bytes.withUnsafeBytes {
                unsafe MHD_IoVec(iov_base: $0.baseAddress, iov_len: $0.count)
            }
        }
        let context = unsafe Unmanaged.passRetained(owner).toOpaque()
        let response = unsafe vector.withUnsafeBufferPointer {
            unsafe MHD_create_response_from_iovec($0.baseAddress, UInt32($0.count), releasePieces, context)
        }
        if unsafe response == nil { unsafe releasePieces(context) }
        return unsafe owning(response)
    }

    private static func readSequentially(_ owner: PieceReader, byteCount: Int) -> ResponseHandle? {
        let context = unsafe Unmanaged.passRetained(owner).toOpaque()
        let response = unsafe MHD_create_response_from_callback(
            UInt64(byteCount), Limits.readerBlockBytes, readPieces, context, releasePieces)
        if unsafe response == nil { unsafe releasePieces(context) }
        return unsafe owning(response)
    }

    private static func streamed(_ owner: StreamBody, length: UInt64?) -> ResponseHandle? {
        let context = unsafe Unmanaged.passRetained(owner).toOpaque()
        let response = unsafe MHD_create_response_from_callback(
            length ?? unknownLength, Limits.readerBlockBytes, readStream, context, releaseStream)
        if unsafe response == nil { unsafe releaseStream(context) }
        return unsafe owning(response)
    }

    /// The kernel sends a large range from a descriptor of its own, because the library closes the one it
    /// gets.
    private static func sent(_ slice: FileSlice) -> ResponseHandle? {
        guard isWithin(slice) else { return nil }
        let descriptor = fcntl(slice.file.descriptor, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { return nil }
        let response = unsafe MHD_create_response_from_fd_at_offset64(
            slice.byteCount, descriptor, slice.offset)
        if unsafe response == nil { close(descriptor) }
        return unsafe owning(response)
    }

    /// A small range is read here, usually from the page cache, and sent in one packet with its header.
    private static func read(_ slice: FileSlice) -> ResponseHandle? {
        let count = Int(slice.byteCount)
        guard isWithin(slice), let bytes = try? slice.file.read(at: slice.offset, upTo: count),
            bytes.count == count
        else { return nil }
        return made(of: bytes)
    }

    /// A range beyond the file would make the client wait for bytes that never come.
    private static func isWithin(_ slice: FileSlice) -> Bool {
        let (end, overflow) = slice.offset.addingReportingOverflow(slice.byteCount)
        return !overflow && end <= slice.file.byteCount && end <= UInt64(Int64.max)
    }

    private static func withoutBody(length: UInt64?) -> ResponseHandle? {
        let response = unsafe MHD_create_response_from_callback(
            length ?? unknownLength, 1, readNothing, nil, nil)
        if unsafe response != nil, length == nil {
            unsafe backcast_response_close_framed(response)
        }
        return unsafe owning(response)
    }

    /// The library's value for an unknown length.
    private static let unknownLength = UInt64.max

    private static func owning(_ pointer: OpaquePointer?) -> ResponseHandle? {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe ResponseHandle(owning: pointer)
    }
}
