import ArgumentParser
import Concurrency
import CoreMetrics
import Foundation
import Logging
import Metrics
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
        let registry = MetricsRegistry()
        MetricsSystem.bootstrap(registry)
        LoggingSetup.bootstrap(level: settings.logLevel, format: settings.logFormat, clock: .system)
        defer { LogOutput.standardError.flush() }
        ProcessLimits.setSignals()
        let logger = Logger(label: "backcast")
        for warning in settings.warnings { logger.warning("\(warning)") }
        let composition = Composition(
            role: Self.role, settings: settings, registry: registry,
            descriptors: ProcessLimits.raiseDescriptors(), logger: logger)
        try await Self.carryOut(composition, logger: logger)
    }

    /// Runs the program; an error that a signal caused counts as a clean end.
    private static func carryOut(_ composition: Composition, logger: Logger) async throws {
        do {
            try await TerminationSignals.cancelling {
                do {
                    try await composition.run()
                } catch  where Task.isCancelled {
                    logger.notice("Stopped before it was ready")
                }
            }
        } catch {
            logger.critical("The program ends", metadata: ["error": "\(error)"])
            throw ExitCode.failure
        }
    }
}
