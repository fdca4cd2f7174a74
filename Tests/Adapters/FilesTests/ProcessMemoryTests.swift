import Foundation
import Testing

@testable import Files

@Suite("Memory of the process", .serialized)
struct ProcessMemoryTests {
    @Test("What is free goes back to the system, also between parts that are used")
    func givenBack() throws {
        // As small as parts of a body are: the C library returns larger ones at once.
        var parts: [[UInt8]?] = (0..<1_000).map { _ in [UInt8](repeating: 1, count: 96 << 10) }
        for index in parts.indices where !index.isMultiple(of: 100) { parts[index] = nil }
        let before = try Self.residentBytes()
        ProcessMemory.returnFreeMemory()
        let after = try Self.residentBytes()
        #expect(before - after > 64 << 20, "\(before) bytes before, \(after) after")
        #expect(parts.compactMap(\.self).count == 10)
    }

    @Test("Large pieces one after the other need no new memory of the system")
    func kept() {
        ProcessMemory.keepFreeMemory()
        var sum = 0
        let before = Self.pageFaults()
        for round in 0..<200 { sum += [UInt8](repeating: UInt8(round), count: 1 << 20).count }
        let after = Self.pageFaults()
        #expect(sum == 200 << 20)
        // Each piece has 256 pages.
        #expect(after - before < 200 * 256 / 4, "\(after - before) page faults")
    }

    private static func pageFaults() -> Int {
        var usage = rusage()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        return usage.ru_minflt
    }

    private static func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return pages * Int(getpagesize())
    }
}
