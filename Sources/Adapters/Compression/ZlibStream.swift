import CZlib

/// The owner of a `z_stream`, which must not move because its state refers to it.
@safe struct ZlibStream: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>

    /// Opens a stream that compresses to raw deflate (RFC 1951).
    static func open(level: Int32) throws(CompressionError) -> ZlibStream {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // Window bits (zlib.h): 15 is 32 kB, a negative value is without a frame.
        let result = unsafe czlib_deflate_init(stream, level, -15)
        guard result == Z_OK else {
            unsafe stream.deallocate()
            throw .outOfMemory
        }
        return unsafe ZlibStream(owning: stream)
    }

    private init(owning stream: UnsafeMutablePointer<z_stream>) {
        unsafe self.stream = unsafe stream
    }

    deinit {
        _ = unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Compresses the whole input and flushes it, so that the output ends on a byte and nothing refers back
    /// to it.
    mutating func flush(_ input: [UInt8]) throws(CompressionError) -> [UInt8] {
        guard input.count <= Limits.inputByteCount else { throw .tooLarge(limit: Limits.inputByteCount) }
        var output: [UInt8] = []
        var result = Z_OK
        unsafe input.withUnsafeBufferPointer { bytes in
            unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(clamping: bytes.count)
            repeat {
                result = step(into: &output)
            } while unsafe result == Z_OK && stream.pointee.avail_out == 0
        }
        // Z_BUF_ERROR: everything was written before the last call.
        guard result == Z_OK || result == Z_BUF_ERROR, unsafe stream.pointee.avail_in == 0 else {
            throw .failed(code: result)
        }
        return output
    }

    private func step(into output: inout [UInt8]) -> Int32 {
        var result = Z_OK
        let chunk = unsafe [UInt8](unsafeUninitializedCapacity: Limits.chunkByteCount) { buffer, count in
            unsafe stream.pointee.next_out = buffer.baseAddress
            unsafe stream.pointee.avail_out = UInt32(clamping: buffer.count)
            result = unsafe deflate(stream, Z_FULL_FLUSH)
            count = unsafe buffer.count - Int(stream.pointee.avail_out)
        }
        output += chunk
        return result
    }
}
