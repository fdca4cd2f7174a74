import CZlib

/// Whole buffers in gzip's form (RFC 1952).
package enum Gzip {
    /// Compresses; level 1 is fast, 9 small.
    package static func compress(_ bytes: [UInt8], level: Int = 6) throws(CompressionError) -> [UInt8] {
        var stream = try ZlibStream.open(.deflateGzip(level: Int32(clamping: min(max(level, 0), 9))))
        let output = try stream.run(bytes[...], flush: Z_FINISH, limit: .max)
        guard output.isFinished else { throw .corrupt }
        return output.bytes
    }

    /// Decompresses one member or several behind one another; what comes out is at most `limit` bytes.
    package static func decompress(_ bytes: [UInt8], limit: Int) throws(CompressionError) -> [UInt8] {
        var stream = try ZlibStream.open(.inflateGzip)
        var result: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let output = try stream.run(rest, flush: Z_NO_FLUSH, limit: limit - result.count)
            guard output.isFinished else { throw .corrupt }
            result += output.bytes
            rest = rest.suffix(output.remainingInput)
            stream.reset()
        } while !rest.isEmpty
        return result
    }
}
