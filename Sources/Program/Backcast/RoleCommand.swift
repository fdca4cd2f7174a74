import ArgumentParser
import Foundation
import Logging
import Telemetry

/// A command that is one role of the service.
protocol RoleCommand: AsyncParsableCommand {
    static var role: Role { get }
    var flags: SettingFlags { get }
}

extension RoleCommand {
    func run() async throws {
        let sources = flags.sources(environment: ProcessInfo.processInfo.environment)
        let settings = try Settings.reading(sources, for: Self.role)
        LoggingSetup.bootstrap(level: settings.logLevel, format: settings.logFormat)
        let logger = Logger(label: "backcast")
        for warning in settings.warnings { logger.warning("\(warning)") }
        ProcessLimits.ignoreBrokenPipes()
        do {
            try await TerminationSignals.cancelling {}
        } catch {
            logger.critical("The program ends", metadata: ["cause": "\(error)"])
            throw ExitCode.failure
        }
    }
}
