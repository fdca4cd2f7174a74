import HTTP

/// Pieces of a body that live as long as the library reads from them.
final class PieceReader: Sendable {
    let pieces: [SharedBytes]
    /// Where each piece begins in the body.
    private let starts: [Int]

    init(_ pieces: [SharedBytes]) {
        self.pieces = pieces
        var sum = 0
        self.starts = pieces.map { piece in
            defer { sum += piece.bytes.count }
            return sum
        }
    }

    /// Copies from `position` on, at most to the end of a piece; the number of bytes, 0 behind the last one.
    func read(at position: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        guard let index = index(of: position) else { return 0 }
        let bytes = pieces[index].bytes
        let offset = position - starts[index]
        let count = min(bytes.count - offset, target.count)
        unsafe target.copyBytes(from: bytes[offset..<(offset + count)])
        return count
    }

    /// The piece that holds `position`: the last one beginning at or before it, empty ones apart.
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
