import HTTP
import Synchronization

/// Bytes in memory as an object.
struct MemoryContent: ObjectContent {
    let bytes: [UInt8]

    func body(_ range: Range<UInt64>) -> HTTPBody {
        .bytes(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    }

    func pieces(_ range: Range<UInt64>) -> any ObjectPieces {
        MemoryPieces(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }
}

/// Bytes in memory, given out piece by piece.
final class MemoryPieces: ObjectPieces {
    private let rest: Mutex<ArraySlice<UInt8>>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = Mutex(bytes)
    }

    func next(limit: Int) throws(StoreError) -> [UInt8]? {
        let piece = rest.withLock { rest in
            let piece = Array(rest.prefix(limit))
            rest = rest.dropFirst(limit)
            return piece
        }
        return piece.isEmpty ? nil : piece
    }
}
