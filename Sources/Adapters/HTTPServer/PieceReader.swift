import HTTP

/// The pieces of a body, which exist as long as the library reads from them.
final class PieceReader: Sendable {
    let pieces: [SharedBytes]
    /// The offset of each piece in the body.
    private let starts: [Int]

    init(_ pieces: [SharedBytes]) {
        self.pieces = pieces
        var sum = 0
        self.starts = pieces.map { piece in
            defer { sum += piece.bytes.count }
            return sum
        }
    }

    /// Copies the bytes from `position` on until the target is full; returns their number, 0 after the last.
    func read(at position: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        guard let first = index(of: position) else { return 0 }
        var count = 0
        var offset = position - starts[first]
        for piece in pieces[first...] where count < target.count {
            let taken = min(piece.bytes.count - offset, target.count - count)
            unsafe piece.bytes.withUnsafeBytes { bytes in
                let source = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + taken)])
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[count...]).copyMemory(from: source)
            }
            count += taken
            offset = 0
        }
        return count
    }

    /// The piece that contains `position`: the last one that begins at or before it, except empty ones.
    private func index(of position: Int) -> Int? {
        var low = 0
        var high = starts.count
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= position { low = middle + 1 } else { high = middle }
        }
        guard low > 0, position - starts[low - 1] < pieces[low - 1].bytes.count else { return nil }
        return low - 1
    }
}
