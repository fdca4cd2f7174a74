package import Logging

/// Makes the program's log the backend of swift-log.
package enum LoggingSetup {
    /// Call once, at the start of the program, before the first logger is made.
    package static func bootstrap(level: Logger.Level, format: LogFormat) {
        LoggingSystem.bootstrap(
            { label, provider in
                var handler = LineLogHandler(label: label, level: level, format: format)
                handler.metadataProvider = provider
                return handler
            }, metadataProvider: nil)
    }
}
