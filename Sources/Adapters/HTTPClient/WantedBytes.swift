/// The part of a body that is wanted, cut out of the chunks in which the body arrives.
package struct WantedBytes: Sendable, Equatable {
    private var skip: UInt64
    /// Bytes that have not come yet; nil: everything to the end of the body.
    package private(set) var left: UInt64?

    /// Wants `count` bytes after the first `skip` bytes; nil wants everything to the end.
    package init(skipping skip: UInt64 = 0, count: UInt64? = nil) {
        self.skip = skip
        left = count
    }

    /// Whether everything has come before the body ends.
    package var isComplete: Bool { left == 0 }

    /// What is wanted of the next chunk; may be empty.
    package mutating func take(_ chunk: [UInt8]) -> [UInt8] {
        let dropped = min(skip, UInt64(chunk.count))
        skip -= dropped
        let kept = min(UInt64(chunk.count) - dropped, left ?? .max)
        if let wanted = left { left = wanted - kept }
        if kept == UInt64(chunk.count) { return chunk }
        return Array(chunk[Int(dropped)..<Int(dropped + kept)])
    }
}
