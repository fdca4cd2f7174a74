import Catalogue
import Concurrency
import Foundation
import HTTPClient
import Logging
import Monitoring
import Postgres
import SegmentStore
import TestSupport
import Testing

@testable import Backcast

@Suite("Hosts that were public once")
struct PublicHostsTests {
    @Test("names in the file are there after a restart, and only their owner may read it")
    func file() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "public-hosts")
        #expect(HostFile(path).hosts.isEmpty)
        let first = HostFile(path)
        first.append("a.example")
        first.append("b.example")
        try await eventually("the names") { HostFile(path).hosts == ["a.example", "b.example"] }
        HostFile(path).append("c.example")
        try await eventually("the third name") { HostFile(path).hosts.last == "c.example" }
        #expect(HostFile(path).hosts.count == 3)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("a host that was public in an earlier run does not lead to this machine", arguments: [true, false])
    func restart(wasPublic: Bool) async throws {
        let folder = try TemporaryFolder()
        if wasPublic { try folder.write("other.example\nlocalhost\n", to: "public-hosts") }
        let state = try StateFolder.open(folder.path)
        let settings = try Settings.reading(SettingSources(), for: .run)
        let logger = Logger(label: "test")
        // Nothing listens there.
        let nowhere = PoolConfiguration(try ConnectionString("postgresql://127.0.0.1:1/none"))
        let pool = PostgresPool(nowhere, logger: logger)
        let catalogue = Catalogue(pool: pool, logger: logger)
        let recording = try Recording(
            settings, state: state, catalogue: catalogue, heartbeats: catalogue,
            store: MemorySegmentStore(), board: StatusBoard(), clock: .system,
            isDatabaseReady: { false }, ownPorts: [], logger: logger)
        let source = "http://localhost:1/"
        let session = try recording.client.makeSession(
            SessionOptions(source: source, addressPolicy: settings.addressPolicy(ownPorts: [])))
        let error = await #expect(throws: TransferError.self) {
            _ = try await session.fetch(source, TransferOptions(byteLimit: 1))
        }
        if case .addressRefused(host: "localhost", address: _, .privateFromPublic) = error {
            #expect(wasPublic)
        } else {
            #expect(!wasPublic, "\(String(describing: error))")
        }
        let running = Task { await recording.run() }
        running.cancel()
        await running.value
        await pool.close()
    }
}
