import Glibc
import Testing

@testable import Telemetry

@Suite("The output of log lines")
struct LogOutputTests {
    @Test("Nothing waits for a descriptor that takes no more, and lost lines are reported")
    func blocked() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let output = LogOutput(descriptor: ends[1])
        let line = String(repeating: "x", count: 1023)
        // More than the pipe, the lines that are being written and those that wait can take. A write that
        // waits for the reader would never return.
        let count = 3 * Limits.waitingLogBytes / 1024
        let reader = PipeReader(ends[0])
        for number in 0..<count {
            output.write(line: line) { "lost \($0)" }
            // From here on the writing thread has more than the pipe takes, beside the lines that wait. A
            // pipe is full with less than it has room for where writes do not fill its pages.
            if number == 128 { try #require(reader.waits(for: 32 << 10)) }
        }

        // What is written at one time has at most this many bytes, so the byte behind it comes from the lines
        // that waited: none wait any more.
        reader.skip(atLeast: Limits.waitingLogBytes + 1)
        output.write(line: "after") { "lost \($0)" }
        let text = reader.text(upTo: "after\n")
        close(ends[1])
        close(ends[0])
        let lost = try #require(text.firstMatch(of: /(?m)^lost (\d+)$/)?.1)
        let written = reader.lineCount(of: line)
        #expect(Int(lost).map { $0 + written } == count)
    }

    @Test("A line waits for a full descriptor that does not block, too")
    func nonBlocking() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try #require(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
        let filler = [UInt8](repeating: 0x2E, count: 4096)
        var filled = 0
        while case let count = write(ends[1], filler, filler.count), count > 0 { filled += count }
        let output = LogOutput(descriptor: ends[1])
        output.write(line: "one")
        // Returns when the line was tried, or after its time.
        output.flush()
        let reader = PipeReader(ends[0])
        reader.skip(atLeast: filled)
        try #require(reader.waits(for: 4))
        #expect(reader.text(upTo: "one\n").hasSuffix(".one\n"))
    }
}

/// Reads a pipe on the test's thread and keeps everything.
private final class PipeReader {
    private let descriptor: Int32
    private var bytes: [UInt8] = []

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Waits until the pipe has so many bytes; false when they do not come.
    func waits(for count: Int32) -> Bool {
        for _ in 0..<30_000 {
            var available: Int32 = 0
            guard ioctl(descriptor, UInt(FIONREAD), &available) == 0 else { return false }
            if available >= count { return true }
            usleep(1000)
        }
        return false
    }

    func skip(atLeast count: Int) {
        while bytes.count < count, readSome() {}
    }

    func text(upTo end: String) -> String {
        while !bytes.suffix(end.utf8.count).elementsEqual(end.utf8), readSome() {}
        return String(decoding: bytes, as: UTF8.self)
    }

    func lineCount(of line: String) -> Int {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").count { $0 == line }
    }

    private func readSome() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 { bytes += buffer.prefix(count) }
        return count > 0
    }
}
