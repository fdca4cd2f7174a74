import CZlib

/// Decompresses one gzip member (RFC 1952) that comes in pieces, a bounded piece at a time.
///
/// Used by one task.
@safe package final class GzipInflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private var input: [UInt8] = []
    /// The library may hold more than the last piece had room for.
    private var isFull = false
    /// Whether the member is complete; what follows it is dropped.
    package private(set) var isComplete = false

    package init() throws(CompressionError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe self.stream = unsafe stream
        // Window bits (zlib.h): 15 is 32 kB, and 16 more are for the frame of gzip.
        guard unsafe czlib_inflate_init(stream, 15 + 16) == Z_OK else { throw .outOfMemory }
    }

    deinit {
        _ = unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Whether bytes begin as gzip data does.
    package static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

    /// Takes the next bytes, once `next` has given all of those before.
    package func put(_ bytes: [UInt8]) {
        input += bytes
    }

    /// The next piece, at most `Limits.chunkByteCount` bytes; nil when more input is needed, or none.
    package func next() throws(CompressionError) -> [UInt8]? {
        while !isComplete, !input.isEmpty || isFull {
            var output: [UInt8] = []
            var result = Z_OK
            unsafe input.withUnsafeBufferPointer { bytes in
                unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(clamping: bytes.count)
                result = unsafe ZlibOutput.append(to: &output, room: Limits.chunkByteCount, of: stream) {
                    unsafe inflate($0, Z_NO_FLUSH)
                }
            }
            input.removeFirst(unsafe input.count - Int(stream.pointee.avail_in))
            isFull = output.count == Limits.chunkByteCount
            isComplete = result == Z_STREAM_END
            // Z_BUF_ERROR: there was nothing more to write.
            guard isComplete || result == Z_OK || result == Z_BUF_ERROR else { throw .failed(code: result) }
            if !output.isEmpty { return output }
            if result == Z_BUF_ERROR { return nil }
        }
        return nil
    }
}
