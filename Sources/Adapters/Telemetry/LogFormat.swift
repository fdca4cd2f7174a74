package import Logging

/// The form of a log line; the raw values are those of the setting.
package enum LogFormat: String, Sendable, CaseIterable {
    /// `time level label message key=value…`
    case text
    /// One JSON object per line.
    case json

    /// One line without its line end.
    ///
    /// Control characters are escaped, so that logged text cannot look like another line.
    package func line(
        time: String, level: Logger.Level, label: String, message: String, metadata: Logger.Metadata,
    ) -> String {
        switch self {
        case .text:
            TextLine.line(time: time, level: level, label: label, message: message, metadata: metadata)
        case .json:
            JSONLine.line(time: time, level: level, label: label, message: message, metadata: metadata)
        }
    }
}
