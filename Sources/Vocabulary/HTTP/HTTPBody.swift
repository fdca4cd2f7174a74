/// The content of a response.
package enum HTTPBody: Sendable {
    case empty
    case bytes([UInt8])
    /// Pieces that are sent one after the other without being joined; answers may share them.
    case pieces([SharedBytes])
    /// A range of an open file, sent by the kernel.
    case file(FileSlice)
    /// Bytes that are produced while they are sent; chunked when the length is unknown.
    case stream(length: UInt64?, any HTTPBodySource)
}

/// Immutable bytes that are shared by reference: a block of a playlist is part of many answers at once.
package final class SharedBytes: Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// The owner of an open file; the descriptor stays open as long as the owner exists.
package protocol OpenFile: AnyObject, Sendable {
    var descriptor: Int32 { get }
    /// Length of the file in bytes when it was opened.
    var byteCount: UInt64 { get }
    /// The bytes from an offset on, fewer than asked for only where the file ends.
    func read(at offset: UInt64, upTo count: Int) throws -> [UInt8]
}

/// A range of bytes of an open file.
package struct FileSlice: Sendable {
    package var file: any OpenFile
    package var offset: UInt64
    package var byteCount: UInt64

    package init(file: any OpenFile, offset: UInt64, byteCount: UInt64) {
        self.file = file
        self.offset = offset
        self.byteCount = byteCount
    }
}

/// A body that one reader pulls piece by piece, in order.
package protocol HTTPBodySource: AnyObject, Sendable {
    /// The next piece, at most `limit` bytes; nil at the end. May wait. A thrown error closes the connection,
    /// so that the client sees an incomplete body.
    ///
    /// A piece without bytes says that nothing has come yet: the reader asks again, and does not count the
    /// time before it as waiting.
    func next(limit: Int) async throws -> [UInt8]?
}
