package import HTTP

/// A media file that a player can read from any offset while it is being fetched.
package struct GrowingFile: Sendable {
    let name: String
    let folder: TaskFolder
    let progress: FileProgress

    /// Waits until the source has answered; false when it does not in the time that a player waits.
    package func hasBegun() async -> Bool {
        _ = await progress.wait(within: Limits.playerWait) { $0.known != nil || $0.end != nil }
        return progress.status.known != nil
    }

    /// Nil where the source did not say it.
    package var byteCount: UInt64? { progress.status.known?.total }

    /// The bytes from a place on as they come; nil when the first one does not come.
    ///
    /// `isRead` is false for HEAD: then no byte is waited for.
    package func body(
        from offset: UInt64, count: UInt64?, isRead: Bool
    ) async -> (any HTTPBodySource)? {
        let first = Int64(clamping: offset)
        if isRead {
            guard let status = await progress.waitForByte(first), status.end != .failed else { return nil }
        }
        return FileBody(self, from: first, to: count.map { first + Int64(clamping: $0) })
    }
}
