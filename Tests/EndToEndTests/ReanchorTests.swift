import Foundation
import HTTP
import HTTPSupport
import TestSupport
import Testing

@Suite("A channel whose timeline lies ahead", .limitedStacks)
struct ReanchorTests {
    /// Nearly eight hours, and no time zone.
    private static let lead = 28_350

    @Test(
        "goes on at now when it is reanchored; what lay ahead is in no window and stays on disk",
        .timeLimit(.minutes(30)))
    func reanchored() async throws {
        let arguments = ["--segment-seconds", "1", "--list-seconds", "6"]
        try await Stack.run(origin: arguments) { stack in
            try await stack.published(2)
            try await stack.fault("date-jump&seconds=\(Self.lead)")
            try await stack.published(try stack.ledger().count + 8)
            try await stack.addChannel(also: #""clock":"source""#)
            let ahead = try await recordedAhead(stack)
            let files = try files(of: stack)
            #expect(files.count >= 4)
            let body = #"{"clock":"arrival"}"#
            #expect(try await stack.admin("/channels/ch1", method: .patch, body: body).status == 200)
            let answer = try await stack.admin("/channels/ch1/reanchor", method: .post)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try #require(answer.json["set_aside"] as? Int) >= 4)
            try await eventually("no window ahead") {
                try await stack.service.get(ahead).status == 404
            }
            try await checkPresent(stack)
            #expect(try await stack.service.get(ahead).status == 404)
            #expect(try self.files(of: stack).isSuperset(of: files))
            #expect(try await stack.rows("SELECT count(*) > 3 FROM set_aside") == ["t"])
        }
    }

    /// Waits until the channel has recorded ahead of now; the path of a window there, which plays.
    private func recordedAhead(_ stack: Stack) async throws -> String {
        try await eventually("a live edge ahead") {
            let first = try await stack.rows("SELECT min(start_us) / 1000 FROM segment").first
            guard let begin = first.flatMap({ Int64($0) }) else { return false }
            return try await (stack.liveEdge() ?? 0) >= begin + 4_000
        }
        let edge = try #require(try await stack.liveEdge())
        #expect(edge > Self.now + Int64(Self.lead - 60) * 1000)
        let path = stack.window(edge - 3_000, edge - 1_000)
        #expect(try await stack.service.get(path).status == 200)
        return path
    }

    /// A window of now has what the origin published, and plays.
    private func checkPresent(_ stack: Stack) async throws {
        try await eventually("a live edge at now") {
            guard let edge = try await stack.liveEdge() else { return false }
            return abs(edge - Self.now) < 15_000
        }
        let rows = try await stack.rows("SELECT min(start_us) / 1000 FROM segment")
        let first = try #require(rows.first.flatMap { Int64($0) })
        try await stack.settled(first + 5_000)
        let path = stack.window(first, first + 4_000)
        let list = try await stack.service.playlist(path)
        #expect(list.isEnded && list.uris.count >= 4)
        let published = Set(try stack.ledger().map(\.sha256))
        #expect(published.isSuperset(of: try await stack.digests(of: list)))
        #expect(try await stack.playing(path) == "")
    }

    /// The files of segments in the archive.
    private func files(of stack: Stack) throws -> Set<String> {
        let folder = stack.folder.path(of: "archive")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        return Set(names.filter { $0.hasSuffix(".ts") })
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
