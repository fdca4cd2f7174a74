import CZlib

/// Reads gzip data (RFC 1952) that came without saying so.
package enum GzipReader {
    /// The data in plain form: decompressed once if it is one whole gzip member, else as it is.
    ///
    /// Data with more than `limit` bytes in plain form is left as it is, too.
    package static func plain(_ bytes: [UInt8], limit: Int) -> [UInt8] {
        guard bytes.starts(with: [0x1F, 0x8B]) else { return bytes }
        return (try? decompressing(bytes, limit: limit)) ?? bytes
    }

    private static func decompressing(
        _ bytes: [UInt8], limit: Int,
    ) throws(CompressionError) -> [UInt8] {
        guard bytes.count <= Limits.inputByteCount else { throw .tooLarge(limit: Limits.inputByteCount) }
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        defer { unsafe stream.deallocate() }
        // Window bits (zlib.h): 15 is 32 kB, and 16 more are for the frame of gzip.
        guard unsafe czlib_inflate_init(stream, 15 + 16) == Z_OK else { throw .outOfMemory }
        defer { _ = unsafe inflateEnd(stream) }
        var output: [UInt8] = []
        var result = Z_OK
        unsafe bytes.withUnsafeBufferPointer { input in
            unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(mutating: input.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(clamping: input.count)
            while result == Z_OK, output.count <= limit { unsafe result = step(stream, into: &output) }
        }
        guard output.count <= limit else { throw .tooLarge(limit: limit) }
        guard result == Z_STREAM_END else { throw .failed(code: result) }
        return output
    }

    private static func step(
        _ stream: UnsafeMutablePointer<z_stream>, into output: inout [UInt8],
    ) -> Int32 {
        var result = Z_OK
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Limits.chunkByteCount) { buffer in
            unsafe stream.pointee.next_out = buffer.baseAddress
            unsafe stream.pointee.avail_out = UInt32(clamping: buffer.count)
            result = unsafe inflate(stream, Z_NO_FLUSH)
            let count = unsafe buffer.count - Int(stream.pointee.avail_out)
            unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count]))
        }
        return result
    }
}
