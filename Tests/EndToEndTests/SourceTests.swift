import Foundation
import HTTP
import HTTPSupport
import TestSupport
import Testing

@Suite("A channel of two sources", .limitedStacks)
struct SourceTests {
    @Test(
        "goes to the second when the first dies, and back when it returns; nothing is missing",
        .timeLimit(.minutes(30)))
    func failover() async throws {
        try await Stack.run(origin: ["--segment-seconds", "1", "--channels", "2"]) { stack in
            let base = await stack.origin.base
            let (first, second) = ("/ch1/index.m3u8", "/ch2/index.m3u8")
            let sources = [first, second].enumerated().map {
                #"{"url":"\#(base)\#($0.element)","priority":\#($0.offset)}"#
            }
            try await stack.addChannel(settings: #""sources":[\#(sources.joined(separator: ","))]"#)
            try await stack.settled(try await stack.published(4)[2].end)
            #expect(try await source(stack)?.hasSuffix(first) == true)
            try await stack.fault("down&seconds=30")
            try await eventually("the second source") {
                try await source(stack)?.hasSuffix(second) == true
            }
            try await eventually("the first source once more") {
                try await source(stack)?.hasSuffix(first) == true
            }
            let entries = try await stack.published(try stack.ledger().count + 4)
            let last = entries[entries.count - 2]
            try await stack.settled(last.end)
            try await check(stack, from: entries[0].middle, to: last.middle)
        }
    }

    @Test(
        "exchanged for another source begins a new source run, even with the same numbers",
        .timeLimit(.minutes(30)))
    func exchanged() async throws {
        try await Stack.run(origin: ["--segment-seconds", "1", "--channels", "2"]) { stack in
            try await stack.addChannel()
            try await stack.settled(try await stack.published(4)[2].end)
            let url = await stack.origin.base + "/ch2/index.m3u8"
            let answer = try await stack.admin(
                "/channels/ch1", method: .patch, body: #"{"source_url":"\#(url)"}"#)
            #expect(answer.status == 200, "\(answer.text)")
            try await eventually("the other source") {
                try await source(stack) == url
            }
            let entries = try await stack.published(try stack.ledger().count + 5)
            let last = entries[entries.count - 2]
            try await stack.settled(last.end)
            let runs = try await runs(stack, from: entries[0].middle, to: last.middle)
            #expect(runs.map(\.source) == [0, 1])
            for run in runs { expectNumbersInRow(run.entries) }
            let sources = "SELECT source FROM feed ORDER BY feed_id"
            #expect(
                try await stack.rows(sources).map { $0.suffix(14) } == ["ch1/index.m3u8", "ch2/index.m3u8"])
        }
    }

    private func source(_ stack: Stack) async throws -> String? {
        let status = try await stack.admin("/channels/ch1/status").json
        return (status["source"] as? [String: Any])?["url"] as? String
    }

    /// Three runs, of the first, the second, and the first source, with nothing missing in them or between
    /// them.
    private func check(_ stack: Stack, from begin: Int64, to end: Int64) async throws {
        let runs = try await runs(stack, from: begin, to: end)
        #expect(runs.map(\.source) == [0, 1, 0])
        for run in runs { expectNumbersInRow(run.entries) }
        let all = runs.flatMap(\.entries)
        for (one, next) in zip(all, all.dropFirst()) {
            #expect(next.start - one.end <= one.durationMilliseconds / 2, "\(one) then \(next)")
        }
    }

    /// What a window lists, by the source that it is from.
    private func runs(_ stack: Stack, from begin: Int64, to end: Int64) async throws
        -> [(source: Int, entries: [LedgerEntry])]
    {
        let list = try await stack.service.playlist(stack.window(begin, end))
        let ledgers = [try stack.ledger(channel: "ch1"), try stack.ledger(channel: "ch2")]
        var runs: [(source: Int, entries: [LedgerEntry])] = []
        for digest in try await stack.digests(of: list) {
            let source = try #require(ledgers.firstIndex { $0.contains { $0.sha256 == digest } })
            let entry = try #require(ledgers[source].first { $0.sha256 == digest })
            if runs.last?.source != source { runs.append((source, [])) }
            runs[runs.count - 1].entries.append(entry)
        }
        return runs
    }

    private func expectNumbersInRow(_ entries: [LedgerEntry]) {
        for (one, next) in zip(entries, entries.dropFirst()) { #expect(next.number == one.number + 1) }
    }
}
