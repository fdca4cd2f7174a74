import Compression

/// A line of a journal file: CRC-32 in eight hex digits, a space, the payload.
enum JournalLine {
    private static let headByteCount = 9

    /// The line, with its end.
    static func written(_ payload: [UInt8]) -> [UInt8] {
        let digits = String(CRC32.checksum(payload), radix: 16)
        var line = [UInt8](repeating: UInt8(ascii: "0"), count: 8 - digits.utf8.count)
        line.reserveCapacity(headByteCount + payload.count + 1)
        line += digits.utf8
        line.append(UInt8(ascii: " "))
        line += payload
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// The payload of a line without its end; nil when the line is damaged.
    static func reading(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        let digits = line.prefix(headByteCount - 1)
        guard line.count > headByteCount, line[line.startIndex + headByteCount - 1] == UInt8(ascii: " "),
            let checksum = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        let payload = Array(line.dropFirst(headByteCount))
        return CRC32.checksum(payload) == checksum ? payload : nil
    }
}

/// What a file of lines holds.
struct JournalLines {
    /// By line; nil where a line is damaged.
    private(set) var payloads: [[UInt8]?] = []
    /// Where each line ends.
    private(set) var ends: [Int] = []
    /// Whether bytes follow the last whole line: a line that a crash or a full disk has cut.
    private(set) var isTorn = false

    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            payloads.append(JournalLine.reading(rest[..<end]))
            rest = rest[(end + 1)...]
            ends.append(rest.startIndex)
        }
        isTorn = !rest.isEmpty
        while let last = payloads.last, last == nil {
            payloads.removeLast()
            ends.removeLast()
            isTorn = true
        }
    }

    /// The numbers of lines that were damaged after they were written: other lines follow them.
    var damagedLines: [Int] {
        payloads.indices.filter { payloads[$0] == nil }
    }

    var wholeLines: [Int] {
        payloads.indices.filter { payloads[$0] != nil }
    }
}
