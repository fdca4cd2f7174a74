package import HTTP

/// An object of a store, or a range of it: can be sent as a body or read piece by piece.
///
/// The bytes stay readable while it lives, also when the object is deleted.
package struct ObjectSource: Sendable {
    /// The length of the whole object, bytes.
    package let objectByteCount: UInt64
    /// The part of the object that is sent or read; it lies within the object.
    package private(set) var range: Range<UInt64>
    private let content: any ObjectContent

    /// A range of an object, cut off where the object ends; nil is all of it.
    init(_ content: any ObjectContent, byteCount: UInt64, range: Range<UInt64>? = nil) {
        self.content = content
        objectByteCount = byteCount
        self.range = (range ?? 0..<byteCount).clamped(to: 0..<byteCount)
    }

    package var byteCount: UInt64 { UInt64(range.count) }

    /// Another range of the same object; nil is all of it.
    package func with(range: Range<UInt64>?) -> ObjectSource {
        ObjectSource(content, byteCount: objectByteCount, range: range)
    }

    /// The bytes in the form that is cheapest to send: a slice of a file where there is one.
    package var body: HTTPBody { content.body(range) }

    /// Where the server keeps the answer with all of the object; nil for a range and where none is kept.
    package var kept: PreparedResponseSlot? { byteCount == objectByteCount ? content.kept : nil }

    /// Has the bytes read into memory where a disk holds them, so that sending them waits for nothing.
    package func prepare() async { await content.prepare(range) }

    /// The bytes in order, for one reader; reading begins with the first piece.
    package func stream() -> ObjectStream { ObjectStream(content.pieces(range)) }
}

/// The bytes of an object, pulled piece by piece by one reader.
package final class ObjectStream: HTTPBodySource {
    private let pieces: any ObjectPieces

    init(_ pieces: any ObjectPieces) {
        self.pieces = pieces
    }

    /// The next piece, at most `limit` bytes and at least one; nil at the end.
    package func next(limit: Int) async throws(StoreError) -> [UInt8]? {
        try await pieces.next(limit: limit)
    }
}

/// What a store does for the sources of its objects.
protocol ObjectContent: Sendable {
    func body(_ range: Range<UInt64>) -> HTTPBody
    func pieces(_ range: Range<UInt64>) -> any ObjectPieces
    func prepare(_ range: Range<UInt64>) async
    /// The place of the answer with all bytes.
    var kept: PreparedResponseSlot? { get }
}

extension ObjectContent {
    var kept: PreparedResponseSlot? { nil }

    func prepare(_ range: Range<UInt64>) async {}
}

/// What a store does for a stream.
protocol ObjectPieces: AnyObject, Sendable {
    func next(limit: Int) async throws(StoreError) -> [UInt8]?
}
