package import Logging
package import Timeline

/// A swift-log handler that writes one line per event.
package struct LineLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let format: LogFormat
    private let output: LogOutput
    private let now: @Sendable () -> Instant

    /// `now` is the wall clock, from which each line has its time.
    package init(
        label: String, level: Logger.Level, format: LogFormat, output: LogOutput = .standardError,
        now: @escaping @Sendable () -> Instant,
    ) {
        self.label = label
        logLevel = level
        self.format = format
        self.output = output
        self.now = now
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let time = now().rfc3339
        let line = format.line(
            time: time, level: event.level, label: label, message: event.message.description,
            metadata: merged(event))
        output.write(line: line) { lost in
            format.line(
                time: time, level: .warning, label: label,
                message: "Log lines were lost: the output is blocked", metadata: ["count": "\(lost)"])
        }
    }

    /// The event's own values override the logger's, which override the provider's.
    private func merged(_ event: LogEvent) -> Logger.Metadata {
        var merged = metadataProvider?.get() ?? [:]
        merged.merge(metadata) { $1 }
        if let error = event.error { merged["error"] = "\(error)" }
        return merged.merging(event.metadata ?? [:]) { $1 }
    }
}
