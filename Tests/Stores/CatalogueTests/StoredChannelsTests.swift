import Foundation
import Postgres
import TestSupport
import Testing
import Timeline

@testable import Catalogue

@Suite("Channels that another version stored")
struct StoredChannelsTests {
    /// The settings in a row, as the database has them.
    private static func stored(_ id: String, in test: TestCatalogue) async throws -> [String: Any] {
        let text = try await test.pool.query("SELECT settings::text FROM channel WHERE slug = \(id)").first?
            .decode(0, as: String.self)
        let object = try JSONSerialization.jsonObject(with: Data((text ?? "").utf8))
        return try #require(object as? [String: Any])
    }

    private static func store(_ text: String, as id: String, in test: TestCatalogue) async throws {
        _ = try await test.pool.query("UPDATE channel SET settings = \(text)::jsonb WHERE slug = \(id)")
    }

    @Test("Rows of earlier versions are channels")
    func rows() async throws {
        try await withCatalogue { test in
            for name in try Fixtures.stored.names(in: "settings") {
                let id = String(name.dropLast(5))
                let text = String(
                    decoding: try Fixtures.stored.data("settings/\(name)"), as: UTF8.self
                ).replacing(#""id":"news""#, with: #""id":"\#(id)""#)
                _ = try await test.pool.query(
                    "INSERT INTO channel (slug, settings) VALUES (\(id), \(text)::jsonb)")
            }
            let channels = try await test.catalogue.everyChannel()
            #expect(Set(channels.map(\.id.text)) == ["full", "highest", "lowest", "minimal"])
            #expect(try await test.catalogue.channels(limit: 10).count == 4)
            #expect(channels.first { $0.id.text == "full" }?.settings.timeZone == "Europe/Berlin")
        }
    }

    @Test("Settings that change are read again, and those of a channel that goes are forgotten")
    func changed() async throws {
        try await withCatalogue { test in
            _ = try await test.catalogue.create(try settings("news"))
            for title in ["One", "One", "Two", "Tr\u{e8}s", "Tre\u{300}s"] {
                _ = try await test.catalogue.replace(try settings("news", title: title))
                let titles = try await test.catalogue.everyChannel().map { Array($0.settings.title.utf8) }
                #expect(titles == [Array(title.utf8)])
            }
            #expect(test.catalogue.knownSettings.count == 1)
            test.catalogue.knownSettings.keep([])
            #expect(test.catalogue.knownSettings.count == 0)
        }
    }

    @Test("A field that only a later version knows stays when settings are replaced, and when a channel goes")
    func laterFields() async throws {
        try await withCatalogue { test in
            let created = try await test.catalogue.create(try settings("news"))
            _ = try await test.pool.query(
                #"UPDATE channel SET settings = settings || '{"ladder": [1], "max_bytes": 7}'"#)
            #expect(try await test.catalogue.channel(created.id)?.settings.maxBytes == 7)
            _ = try await test.catalogue.replace(try settings("news", title: "Changed"))
            let stored = try await Self.stored("news", in: test)
            #expect(stored["ladder"] as? [Int] == [1])
            #expect(stored["title"] as? String == "Changed")
            // What the new settings do not say is gone: the field is known.
            #expect(stored["max_bytes"] == nil)
            _ = try await test.catalogue.purge(created.id, graceSeconds: 1)
            #expect(try await Self.stored("news", in: test)["ladder"] as? [Int] == [1])
            #expect(try await Self.stored("news", in: test)["retention_seconds"] as? Int == 0)
        }
    }

    @Test("A channel that cannot be read is left out of lists, and the others are there", arguments: 1...3)
    func unreadable(limit: Int) async throws {
        try await withCatalogue { test in
            for id in ["a", "b", "c", "d"] { _ = try await test.catalogue.create(try settings(id)) }
            try await Self.store(#"{"id": 1}"#, as: "b", in: test)
            try await Self.store(#"7"#, as: "c", in: test)
            #expect(try await test.catalogue.everyChannel().map(\.id.text) == ["a", "d"])
            var found: [String] = []
            while true {
                let page = try await test.catalogue.channels(after: found.last ?? "", limit: limit)
                found += page.map(\.id.text)
                if page.count < limit { break }
            }
            #expect(found == ["a", "d"])
        }
    }

    private static let faults = [
        ("7", "the whole value has the wrong type"), (#"{"id": 1}"#, "the field id has the wrong type"),
        (#"{"id": "A/B"}"#, "the field id has a value that is not valid"),
        (#"{"id": "a"}"#, "the field sources is missing"),
        (#"{"id": "a", "sources": null}"#, "the field sources is null"),
        (#"{"id": "a", "sources": [{}]}"#, "the field sources.0.url is missing"),
        (#"{"id": "a", "sources": [], "title": 5}"#, "the field title has the wrong type"),
    ]

    @Test("A channel that cannot be read has a row and a version, and the error names the field")
    func faults() async throws {
        try await withCatalogue { test in
            let created = try await test.catalogue.create(try settings("a"))
            for (text, fault) in Self.faults {
                try await Self.store(text, as: "a", in: test)
                let stored = try #require(await test.catalogue.storedChannel(created.id))
                #expect(stored.row == created.row && stored.version == created.version)
                let error = await failure(of: { try await test.catalogue.channel(created.id) })
                #expect(error?.description == "the stored settings of channel a cannot be read: \(fault)")
            }
        }
    }

    @Test("A purge of a channel that cannot be read leaves settings that keep nothing and can be read")
    func purged() async throws {
        try await withCatalogue { test in
            let created = try await test.catalogue.create(try settings("a"))
            for text in ["7", #"{"id": 1, "ladder": [1]}"#] {
                try await Self.store(text, as: "a", in: test)
                _ = try await test.catalogue.purge(created.id, graceSeconds: 1)
                let left = try #require(await test.catalogue.channel(created.id))
                #expect(left.isDeleted && left.settings.retentionSeconds == 0 && !left.settings.recording)
            }
            #expect(try await Self.stored("a", in: test)["ladder"] as? [Int] == [1])
        }
    }

    @Test("A channel that cannot be read is mended by new settings, and can be deleted")
    func mended() async throws {
        try await withCatalogue { test in
            for id in ["a", "b"] { _ = try await test.catalogue.create(try settings(id)) }
            for (text, version) in [(#"{"id": 1}"#, 2), ("[]", 3)] as [(String, Int64)] {
                try await Self.store(text, as: "a", in: test)
                #expect(try await test.catalogue.replace(try settings("a")).version == version)
                #expect(try await test.catalogue.channel(try slug("a"))?.settings == (try settings("a")))
            }
            try await Self.store("7", as: "b", in: test)
            try await test.catalogue.delete(try slug("b"))
            #expect(try await test.catalogue.channels(limit: 10).map(\.id.text) == ["a"])
        }
    }
}
