package import Concurrency
package import Logging

/// Makes the program's log the backend of swift-log.
package enum LoggingSetup {
    /// Call once, at the start of the program, before the first logger is made.
    package static func bootstrap(level: Logger.Level, format: LogFormat, clock: HostClock) {
        LoggingSystem.bootstrap(
            { label, provider in
                var handler = LineLogHandler(label: label, level: level, format: format, now: clock.now)
                handler.metadataProvider = provider
                return handler
            }, metadataProvider: nil)
    }
}
