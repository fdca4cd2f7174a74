import Foundation
import HTTP
import HTTPSupport
import TestSupport
import Testing

/// Times depend on the machine.
///
/// What a request allocates and executes does not, so a change that makes answers dearer fails here.
@Suite("Costs of requests", .limitedStacks, .timeLimit(.minutes(30)))
struct CostTests {
    /// Beyond the recorded value by more than this factor is a failure.
    private static let tolerance = 1.1
    private static let recorded = Programs.root + "/bench/costs.json"
    /// `RECORD_COSTS=1` writes what was measured instead of comparing it.
    private static let isRecording = ProcessInfo.processInfo.environment["RECORD_COSTS"] != nil
    /// Programs of a release build allocate less.
    private static let build =
        ProcessInfo.processInfo.environment["FAULT_PROGRAMS"] == nil ? "debug" : "release"

    @Test("Six fixed requests allocate and execute at most a tenth more than what was recorded of them")
    func fixedRequests() async throws {
        var all = try JSONDecoder().decode(
            [String: [String: Costs]].self, from: Data(contentsOf: URL(filePath: Self.recorded)))
        try await CountedService.run { service in
            for (name, target, fields) in Self.requests(service.plan) {
                let limits = Self.isRecording ? nil : all[Self.build]?[name]
                let costs = try await Self.measure(target, fields, on: service, until: limits)
                if Self.isRecording {
                    all[Self.build, default: [:]][name] = costs
                    continue
                }
                let known = try #require(all[Self.build]?[name], "nothing is recorded of \(name)")
                #expect(costs.allocations <= known.allocations * Self.tolerance, "\(name), allocations")
                switch (costs.instructions, known.instructions) {
                case (let executed?, let limit?):
                    #expect(executed <= limit * Self.tolerance, "\(name), instructions")
                case (let executed?, nil):
                    print("\(name): \(Int(executed)) instructions, of which nothing is recorded")
                case (nil, _):
                    print("\(name): the kernel does not count instructions, so only allocations are compared")
                }
            }
        }
        if Self.isRecording {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try (encoder.encode(all) + Data("\n".utf8)).write(to: URL(filePath: Self.recorded))
        }
    }

    @Test("A catalogue that the benchmarks fill plays as one day without a hole")
    func filledCatalogue() async throws {
        try await CountedService.run { service in
            let (begin, end) = (Int(service.plan.begin * 1000), Int(service.plan.end * 1000))
            service.connection.get("/live/variants/v1.m3u8?begintime=\(begin)&endtime=\(end)")
            let answer = try await service.connection.response()
            let list = try ReceivedPlaylist(answer.text)
            #expect(list.uris.count == 21_600)
            #expect(answer.headers["Backcast-Missing-Seconds"] == "0")
            #expect(answer.headers["Backcast-Held-Seconds"] == "86400")
            #expect(!answer.text.contains("#EXT-X-DISCONTINUITY\n"))
        }
    }

    private static func requests(
        _ plan: CountedService.Plan
    ) -> [(name: String, target: String, fields: String)] {
        let gzip = "Accept-Encoding: gzip\r\n"
        let begin = Int(plan.begin * 1000) + 10_000_500
        let short = "/live/c0/index.m3u8?begintime=\(begin)&duration=120"
        let day = "/live/c0/index.m3u8?begintime=\(begin)&duration=72000"
        return [
            ("healthz", "/healthz", ""),
            ("short", short, ""), ("short-gzip", short, gzip),
            ("20h", day, ""), ("20h-gzip", day, gzip),
            ("20h-master", "/live/variants/master.m3u8?begintime=\(begin)&duration=72000", ""),
        ]
    }

    /// The mean of forty requests, of the cheapest of five runs: background work only adds to it.
    ///
    /// On a slow machine there is more of it in a run, so up to twenty-five are made until one keeps the
    /// limits.
    private static func measure(
        _ target: String, _ fields: String, on service: CountedService, until limits: Costs?
    ) async throws -> Costs {
        let (runs, requests) = (5, 40)
        for _ in 0..<requests { try await ask(target, fields, on: service) }
        var best = Costs(allocations: .infinity, instructions: nil)
        for run in 0..<5 * runs {
            if run >= runs, limits.map({ best.isWithin($0, tolerance) }) ?? true { break }
            let before = try await service.reading()
            for _ in 0..<requests { try await ask(target, fields, on: service) }
            let after = try await service.reading()
            best.allocations = min(
                best.allocations, (after.allocations - before.allocations) / Double(requests))
            if let first = before.instructions, let last = after.instructions {
                best.instructions = min(best.instructions ?? .infinity, (last - first) / Double(requests))
            }
        }
        return Costs(
            allocations: best.allocations.rounded(), instructions: best.instructions.map { $0.rounded() })
    }

    private static func ask(_ target: String, _ fields: String, on service: CountedService) async throws {
        service.connection.get(target, fields: fields)
        let answer = try await service.connection.response()
        guard answer.status == 200 else { throw TestFailure("\(target): \(answer.status) \(answer.text)") }
    }
}
