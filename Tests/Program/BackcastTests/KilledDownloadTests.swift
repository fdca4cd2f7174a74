import Foundation
import HTTPSupport
import TestSupport
import Testing

/// `make test` kills a few times, `make faults` a hundred times.
@Suite("Killed downloads", .timeLimit(.minutes(30)))
struct KilledDownloadTests {
    private typealias Run = DownloadCommandTests.Run

    private static let kills = ProcessInfo.processInfo.environment["FAULT_SCALE"] == "full" ? 100 : 20

    @Test(
        "A command that is killed at any instant fetches no byte of a whole segment twice, and makes the same folder",
        arguments: SampleStreams.Kind.allCases)
    func killed(kind: SampleStreams.Kind) async throws {
        var random = SeededGenerator(seed: 5)
        try await FaultyOrigin.run { origin in
            try await origin.serve(kind)
            let arguments = [
                "download", origin.url("/vod/index.m3u8"), "--id", "a", "--subtitles", "all", "--quiet",
                "--to",
            ]
            let whole = try TemporaryFolder("whole")
            let undisturbed = try Run(arguments + [whole.path])
            let begun = ContinuousClock.now
            try undisturbed.start()
            #expect(try await undisturbed.status() == 0)
            var longest = ContinuousClock.now - begun
            var kills = 0
            while kills < Self.kills / SampleStreams.Kind.allCases.count {
                let folder = try TemporaryFolder("killed")
                // A machine that has become slow gets more time with each run, so that it comes to an end.
                var (status, limit): (Int32, Duration) = (1, longest)
                while status != 0 {
                    let there = try sources(in: folder.path)
                    let asked = origin.log.count
                    let program = try Run(arguments + [folder.path])
                    let begun = ContinuousClock.now
                    try program.start()
                    let kill = begun + limit * Double.random(in: 0.02...1, using: &random)
                    while program.isRunning, ContinuousClock.now < kill {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    if program.isRunning { program.send(SIGKILL) }
                    limit += longest / 20
                    status = try await program.status()
                    if status != 0 {
                        kills += 1
                    } else if there.isEmpty {
                        // The first run was slower, as other tests began with it.
                        longest = min(longest, ContinuousClock.now - begun)
                    }
                    let again = origin.log[asked...].map { Source(path: $0.path, range: $0.range) }
                    #expect(there.isDisjoint(with: again), "a whole segment was fetched again")
                }
                #expect(try DownloadCommandTests.files(folder.path) == DownloadCommandTests.files(whole.path))
            }
        }
    }

    @Test("A long segment in which a command was killed continues where it stopped")
    func longSegment() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let path = origin.segments()[1]
            origin.lengthen(path, byPackets: 20_000)
            let whole = try #require(origin.bytes(path))
            origin.fail(path, [.held(after: 2_000_000)])
            let folder = try TemporaryFolder("long")
            let arguments = [
                "download", origin.url("/vod/index.m3u8"), "--id", "a", "--quiet", "--to", folder.path,
            ]
            let first = try Run(arguments)
            try first.start()
            let draft = folder.path(of: "a/v0/.00002.ts.part")
            try await eventually("two megabytes") {
                let facts = try? FileManager.default.attributesOfItem(atPath: draft)
                return facts?[.size] as? Int == 2_000_000
            }
            first.send(SIGKILL)
            _ = try await first.status()
            origin.release()
            let second = try Run(arguments)
            try second.start()
            #expect(try await second.status() == 0)
            #expect(origin.requests(for: path).map(\.range) == [nil, "bytes=2000000-\(whole.count - 1)"])
            #expect(try DownloadCommandTests.files(folder.path)["a/v0/00002.ts"] == whole)
        }
    }

    @Test("What a killed command has left is resumed without its name")
    func resumed() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.transportStream)
            let path = origin.segments()[2]
            origin.fail(path, [.held(after: 1000)])
            let folder = try TemporaryFolder("resumed")
            let place = ["--to", folder.path, "--json"]
            let killed = try Run(["download", origin.url("/vod/index.m3u8"), "--id", "a"] + place)
            try killed.start()
            try await eventually("the held segment") { !origin.requests(for: path).isEmpty }
            killed.send(SIGKILL)
            _ = try await killed.status()
            origin.release()
            let (status, resumed) = try await Run.run(["downloads", "resume"] + place)
            #expect(status == 0)
            #expect(try resumed.lines.last?.contains(#""state":"completed""#) == true)
            #expect(try DownloadCommandTests.files(folder.path)["a/v0/00003.ts"] == origin.bytes(path))
        }
    }

    /// What a request asks for.
    private struct Source: Hashable {
        var path: String
        var range: String?
    }

    /// What the files of segments that are there were made from, by the lists of the renditions.
    private func sources(in root: String) throws -> Set<Source> {
        struct Line: Decodable {
            struct Identity: Decodable {
                var p: String
                var o: UInt64?
                var l: UInt64?
            }
            var s: Identity
            var f: String
        }
        var found: Set<Source> = []
        for rendition in ["v0", "a0", "s0"] {
            let place = "\(root)/a/\(rendition)"
            guard let text = try? String(contentsOfFile: "\(place)/.parts", encoding: .utf8) else { continue }
            for line in text.split(separator: "\n") {
                guard let part = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)),
                    FileManager.default.fileExists(atPath: "\(place)/\(part.f)")
                else { continue }
                var range: String?
                if let offset = part.s.o, let length = part.s.l {
                    range = "bytes=\(offset)-\(offset + length - 1)"
                }
                found.insert(Source(path: part.s.p, range: range))
            }
        }
        return found
    }
}
