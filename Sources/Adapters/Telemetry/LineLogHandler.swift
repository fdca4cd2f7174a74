import Glibc
package import Logging

/// A swift-log handler that writes one line per event.
package struct LineLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let format: LogFormat
    private let output: LogOutput
    private let milliseconds: @Sendable () -> Int64

    /// `milliseconds` is the wall clock, since 1970.
    package init(
        label: String, level: Logger.Level, format: LogFormat, output: LogOutput = .standardError,
        milliseconds: @escaping @Sendable () -> Int64 = Self.wallClock,
    ) {
        self.label = label
        logLevel = level
        self.format = format
        self.output = output
        self.milliseconds = milliseconds
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let time = LogTime.text(milliseconds: milliseconds())
        let line = format.line(
            time: time, level: event.level, label: label, message: event.message.description,
            metadata: merged(event))
        output.write(line: line)
    }

    /// The event's own values win over the logger's, those over the provider's.
    private func merged(_ event: LogEvent) -> Logger.Metadata {
        var merged = metadataProvider?.get() ?? [:]
        merged.merge(metadata) { $1 }
        if let error = event.error { merged["error"] = "\(error)" }
        return merged.merging(event.metadata ?? [:]) { $1 }
    }

    package static let wallClock: @Sendable () -> Int64 = {
        var now = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else { return 0 }
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
