import Foundation
import TestSupport

/// How a segment of fMP4 is not whole.
enum CutFragment: CaseIterable {
    case inMedia
    case inHeaderOfMedia
    case inDescription
    case open

    func applied(to bytes: [UInt8]) throws -> [UInt8] {
        let start = try place(of: "mdat", in: bytes)
        switch self {
        case .inMedia: return Array(bytes.prefix((start + bytes.count) / 2))
        case .inHeaderOfMedia: return Array(bytes.prefix(start + 5))
        case .inDescription: return Array(bytes.prefix(try place(of: "moof", in: bytes) + 60))
        case .open:
            var bytes = bytes
            bytes.replaceSubrange(start..<(start + 4), with: [0, 0, 0, 0])
            return bytes
        }
    }

    /// Where a box begins.
    private func place(of type: String, in bytes: [UInt8]) throws -> Int {
        guard let name = Data(bytes).firstRange(of: Data(type.utf8)) else { throw TestFailure("no \(type)") }
        return name.lowerBound - 4
    }
}
