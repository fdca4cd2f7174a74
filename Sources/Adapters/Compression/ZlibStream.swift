import CZlib

/// The owner of a `z_stream`, which may not move: its state points back at it.
@safe struct ZlibStream: ~Copyable {
    /// What the stream does, and how the bytes are framed.
    enum Work {
        case deflateRaw(level: Int32)
        case deflateGzip(level: Int32)
        case inflateGzip
    }

    private let stream: UnsafeMutablePointer<z_stream>
    private let isDeflating: Bool

    static func open(_ work: Work) throws(CompressionError) -> ZlibStream {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // Window bits (zlib.h): 15 is 32 kB, negative is without frame, 16 more is with gzip's.
        let (result, isDeflating) =
            switch work {
            case .deflateRaw(let level): (unsafe czlib_deflate_init(stream, level, -15), true)
            case .deflateGzip(let level): (unsafe czlib_deflate_init(stream, level, 15 + 16), true)
            case .inflateGzip: (unsafe czlib_inflate_init(stream, 15 + 16), false)
            }
        guard result == Z_OK else {
            unsafe stream.deallocate()
            throw .outOfMemory
        }
        return unsafe ZlibStream(owning: stream, isDeflating: isDeflating)
    }

    private init(owning stream: UnsafeMutablePointer<z_stream>, isDeflating: Bool) {
        unsafe self.stream = unsafe stream
        self.isDeflating = isDeflating
    }

    deinit {
        _ = unsafe isDeflating ? deflateEnd(stream) : inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// How a run over all of the input ended.
    struct Output {
        var bytes: [UInt8]
        /// Whether the stream's own end was reached.
        var isFinished: Bool
        var remainingInput: Int
    }

    /// Runs over all of the input, putting out at most `limit` bytes.
    mutating func run(_ input: ArraySlice<UInt8>, flush: Int32, limit: Int) throws(CompressionError) -> Output
    {
        guard input.count <= Limits.inputByteCount else { throw .tooLarge(limit: Limits.inputByteCount) }
        var output = [UInt8]()
        var result = Z_OK
        unsafe input.withUnsafeBufferPointer { bytes in
            unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(clamping: bytes.count)
            repeat {
                result = step(flush: flush, into: &output)
            } while unsafe result == Z_OK && stream.pointee.avail_out == 0 && output.count <= limit
        }
        let remaining = unsafe Int(stream.pointee.avail_in)
        if output.count > limit { throw .tooLarge(limit: limit) }
        // Z_BUF_ERROR: nothing more could be done, which is for the caller to judge.
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(result) else { throw .corrupt }
        return Output(bytes: output, isFinished: result == Z_STREAM_END, remainingInput: remaining)
    }

    /// Makes the stream ready for another input.
    mutating func reset() {
        _ = unsafe isDeflating ? deflateReset(stream) : inflateReset(stream)
    }

    private func step(flush: Int32, into output: inout [UInt8]) -> Int32 {
        var result = Z_OK
        let chunk = unsafe [UInt8](unsafeUninitializedCapacity: Limits.chunkByteCount) { buffer, count in
            unsafe stream.pointee.next_out = buffer.baseAddress
            unsafe stream.pointee.avail_out = UInt32(clamping: buffer.count)
            result = unsafe isDeflating ? deflate(stream, flush) : inflate(stream, flush)
            count = unsafe buffer.count - Int(stream.pointee.avail_out)
        }
        output += chunk
        return result
    }
}
