import Glibc
import Logging
import Testing
import Timeline

@testable import Telemetry

@Suite("The log handler")
struct LineLogHandlerTests {
    /// What a logger with this handler writes into a pipe.
    private func written(level: Logger.Level = .info, _ use: (inout Logger) async -> Void) async -> String {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return "" }
        let output = LogOutput(descriptor: ends[1])
        var logger = Logger(label: "recorder") { label in
            LineLogHandler(
                label: label, level: level, format: .text, output: output, now: { Instant(milliseconds: 0) })
        }
        await use(&logger)
        output.flush()
        close(ends[1])
        defer { close(ends[0]) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(ends[0], &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test("One line per event, the event's metadata over the logger's")
    func line() async {
        let text = await written { logger in
            logger[metadataKey: "channel"] = "one"
            logger[metadataKey: "node"] = "n1"
            logger.info("Hello", metadata: ["channel": "two"])
            logger.debug("Not shown")
        }
        #expect(text == "1970-01-01T00:00:00.000Z info recorder Hello channel=two node=n1\n")
    }

    @Test("Lines of many threads stay whole")
    func concurrency() async {
        let text = await written { logger in
            let shared = logger
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { for _ in 0..<50 { shared.info("0123456789") } }
                }
            }
        }
        let lines = text.split(separator: "\n")
        #expect(lines.count == 200)
        #expect(lines.allSatisfy { $0 == "1970-01-01T00:00:00.000Z info recorder 0123456789" })
    }
}
