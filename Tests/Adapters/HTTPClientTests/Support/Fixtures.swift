import Foundation
import HTTP
import Logging
import Testing

@testable import HTTPClient

/// Runs a test with a client, and closes it whatever happens.
func withClient<Value: Sendable>(
    proxy: String? = nil, certificateFile: String? = nil, pinnedNames: [String] = [],
    runningTransfers: Int = Limits.runningTransfers, publicHosts: PublicHosts = PublicHosts(),
    _ body: (HTTPClient) async throws -> Value,
) async throws -> Value {
    let client = try HTTPClient.open(
        ClientConfiguration(
            proxy: proxy, certificateFile: certificateFile, pinnedNames: pinnedNames,
            runningTransfers: runningTransfers, publicHosts: publicHosts, logger: Logger(label: "test")))
    do {
        let value = try await body(client)
        await client.close()
        return value
    } catch {
        await client.close()
        throw error
    }
}

/// Runs a test with a client and one scripted server on 127.0.0.1.
func withServer<Value: Sendable>(
    answer: @escaping @Sendable (ServedRequest, ServedConnection) -> Void,
    _ body: (HTTPClient, ScriptedServer) async throws -> Value,
) async throws -> Value {
    let server = try ScriptedServer(answer: answer)
    defer { server.stop() }
    return try await withClient { try await body($0, server) }
}

extension SessionOptions {
    /// Options of a source at a host, whose port does not matter.
    init(
        host: String, maxConnections: Int? = nil, allowInvalidCertificate: Bool = false,
        ipVersion: IPVersion = .any, userAgent: String = "Backcast",
        addressPolicy: AddressPolicy = AddressPolicy(),
    ) {
        self.init(
            source: "http://\(host)/", maxConnections: maxConnections,
            allowInvalidCertificate: allowInvalidCertificate, ipVersion: ipVersion, userAgent: userAgent,
            addressPolicy: addressPolicy)
    }
}

extension HTTPClient {
    func makeLocalSession() throws -> HTTPSession {
        try makeSession(SessionOptions(host: "127.0.0.1"))
    }
}

extension TransferOptions {
    static let small = TransferOptions(byteLimit: 1 << 20, totalTimeout: .seconds(50), lowSpeedLimit: 0)
}

/// Bytes that are not all the same, so that a shifted or missing piece shows: 0 to 250 over and over, as no
/// piece has a multiple of that prime as its length.
func pattern(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](0...250)
    while bytes.count < count { bytes += bytes }
    return Array(bytes.prefix(count))
}

/// Asserts what a transfer throws.
func expectError(
    _ expected: TransferError, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void,
) async {
    await #expect(throws: expected, sourceLocation: sourceLocation) { try await body() }
}

/// Descriptors that this process has open.
func openDescriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}
