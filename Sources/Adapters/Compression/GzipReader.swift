import CZlib

/// Reads gzip data (RFC 1952) that came without saying so.
package enum GzipReader {
    /// The first two bytes of a member.
    private static let signature: [UInt8] = [0x1F, 0x8B]

    /// The data in plain form: decompressed once if it is whole gzip members, else as it is.
    ///
    /// Several members are one text (RFC 1952 §2.2). What follows the last one and is no member is ignored,
    /// as gzip ignores padding. Data with more than `limit` bytes in plain form is left as it is, too.
    package static func plain(_ bytes: [UInt8], limit: Int) -> [UInt8] {
        guard bytes.starts(with: signature) else { return bytes }
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
            while result == Z_OK, output.count <= limit {
                result = unsafe ZlibOutput.append(to: &output, room: Limits.chunkByteCount, of: stream) {
                    unsafe inflate($0, Z_NO_FLUSH)
                }
                let rest = unsafe input.suffix(Int(stream.pointee.avail_in))
                if result == Z_STREAM_END, unsafe rest.starts(with: signature) {
                    result = unsafe inflateReset(stream)
                }
            }
        }
        guard output.count <= limit else { throw .tooLarge(limit: limit) }
        guard result == Z_STREAM_END else { throw .failed(code: result) }
        return output
    }
}
