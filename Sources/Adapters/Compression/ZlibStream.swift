import CZlib
import Synchronization

/// The owner of a `z_stream`, which must not move because its state refers to it.
///
/// Unchecked because one caller at a time uses it: the one that took it from `ZlibStreams`.
@safe final class ZlibStream: @unchecked Sendable {
    /// What a stream is opened for.
    struct Kind: Equatable {
        var level: Int32
        /// For inputs that its window of 4 kB can hold: its tables are cleared for each input.
        var isSmall: Bool

        init(level: Int32, byteCount: Int) {
            self.level = level
            isSmall = byteCount <= Limits.smallInputByteCount
        }
    }

    let kind: Kind
    private let stream: UnsafeMutablePointer<z_stream>

    /// Opens a stream that compresses to raw deflate (RFC 1951).
    init(_ kind: Kind) throws(CompressionError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        self.kind = kind
        unsafe self.stream = unsafe stream
        // Window bits (zlib.h): 15 is 32 kB, a negative value is without a frame.
        let (bits, memory): (Int32, Int32) = kind.isSmall ? (-12, 4) : (-15, 8)
        guard unsafe czlib_deflate_init(stream, kind.level, bits, memory) == Z_OK else {
            throw .outOfMemory
        }
    }

    deinit {
        _ = unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Compresses one whole input and flushes it.
    ///
    /// The output ends on a byte and does not refer to earlier inputs.
    func flush(_ input: [UInt8]) throws(CompressionError) -> [UInt8] {
        guard input.count <= Limits.inputByteCount else { throw .tooLarge(limit: Limits.inputByteCount) }
        var output: [UInt8] = []
        var result = unsafe deflateReset(stream)
        unsafe input.withUnsafeBufferPointer { bytes in
            unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(clamping: bytes.count)
            var room = unsafe Int(deflateBound(stream, UInt(bytes.count))) + Limits.flushByteCount
            repeat {
                result = step(into: &output, room: room)
                room = Limits.chunkByteCount
            } while unsafe result == Z_OK && stream.pointee.avail_out == 0
        }
        // Z_BUF_ERROR: everything was written before the last call.
        guard result == Z_OK || result == Z_BUF_ERROR, unsafe stream.pointee.avail_in == 0 else {
            throw .failed(code: result)
        }
        return output
    }

    private func step(into output: inout [UInt8], room: Int) -> Int32 {
        unsafe ZlibOutput.append(to: &output, room: room, of: stream) { unsafe deflate($0, Z_FULL_FLUSH) }
    }
}

enum ZlibOutput {
    /// Appends what one call of the library writes, at most `room` bytes; gives the result of the call.
    static func append(
        to output: inout [UInt8], room: Int, of stream: UnsafeMutablePointer<z_stream>,
        _ call: (UnsafeMutablePointer<z_stream>) -> Int32,
    ) -> Int32 {
        var result = Z_OK
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { buffer in
            unsafe stream.pointee.next_out = buffer.baseAddress
            unsafe stream.pointee.avail_out = UInt32(clamping: buffer.count)
            result = unsafe call(stream)
            let count = unsafe buffer.count - Int(stream.pointee.avail_out)
            unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count]))
        }
        return result
    }
}

/// Open streams that are not in use: opening one allocates and clears a quarter of a megabyte.
enum ZlibStreams {
    private static let idle = Mutex<[ZlibStream]>([])

    /// Runs a body with a stream that no other caller uses meanwhile.
    static func withStream<Value>(
        _ kind: ZlibStream.Kind, _ body: (ZlibStream) throws(CompressionError) -> Value,
    ) throws(CompressionError) -> Value {
        let known = idle.withLock { idle -> ZlibStream? in
            idle.lastIndex { $0.kind == kind }.map { idle.remove(at: $0) }
        }
        let stream: ZlibStream
        if let known { stream = known } else { stream = try ZlibStream(kind) }
        defer {
            idle.withLock { if $0.count < Limits.idleStreams { $0.append(stream) } }
        }
        return try body(stream)
    }
}
