package import Logging
import Synchronization

/// The messages that a logger was given.
package final class LogLines: Sendable {
    private struct Handler: LogHandler {
        let lines: LogLines
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.add(event.message.description)
        }
    }

    private let lines = Mutex<[String]>([])

    package init() {}

    package var all: [String] { lines.withLock { $0 } }
    package var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private func add(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}
