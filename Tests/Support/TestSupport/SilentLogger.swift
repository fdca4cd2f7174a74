package import Logging

/// A logger that writes nothing.
package let silentLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
