/// The server and the publishers of one run.
struct Origin {
    var options: OriginOptions
    var channels: [Channel]
    var ledger: Ledger

    /// Serves and publishes until a signal arrives; `publish` calls its argument after each step.
    func run(
        publish: @escaping @Sendable (_ stepDone: @escaping @Sendable () -> Void) async throws -> Void,
    ) async throws {
        let (pauses, pause) = AsyncStream<Double>.makeStream()
        let listener = Listener(address: options.address, handler: handler { pause.yield($0) })
        let port = try await listener.open(port: UInt16(clamping: options.port))
        let announcement = Announcement(channels: channels, root: "http://\(options.address):\(port)")
        try await withThrowingTaskGroup { group in
            group.addTask { try await publish { announcement.stepDone() } }
            group.addTask { for await seconds in pauses { try await listener.pause(seconds: seconds) } }
            group.addTask { await TerminationSignals.wait() }
            defer { group.cancelAll() }
            try await group.next()
        }
        await listener.close()
    }

    private func handler(refuse: @escaping @Sendable (Double) -> Void) -> OriginHandler {
        OriginHandler(
            channels: Dictionary(uniqueKeysWithValues: channels.map { ($0.name, $0) }),
            ledgerPath: ledger.path,
            now: WallClock.seconds, refuseConnections: refuse)
    }
}
