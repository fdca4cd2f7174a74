import Foundation
import TestSupport
import Testing

@testable import Timeline

@Suite("Settings and renditions as earlier versions stored them")
struct StoredSettingsTests {
    private func settings(_ name: String) throws -> ChannelSettings {
        try JSONDecoder().decode(ChannelSettings.self, from: Fixtures.stored.data("settings/\(name).json"))
    }

    /// A stored object with other members, nil for those that are to go.
    private func settings(_ name: String, with changes: [String: Any?]) throws -> ChannelSettings {
        let data = try Fixtures.stored.data("settings/\(name).json")
        guard var object = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw TestFailure("\(name) holds no object")
        }
        for (key, value) in changes { object[key] = value }
        return try JSONDecoder().decode(
            ChannelSettings.self, from: JSONSerialization.data(withJSONObject: object))
    }

    @Test("A channel with every setting is read field by field")
    func full() throws {
        let full = try settings("full")
        #expect(full.id.text == "news")
        #expect(full.title == "Nachrichten – News")
        #expect(full.recording == false)
        #expect(full.retentionSeconds == 604_800)
        #expect(full.maxBytes == 1 << 40)
        #expect(full.renditions == .named(["v0", "a1", "s12"].compactMap(RenditionID.init)))
        #expect(full.clock == .arrival)
        #expect(full.encryption == .clear)
        #expect(full.timeZone == "Europe/Berlin")
        #expect(full.sources.map(\.priority) == [-1, 5, 0])
        let first = try #require(full.sources.first)
        #expect(first.url == "https://origin.example/a/live.m3u8?x=1")
        #expect(first.headers == ["Referer": "https://www.example/", "X-Token": "ü/\"1\""])
        #expect(first.maxConnections == 4)
        #expect(first.allowInvalidCertificate)
        #expect(first.inheritQuery)
        #expect(first.ipVersion == 6)
        #expect(first.headerHosts == ["cdn.example", "192.0.2.7"])
    }

    @Test("A channel with a source alone has the defaults")
    func minimal() throws {
        let minimal = try settings("minimal")
        #expect(minimal.logo == nil && minimal.group == nil)
        let expected = ChannelSettings(
            id: minimal.id, title: "news",
            sources: [SourceSettings(url: "https://origin.example/live.m3u8")],
            retentionSeconds: nil)
        #expect(minimal == expected)
        #expect(minimal.id.text == "news")
    }

    @Test("The other choices are read")
    func choices() throws {
        #expect(try settings("highest").renditions == .highest)
        #expect(try settings("highest").clock == .source)
        #expect(try settings("lowest").renditions == .lowest)
        #expect(try settings("lowest").retentionSeconds == 0)
    }

    @Test("Every file is written again with the same keys and values", arguments: ["settings", "match"])
    func sameKeys(folder: String) throws {
        let names = try Fixtures.stored.names(in: folder)
        #expect(names.count >= 4)
        for name in names {
            let data = try Fixtures.stored.data("\(folder)/\(name)")
            let written =
                folder == "match"
                ? try JSONEncoder().encode(JSONDecoder().decode(RenditionDescription.self, from: data))
                : try JSONEncoder().encode(JSONDecoder().decode(ChannelSettings.self, from: data))
            let (old, new) = try (object(data), object(written))
            #expect(try sortedJSON(new) == sortedJSON(old), "\(name)")
        }
    }

    /// The members of an object, without the setting that nothing used and that is not written any more.
    private func object(_ data: Data) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            .filter { $0.key != "guide_id" }
    }

    @Test("Everything but id and sources has a default")
    func absent() throws {
        let keys = ChannelSettings.CodingKeys.allCases.map(\.rawValue)
            .filter { !["id", "sources"].contains($0) }
        let changes = Dictionary(uniqueKeysWithValues: keys.map { ($0, Any?.none) })
        let read = try settings("full", with: changes)
        var expected = try settings("minimal")
        expected.sources = read.sources
        #expect(read == expected)
        let source = try settings("full", with: ["sources": [["url": "http://a.example/"]]]).sources
        #expect(source == [SourceSettings(url: "http://a.example/")])
        #expect(throws: DecodingError.self) { try settings("full", with: ["id": nil]) }
        #expect(throws: DecodingError.self) { try settings("full", with: ["sources": nil]) }
    }

    @Test("Fields of a later version are skipped")
    func unknownFields() throws {
        let known = try settings("full")
        let source: [String: Any] = ["url": "http://a.example/", "interface": "eth1"]
        let read = try settings("full", with: ["ladder": ["a": 1], "sources": [source]])
        #expect(read.sources == [SourceSettings(url: "http://a.example/")])
        #expect(read.title == known.title)
    }

    @Test("A choice of a later version reads as the one that loses nothing")
    func unknownChoices() throws {
        let read = try settings(
            "full", with: ["clock": "ptp", "encryption": "again", "renditions": ["best": 3]])
        #expect(read.clock == .auto)
        #expect(read.encryption == .keep)
        #expect(read.renditions == .all)
        for renditions: Any in ["middle", ["v0", "x1"], 7] {
            #expect(try settings("full", with: ["renditions": renditions]).renditions == .all)
        }
    }

    @Test("A rendition's attributes are read field by field")
    func renditions() throws {
        let decoder = JSONDecoder()
        func rendition(_ name: String) throws -> RenditionDescription {
            try decoder.decode(
                RenditionDescription.self, from: Fixtures.stored.data("match/rendition\(name).json"))
        }
        let variant = try rendition("-variant")
        #expect(variant.id.description == "v0")
        #expect(variant.stableID == "main-720")
        #expect(variant.resolution == "1280x720")
        #expect(variant.codecs == "avc1.4d401f,mp4a.40.2")
        #expect(variant.frameRate == "25.000")
        #expect(variant.bandwidth == 3_200_000)
        #expect(variant.audioGroup == "aac")
        #expect(variant.subtitlesGroup == "subs")
        let audio = try rendition("-audio")
        #expect(audio.id.description == "a3")
        #expect(audio.position == 2)
        #expect(audio.groupID == "aac")
        #expect(audio.name == "Français")
        #expect(audio.language == "fr")
        #expect(audio.channels == "2")
        #expect(audio.isDefault && audio.autoselect && !audio.forced)
        #expect(try rendition("-subtitles").forced)
        let plain = try rendition("")
        #expect(plain == RenditionDescription(id: plain.id))
        let bare = try decoder.decode(RenditionDescription.self, from: Data(#"{"id":"v0","hdr":1}"#.utf8))
        #expect(bare == plain)
    }
}
