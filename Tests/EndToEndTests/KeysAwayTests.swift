import Foundation
import HTTPSupport
import TestSupport
import Testing

@Suite("A key server that goes away while segments flow", .limitedStacks)
struct KeysAwayTests {
    /// How the channel keeps its segments, and whether the service is killed while the keys are away.
    private static let cases: [(encryption: String, isKilled: Bool)] = [("keep", false), ("clear", true)]

    @Test(
        "costs no segment, although the list is shorter than it is away", .timeLimit(.minutes(30)),
        arguments: cases)
    func away(encryption: String, isKilled: Bool) async throws {
        let arguments = [
            "--segment-seconds", "1", "--list-seconds", "12", "--encrypt", "aes-128", "--rotate", "3",
        ]
        try await Stack.run(origin: arguments) { stack in
            try await stack.addChannel(also: #""encryption":"\#(encryption)""#)
            let early = try await stack.published(4)
            try await stack.settled(early[2].end)
            try await stack.fault("keys&seconds=24")
            try await stack.published(early.count + 16)
            try await eventually("segments that wait") {
                try await Self.waiting(stack) > 3
            }
            let status = try await stack.admin("/channels/ch1/status").json
            #expect((status["detail"] as? String)?.contains("keys") == true)
            if isKilled {
                #expect(try await stack.endService(SIGKILL) == 128 + SIGKILL)
                try await stack.startService()
            }
            let entries = try await stack.published(early.count + 30)
            let last = try #require(entries.last)
            try await stack.settled(last.end)
            try await eventually("the keys of all") {
                try await Self.waiting(stack) == 0
            }
            try await eventually("every segment byte for byte") {
                let list = try await stack.service.playlist(stack.window(entries[0].middle, last.middle))
                let expected = entries.map { encryption == "keep" ? $0.sha256 : $0.clear_sha256 }
                return try await stack.digests(of: list) == expected
            }
            #expect(try await stack.rows(CrashTests.doubles).isEmpty)
            #expect(try await stack.rows("SELECT count(*) FROM intake WHERE state = 'lost'") == ["0"])
        }
    }

    private static func waiting(_ stack: Stack) async throws -> Int {
        let count = try await stack.rows("SELECT count(*) FROM intake WHERE state = 'key_pending'")
        return count.first.flatMap { Int($0) } ?? 0
    }
}
