import Access
import AdminAPI
import Catalogue
import Concurrency
import HTTPServer
import Logging
import Metering
import Monitoring
import Postgres
import Processes
import Recorder
import SegmentStore
import Telemetry
import ViewerAPI

/// The composition of the program: every object, in dependency order.
struct Composition: Sendable {
    let role: Role
    let settings: Settings
    let registry: MetricsRegistry
    let descriptors: Int
    let logger: Logger
    private let clock = HostClock.system

    /// Does the role's work until cancelled; `migrate` returns when it is done.
    func run() async throws {
        let pools = DatabasePools(settings, for: role, clock: clock, logger: logger)
        do {
            try await withThrowingDiscardingTaskGroup { group in
                // It begins before the archive is opened, which may take long after a crash.
                if let watchdog = Watchdog.fromEnvironment(clock: clock) {
                    group.addTask { await watchdog.run() }
                }
                if role == .migrate {
                    try await prepareDatabase(pools.serving)
                } else {
                    try await serve(pools)
                }
                group.cancelAll()
            }
        } catch {
            await pools.close()
            throw error
        }
        await pools.close()
    }

    private func prepareDatabase(_ pool: PostgresPool) async throws {
        let migrations = try Migrations.ofProgram(folder: settings.migrations)
        let database = DatabaseStart(pool: pool, clock: clock, logger: logger)
        try await database.prepare(migrations, for: role)
    }

    private func serve(_ pools: DatabasePools) async throws {
        let state = role.records ? try StateFolder.open(settings.state) : nil
        let token = try adminToken(state)
        // Short answers and recording are served first: these threads have a lower priority.
        let background = BackgroundExecutor(threads: Processors().count)
        // Opening waits for the disk.
        let store = try await withTaskExecutorPreference(background) { try await archive() }
        let catalogue = Catalogue(pool: pools.serving, logger: logger)
        let board = StatusBoard()
        let meters = Meters(
            board: board, catalogue: catalogue, registry: registry, clock: clock, logger: logger)
        let admin = try adminAPI(token, catalogue, store, board)
        let viewer = role.servesViewers ? viewerAPI(catalogue, store, background) : nil
        let gate = SchemaGate()
        let servers = try openServers(gate, admin, viewer, background)
        DatabaseMeter.register(counts: { pools.statementCounts }, in: registry)
        let recording = try state.map {
            try openRecording($0, pools, store, board, gate, ownPorts: servers.addresses.map(\.port))
        }
        recording?.register(in: registry)
        announce(servers)
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await servers.run() }
            group.addTask { await admin.run() }
            // Recording does not wait for the database.
            if let recording { group.addTask { await recording.run() } }
            group.addTask {
                try await prepareDatabase(pools.serving)
                gate.open()
                await work(meters, viewer, pools.serving)
            }
        }
        logger.notice("Stopped")
    }

    /// The archive; a node that does not record opens it for reading only.
    private func archive() async throws -> DirectorySegmentStore {
        let openFiles = Limits.openFiles(descriptors: descriptors)
        guard role.records else {
            return DirectorySegmentStore.openForReading(settings.archive, openFiles: openFiles)
        }
        let store = try DirectorySegmentStore.open(settings.archive, openFiles: openFiles, logger: logger)
        try await checkFloor(of: store)
        return store
    }

    private func adminAPI(
        _ token: Secret, _ catalogue: Catalogue, _ store: DirectorySegmentStore, _ board: StatusBoard,
    ) throws -> AdminAPI {
        try AdminAPI(
            catalogue: catalogue, board: board, registry: registry,
            configuration: adminConfiguration(token),
            archiveIsReachable: { (try? await store.space()) != nil },
            clock: clock, logger: logger)
    }

    private func viewerAPI(
        _ catalogue: Catalogue, _ store: DirectorySegmentStore, _ background: BackgroundExecutor,
    ) -> ViewerAPI {
        ViewerAPI(
            catalogue: catalogue, store: store,
            configuration: ViewerConfiguration(
                maxWindowSeconds: Int64(settings.maxWindowSeconds),
                maxStaleSeconds: Int64(settings.deleteGraceSeconds),
                // A node that only serves is one of several.
                isShared: !role.records, isCanonical: settings.isCanonical,
                publicBase: settings.publicBase, tokenSigner: tokenSigner,
                // Half of the cores stay for short answers and for recording.
                longAnswers: max(1, Processors().count / 2), remuxProcesses: settings.remuxProcesses,
                background: background),
            clock: clock, logger: logger)
    }

    /// Opens the servers, and measures their requests.
    private func openServers(
        _ gate: SchemaGate, _ admin: AdminAPI, _ viewer: ViewerAPI?, _ background: BackgroundExecutor,
    ) throws -> Servers {
        let requests = RequestMetrics(registry: registry)
        let servers = try Servers.open(
            ServerPlan.plans(settings, gate: gate, admin: admin, viewer: viewer), settings: settings,
            descriptors: descriptors, background: background, clock: clock, logger: logger,
            onFinished: onFinished(requests))
        servers.report(to: requests)
        return servers
    }

    private func openRecording(
        _ state: StateFolder, _ pools: DatabasePools, _ store: DirectorySegmentStore, _ board: StatusBoard,
        _ gate: SchemaGate, ownPorts: [UInt16],
    ) throws -> Recording {
        try Recording(
            settings, state: state, catalogue: Catalogue(pool: pools.recording, logger: logger),
            heartbeats: Catalogue(pool: pools.heartbeat, logger: logger), store: store, board: board,
            clock: clock, isDatabaseReady: { gate.hasOpened }, ownPorts: ownPorts, logger: logger)
    }

    /// Runs the background work that needs the database until cancelled.
    private func work(_ meters: Meters, _ viewer: ViewerAPI?, _ pool: PostgresPool) async {
        await withDiscardingTaskGroup { group in
            if let migrations = try? Migrations.ofProgram(folder: settings.migrations) {
                let watch = SchemaWatch(migrations: migrations, pool: pool, clock: clock, logger: logger)
                group.addTask { await watch.run() }
            }
            group.addTask { await meters.run() }
            if let viewer { group.addTask { await viewer.run() } }
        }
    }
}

extension Composition {
    private func adminConfiguration(_ token: Secret) throws -> AdminConfiguration {
        let policy = settings.addressPolicy(ownPorts: settings.configuredPorts)
        return AdminConfiguration(
            token: try AdminToken(token.revealed), version: Version.text,
            defaultRetentionSeconds: Int64(settings.retentionSeconds),
            deleteGraceSeconds: settings.deleteGraceSeconds,
            tokenSigner: tokenSigner,
            playsChannels: role.servesViewers && settings.adminListen == nil && tokenSigner == nil,
            refusalOfAddress: { policy.refusal(host: $0, port: $1) },
            isOwnHost: { [settings] in settings.isOwnHost($0) },
            hasFFmpeg: { ProgramFile.missing(toRun: "ffmpeg") == nil })
    }

    /// A floor that the archive's disk cannot have would stop recording for ever.
    private func checkFloor(of store: DirectorySegmentStore) async throws {
        guard let floor = settings.minFreeBytes, let space = try await store.space(),
            floor >= space.totalBytes
        else { return }
        throw ProgramError(
            """
            \(Setting.minFree.rawValue) is \(floor) bytes, but the disk of \(settings.archive) has only \
            \(space.totalBytes)
            """)
    }

    private var tokenSigner: TokenSigner? {
        TokenSigner(secrets: settings.playbackSecrets.map(\.revealed))
    }

    /// The configured token, else the one in the state folder; the log has the file's path and never the
    /// token.
    private func adminToken(_ state: StateFolder?) throws -> Secret {
        if let token = settings.adminToken { return token }
        guard let state else { throw ProgramError("\(Setting.adminToken.rawValue) must be set") }
        let (token, isNew) = try state.adminToken()
        logger.notice(
            isNew ? "The admin token was made" : "The admin token is read from its file",
            metadata: ["file": "\(state.tokenFile)"])
        return token
    }

    /// What is done after each request.
    private func onFinished(_ requests: RequestMetrics) -> @Sendable (RequestSummary) -> Void {
        guard settings.logsRequests else { return requests.finished }
        let log = AccessLog(Logger(label: "backcast.access"))
        return { summary in
            requests.finished(summary)
            log.finished(summary)
        }
    }

    private func announce(_ servers: Servers) {
        logger.notice(
            "Started",
            metadata: [
                "version": "\(Version.text)", "role": "\(role.rawValue)",
                "listen": "\(servers.addresses.map(\.description).joined(separator: " "))",
                "archive": "\(settings.archive)", "database": "\(settings.database.hostAndDatabase)",
            ])
    }
}
