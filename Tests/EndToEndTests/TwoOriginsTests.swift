import Foundation
import HTTP
import HTTPSupport
import TestSupport
import Testing

/// Two origins with the same media, timestamps and dates; each has its own numbers and stamps its bytes.
@Suite("A channel of two origins", .limitedStacks)
struct TwoOriginsTests {
    private static let arguments = ["--segment-seconds", "2", "--list-seconds", "20", "--aligned"]

    /// A segment of a window, and which origin it is from.
    private struct Held {
        var origin: Int
        var entry: LedgerEntry
    }

    private static func run(
        _ more: [String] = [], _ scenario: (Stack) async throws -> Void,
    ) async throws {
        try await Stack.run(origin: arguments + more) { stack in
            // Other numbers, so that its bytes are other ones.
            try await stack.startSecondOrigin(arguments + more + ["--prefill", "4"])
            try await scenario(stack)
        }
    }

    private static func addChannel(_ stack: Stack) async throws {
        let origins = [await stack.origin.base, await stack.secondOrigin.base]
        let sources = origins.enumerated().map {
            #"{"url":"\#($0.element)/ch1/index.m3u8","priority":\#($0.offset)}"#
        }
        try await stack.addChannel(settings: #""sources":[\#(sources.joined(separator: ","))]"#)
    }

    private static func control(_ origin: ProgramClient, _ fault: String) async throws {
        let answer = try await origin.send(.post, "/control?channel=ch1&fault=\(fault)")
        #expect(answer.status == 200, "\(answer.text)")
    }

    private static func held(_ stack: Stack, _ rendition: String, _ list: ReceivedPlaylist) async throws
        -> [Held]
    {
        let ledgers = try [stack.ledgerPath, stack.secondLedgerPath].map {
            try LedgerEntry.reading($0, rendition: rendition)
        }
        return try await stack.digests(of: list).map { digest in
            for (origin, ledger) in ledgers.enumerated() {
                if let entry = ledger.first(where: { $0.sha256 == digest }) {
                    return Held(origin: origin, entry: entry)
                }
            }
            throw TestFailure("no origin published \(digest)")
        }
    }

    /// Every piece of the media is there once.
    private static func expectContinuous(_ held: [Held], _ name: String = "") {
        for (one, next) in zip(held, held.dropFirst()) {
            let pause = next.entry.start - one.entry.end
            #expect(abs(pause) <= 60, "\(name) from \(one) to \(next)")
        }
    }

    @Test(
        "has what one of them refused, and what it missed for twenty seconds, from the other one",
        .timeLimit(.minutes(30)))
    func holes() async throws {
        try await Self.run { stack in
            try await Self.addChannel(stack)
            let early = try await stack.published(4)
            try await stack.settled(early[2].end)
            // Fewer than make it leave the source.
            try await Self.control(await stack.origin, "hole&count=2&mode=404")
            let refused = try await stack.published(early.count + 5)
            let missing = refused.filter { !$0.served }
            #expect(missing.count == 2)
            try await stack.settled(refused[early.count + 3].end)
            try await Self.control(await stack.origin, "down&seconds=20")
            try await Task.sleep(for: .seconds(22))
            let begin = early[1].middle
            let end = Instant.now
            try await stack.settled(end)
            let window = stack.window(begin, end)
            try await eventually("a window without gaps") {
                let answer = try await stack.admin("/channels/ch1/timeline?from=\(begin)&to=\(end)").json
                return (answer["gaps"] as? [[String: Any]])?.isEmpty ?? false
            }
            let held = try await Self.held(stack, "v0", try await stack.service.playlist(window))
            Self.expectContinuous(held)
            #expect(held.contains { $0.origin == 0 } && held.contains { $0.origin == 1 })
            let fromOther = held.filter { $0.origin == 1 }.map(\.entry.start)
            #expect(Set(missing.map(\.start)).isSubset(of: fromOther))
            #expect(try await stack.playing(window) == "")
            let unpublished = "SELECT count(*) FROM segment WHERE number IS NULL"
            #expect(try await stack.rows(unpublished).first.flatMap { Int($0) } ?? 0 >= 2)
        }
    }

    @Test(
        "that say the same renditions in other words keeps them when one is killed, and when codecs change",
        .timeLimit(.minutes(30)))
    func otherWords() async throws {
        let layout = ["--variants", "3", "--audio", "separate", "--second-language"]
        try await Self.run(layout) { stack in
            try await Self.control(await stack.secondOrigin, "respell")
            try await Self.addChannel(stack)
            let early = try await stack.published(5)
            try await stack.settled(early[4].end)
            try await stack.killOrigin()
            let killed = Instant.now
            // The multivariant playlist is read again ten seconds later at the earliest, when a segment is
            // refused.
            try await stack.settled(killed + 20_000)
            try await Self.control(await stack.secondOrigin, "respell")
            try await Self.control(await stack.secondOrigin, "fail&count=1&status=403")
            try await eventually("the new attributes") {
                try await stack.rows("SELECT match::text FROM rendition").filter {
                    $0.contains("avc1.42C028,mp4a.40.2")
                }.count == 3
            }
            let end = Instant.now
            try await stack.settled(end)
            try await Self.expectRenditions(stack, early[1].middle, end)
        }
    }

    private static func expectRenditions(_ stack: Stack, _ begin: Int64, _ end: Int64) async throws {
        #expect(try await stack.rows("SELECT count(*) FROM rendition") == ["5"])
        let top = try await stack.service.playlist(stack.window(begin, end, name: "master.m3u8"))
        #expect(top.uris.count == 3 && top.attributes("URI", of: "EXT-X-MEDIA").count == 2)
        for rendition in ["v0", "v1", "v2", "a0", "a1"] {
            let list = try await stack.service.playlist(stack.window(begin, end, name: "\(rendition).m3u8"))
            let held = try await held(stack, rendition, list)
            expectContinuous(held, rendition)
            #expect(held.first?.origin == 0 && held.last?.origin == 1)
            #expect(list.discontinuities == 1, "\(rendition)")
        }
        #expect(try await stack.playing(stack.window(begin, end)) == "")
    }
}
