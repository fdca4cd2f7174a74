import Foundation
import HTTP
import HTTPSupport
import TestSupport
import Testing

@Suite("An upgrade from an earlier version", .limitedStacks)
struct UpgradeTests {
    @Test(
        "Channels stay as they were, everything plays, the journal's facts enter, and recording goes on",
        .timeLimit(.minutes(30)), arguments: ["00cb85b"])
    func upgrade(version: String) async throws {
        try await OldInstallation.run(version) { old in
            let node = try String(contentsOfFile: old.folder.path(of: "state/node-id"), encoding: .utf8)
            try await old.migrate()
            try await Self.keepForever("full", in: old)
            try await old.startOrigin(["--segment-seconds", "1", "--prefill", "3"])
            try await old.startService()
            try await Self.expectSettings(in: old)
            try await Self.expectEverything(in: old)
            try await Self.expectGoingOn(in: old)
            let owners = """
                SELECT DISTINCT node_id FROM line JOIN channel USING (channel_id)
                WHERE slug IN ('plain', 'full', 'tracks')
                """
            #expect(try await old.rows(owners) == [node.trimmingCharacters(in: .whitespacesAndNewlines)])
            #expect(try await old.rows(CrashTests.doubles).isEmpty)
            // The deleted channel is still deleted, and what it recorded still plays.
            #expect(try await old.admin("/channels/deleted").status == 404)
            try await Self.expectEverything(in: old)
        }
    }

    /// Checks the ten years of retention of a channel, and removes them.
    ///
    /// They end ten years after the fixture was made: from then on the channel would be empty.
    private static func keepForever(_ channel: String, in old: OldInstallation) async throws {
        let stored = "SELECT settings->>'retention_seconds' FROM channel WHERE slug = '\(channel)'"
        #expect(try await old.rows(stored) == ["315360000"])
        _ = try await old.rows(
            "UPDATE channel SET settings = settings - 'retention_seconds' WHERE slug = '\(channel)'")
    }

    /// Each channel that is there shows the settings of before.
    private static func expectSettings(in old: OldInstallation) async throws {
        let items = try await old.admin("/channels").json["items"] as? [[String: Any]]
        let ids = items?.compactMap { $0["id"] as? String }
        #expect(ids == ["full", "paused", "plain", "tracks"])
        for (channel, data) in old.settings {
            let before = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            let after = try await old.admin("/channels/\(channel)").json
            // A setting that nothing used is not shown any more.
            for (key, value) in before where key != "guide_id" {
                if channel == "full", key == "retention_seconds" { continue }
                let shown = try sortedJSON(after[key] ?? "nothing")
                #expect(try shown == sortedJSON(value), "\(channel): \(key)")
            }
        }
    }

    /// Each window over what was recorded has every segment, also those that the journal alone had.
    private static func expectEverything(in old: OldInstallation) async throws {
        let kept = old.manifest.segments.values.joined().flatMap(\.value)
        #expect(kept.contains { $0.journal })
        for (channel, renditions) in old.manifest.segments {
            for (rendition, segments) in renditions {
                let first = try #require(segments.first)
                let last = try #require(segments.last)
                try await eventually("\(channel) \(rendition)") {
                    try await old.digests(channel, rendition, from: first.middle, to: last.middle)
                        == segments.map(\.sha256)
                }
                let path = "/live/\(channel)/index.m3u8?begintime=\(first.middle)&endtime=\(last.middle)"
                #expect(try await old.service.get(path).status == 200)
            }
        }
    }

    /// A channel whose source moved is recorded again, and the journal holds nothing of before.
    private static func expectGoingOn(in old: OldInstallation) async throws {
        let source = #"{"sources":[{"url":"\#(await old.origin.base)/ch1/index.m3u8"}]}"#
        let headers = try await old.admin("/channels/plain", method: .patch, body: source)
        #expect(headers.status == 200)
        let listed = try old.ledger().count
        let entries = try await waitFor("new segments of the origin") {
            let entries = try old.ledger()
            return entries.count >= listed + 6 ? entries : nil
        }
        let new = entries[listed..<listed + 5]
        let (from, to) = try (#require(new.first).middle, #require(new.last).middle)
        try await eventually("the new segments") {
            try await old.digests("plain", "v0", from: from, to: to) == new.map(\.sha256)
        }
        let status = try await old.admin("/channels/plain/status").json
        #expect(status["state"] as? String == "recording")
        try await eventually("an empty journal") {
            // What is being written now may lie in a new file.
            old.journalFiles().allSatisfy { $0.hasPrefix("plain/") }
        }
        #expect(!old.journalFiles().contains { $0.hasSuffix("unread.jsonl") })
    }
}
