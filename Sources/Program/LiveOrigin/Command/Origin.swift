import Foundation
import HTTP
import HTTPServer
import Logging
import Synchronization

/// The server and the publishers of one run.
struct Origin {
    var options: OriginOptions
    var channels: [Channel]
    var ledger: Ledger

    /// Serves and publishes until a signal comes; `publish` calls what it is given after each step.
    func run(publish: @escaping @Sendable (_ step: @escaping @Sendable () -> Void) async throws -> Void)
        async throws
    {
        let handler = OriginHandler(
            channels: Dictionary(uniqueKeysWithValues: channels.map { ($0.name, $0) }),
            ledgerPath: ledger.path,
            now: WallClock.seconds)
        _ = handler
        let announcement = Announcement(channels: channels, root: "http://\(options.address):\(options.port)")
        try await withThrowingTaskGroup { group in
            group.addTask { try await publish { announcement.stepDone() } }
            group.addTask { await TerminationSignals.wait() }
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}
