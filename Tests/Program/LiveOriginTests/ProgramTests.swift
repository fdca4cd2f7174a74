import Foundation
import Glibc
import TestSupport
import Testing

@testable import LiveOrigin

@Suite("The program over a socket", .serialized)
struct ProgramTests {
    private func arguments(_ mode: String, _ folder: TemporaryFolder, _ more: [String] = []) -> [String] {
        [mode, "--folder", folder.path, "--segment-seconds", "0.8", "--bits-per-second", "400000"] + more
    }

    @Test(
        "Every segment of the ledger is served with its digest, ffmpeg plays it, SIGTERM ends it with 0",
        arguments: [["--variants", "1"], ["--variants", "3"], ["--encrypt", "aes-128", "--rotate", "2"]])
    func replay(more: [String]) async throws {
        let folder = try TemporaryFolder()
        let bench = try ProgramBench(
            arguments(
                "replay", folder, ["--channels", "2", "--minute-seconds", "3.2", "--prefill", "8"] + more))
        let lines = try await bench.get("/ledger.jsonl").body.split(separator: 0x0A)
        #expect(lines.count >= 16)
        for line in lines {
            let entry = try JSONDecoder().decode(LedgerEntry.self, from: Data(line))
            let (status, body) = try await bench.get(entry.uri)
            #expect(status == 200)
            #expect(try Fingerprint.sha256(body) == entry.sha256)
        }
        let play = try run([
            "ffmpeg", "-v", "warning", "-xerror", "-i", bench.root + "/ch2/index.m3u8", "-map", "0", "-t",
            "4",
            "-f", "null", "-",
        ])
        #expect(play.status == 0 && play.errors == "")
        #expect(bench.end(with: SIGTERM) == 0)
    }

    @Test("Connections are refused for a while, then answered on the same port")
    func refuse() async throws {
        let folder = try TemporaryFolder()
        let bench = try ProgramBench(arguments("replay", folder, ["--minute-seconds", "3.2"]))
        #expect(try await bench.get("/control?fault=refuse&seconds=3").status == 200)
        let port = try #require(bench.root.split(separator: ":").last.flatMap { UInt16($0) })
        try await eventually { !isListening(port) }
        try await eventually { isListening(port) }
        #expect(bench.end(with: SIGINT) == 0)
    }

    @Test(
        "The encoder ends with the origin, also when that is killed",
        arguments: [SIGTERM, SIGKILL])
    func encoder(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let bench = try ProgramBench(arguments("encode", folder, ["--container", "fmp4"]))
        let encoder = try #require(bench.children().first)
        #expect(isAlive(encoder))
        #expect(bench.end(with: signal) == (signal == SIGTERM ? 0 : SIGKILL))
        try await eventually { !isAlive(encoder) }
    }

    @Test("An encoder that died is restarted, with numbers from 0 and a discontinuity")
    func restart() async throws {
        let folder = try TemporaryFolder()
        let bench = try ProgramBench(arguments("encode", folder))
        let encoder = try #require(bench.children().first)
        kill(encoder, SIGKILL)
        let ledger = folder.path + "/ledger.jsonl"
        try await eventually {
            let text = try String(contentsOfFile: ledger, encoding: .utf8)
            return text.split(separator: "\n").contains { line in
                let entry = try? JSONDecoder().decode(LedgerEntry.self, from: Data(line.utf8))
                return entry?.sourceRun == 1 && entry?.number == 0 && entry?.discontinuity == true
            }
        }
        #expect(bench.end(with: SIGTERM) == 0)
    }

    /// Whether a connection to the port is accepted.
    private func isListening(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
