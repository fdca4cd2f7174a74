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
        // By build, request and cost.
        var all = try JSONDecoder().decode(
            [String: [String: [String: Double]]].self, from: Data(contentsOf: URL(filePath: Self.recorded)))
        let catalogue = try await CountedService.Catalogue()
        for cost in CountedService.Cost.allCases {
            try await catalogue.serve(counting: cost) {
                for (name, target, fields) in Self.requests(catalogue.plan) {
                    let known = Self.isRecording ? nil : all[Self.build]?[name]?["\(cost)"]
                    let measured = try await Self.measure(cost, target, fields, on: $0, until: known)
                    if Self.isRecording {
                        all[Self.build, default: [:]][name, default: [:]]["\(cost)"] = measured
                    } else {
                        let known = try #require(known, "nothing is recorded of \(name)")
                        #expect(measured <= known * Self.tolerance, "\(name), \(cost)")
                    }
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
        let catalogue = try await CountedService.Catalogue()
        let (begin, end) = (Int(catalogue.plan.begin * 1000), Int(catalogue.plan.end * 1000))
        try await catalogue.serve { service in
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
        _ plan: CountedService.Catalogue.Plan
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

    /// The mean of some requests, of the cheapest of five runs: background work only adds to it.
    ///
    /// On a slow machine there is more of it in a run, so up to twenty-five are made until one keeps the
    /// limit. Callgrind is slow, and counts a second request as the first one.
    private static func measure(
        _ cost: CountedService.Cost, _ target: String, _ fields: String, on service: CountedService,
        until known: Double?,
    ) async throws -> Double {
        let (runs, requests) = (5, cost == .allocations ? 40 : 10)
        for _ in 0..<requests { try await ask(target, fields, on: service) }
        var best = Double.infinity
        for run in 0..<5 * runs {
            if run >= runs, known.map({ best <= $0 * tolerance }) ?? true { break }
            let before = try await service.reading()
            for _ in 0..<requests { try await ask(target, fields, on: service) }
            let after = try await service.reading()
            let used = cost == .allocations ? after - before : after
            best = min(best, used / Double(requests))
        }
        return best.rounded()
    }

    private static func ask(_ target: String, _ fields: String, on service: CountedService) async throws {
        service.connection.get(target, fields: fields)
        let answer = try await service.connection.response()
        guard answer.status == 200 else { throw TestFailure("\(target): \(answer.status) \(answer.text)") }
    }
}
