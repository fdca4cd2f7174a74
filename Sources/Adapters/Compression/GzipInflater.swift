import CZlib

/// Decompresses gzip data (RFC 1952) that comes in pieces, a bounded piece at a time.
///
/// Several members are one text (RFC 1952 §2.2). What follows a member and begins otherwise is dropped. Used
/// by one task.
@safe package final class GzipInflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private var input: [UInt8] = []
    /// The library may hold more than the last piece had room for.
    private var isFull = false
    /// Whether the last member is complete.
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

    /// Whether there is a member to read: the present one, or another one after it.
    private func hasMember() throws(CompressionError) -> Bool {
        guard isComplete else { return true }
        // One byte may still become the beginning of a member.
        guard input.count > 1 else { return false }
        guard Self.begins(input), unsafe inflateReset(stream) == Z_OK else {
            input = []
            return false
        }
        isComplete = false
        return true
    }

    /// The next piece, at most `Limits.chunkByteCount` bytes; nil when more input is needed, or none.
    package func next() throws(CompressionError) -> [UInt8]? {
        while try hasMember(), !input.isEmpty || isFull {
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
