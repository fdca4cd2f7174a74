import Foundation
import TestSupport
import Testing

@testable import Backcast

@Suite("Processors")
struct ProcessorsTests {
    private let cores = ProcessInfo.processInfo.activeProcessorCount

    private func count(_ membership: String, _ quotas: [String: String]) throws -> Int {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (group, quota) in quotas {
            let path = "\(folder)/groups\(group)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try quota.write(toFile: path + "/cpu.max", atomically: false, encoding: .utf8)
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try membership.write(toFile: folder + "/membership", atomically: false, encoding: .utf8)
        return Processors(groups: folder + "/groups", membership: folder + "/membership").count
    }

    @Test("Without a quota all cores count")
    func unlimited() throws {
        #expect(try count("0::/\n", [:]) == cores)
        #expect(try count("0::/\n", ["/": "max 100000\n"]) == cores)
        #expect(try count("", [:]) == cores)
    }

    @Test("A quota is rounded up to whole cores, at least one, and never gives more than there are")
    func limited() throws {
        #expect(try count("0::/\n", ["/": "50000 100000\n"]) == 1)
        #expect(try count("0::/\n", ["/": "110000 100000\n"]) == min(2, cores))
        #expect(try count("0::/\n", ["/": "900000000 100000\n"]) == cores)
        #expect(try count("0::/\n", ["/": "nonsense"]) == cores)
    }

    @Test("The smallest quota of the group and of those above it counts")
    func nested() throws {
        let membership = "1:name=systemd:/x\n0::/system.slice/backcast.service\n"
        #expect(try count(membership, ["/system.slice": "90000 100000", "/": "max 100000"]) == 1)
        #expect(try count(membership, ["/system.slice/backcast.service": "100000 100000"]) == 1)
        #expect(try count(membership, ["/user.slice": "100000 100000"]) == cores)
    }
}
