import Foundation
import HTTP
import Logging
import Testing

@testable import HTTPClient

/// Runs a test with a client, and closes it whatever happens.
func withClient<Value: Sendable>(
    proxy: String? = nil, certificateFile: String? = nil, pinnedNames: [String] = [],
    runningTransfers: Int = Limits.runningTransfers, _ body: (HTTPClient) async throws -> Value,
) async throws -> Value {
    let client = try HTTPClient.open(
        ClientConfiguration(
            proxy: proxy, certificateFile: certificateFile, pinnedNames: pinnedNames,
            runningTransfers: runningTransfers, logger: Logger(label: "test")))
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

extension HTTPClient {
    func makeLocalSession() throws -> HTTPSession {
        try makeSession(SessionOptions(host: "127.0.0.1"))
    }
}

extension TransferOptions {
    static let small = TransferOptions(byteLimit: 1 << 20, totalTimeout: .seconds(20))
}

/// Bytes that are not all the same, so that a shifted or doubled piece shows.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
}

/// Asserts what a transfer throws.
func expectError(
    _ expected: TransferError, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void,
) async {
    await #expect(throws: expected, sourceLocation: sourceLocation) { try await body() }
}

/// The output of a program; a missing program fails the test.
func output(of program: String, _ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "input")
    try Data(input).write(to: file)
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: file)
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = [UInt8](try pipe.fileHandleForReading.readToEnd() ?? Data())
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return bytes
}

/// Descriptors that this process has open.
func openDescriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}
