import Testing
import Timeline

@testable import Catalogue

@Suite("Channels")
struct ChannelsTests {
    @Test("A new channel has its settings, version 1 and no playlist form")
    func creating() async throws {
        try await withCatalogue { test in
            let wanted = try settings("news", title: "Noticias “24h”")
            let channel = try await test.catalogue.create(wanted)
            #expect(channel.settings == wanted)
            #expect(channel.version == 1 && channel.playlistForm == nil && !channel.isDeleted)
            #expect(try await test.catalogue.channel(wanted.id) == channel)
            #expect(try await test.catalogue.channel(try slug("other")) == nil)
            #expect(
                try await test.catalogue.publishedHead(of: channel.row).watermark == Instant(microseconds: 0))
        }
    }

    @Test("An existing id is refused")
    func creatingTwice() async throws {
        try await withCatalogue { test in
            let wanted = try settings("news")
            _ = try await test.catalogue.create(wanted)
            guard
                case .channelExists(wanted.id) = await failure(of: { try await test.catalogue.create(wanted) }
                )
            else {
                Issue.record("no refusal")
                return
            }
        }
    }

    @Test("Replacing settings checks the version, if one is given, and raises it by one")
    func replacing() async throws {
        try await withCatalogue { test in
            _ = try await test.catalogue.create(try settings("news"))
            let changed = try settings("news", title: "Changed")
            #expect(try await test.catalogue.replace(changed, version: 1).version == 2)
            #expect(try await test.catalogue.replace(try settings("news", title: "Again")).version == 3)
            guard
                case .staleVersion(3) = await failure(of: {
                    try await test.catalogue.replace(changed, version: 2)
                })
            else {
                Issue.record("no refusal of a stale version")
                return
            }
            #expect(try await test.catalogue.channel(changed.id)?.settings.title == "Again")
        }
    }

    @Test("Replacing by equal settings keeps the version, but a stale version is still refused")
    func replacingBySame() async throws {
        try await withCatalogue { test in
            var wanted = try settings("news")
            wanted.renditions = .named([video, audio])
            wanted.sources[0].headers = ["Cookie": "s=1", "Accept": "*/*"]
            let created = try await test.catalogue.create(wanted)
            for version in [nil, 1] as [Int64?] {
                #expect(try await test.catalogue.replace(wanted, version: version) == created)
            }
            guard
                case .staleVersion(1) = await failure(of: {
                    try await test.catalogue.replace(wanted, version: 7)
                })
            else {
                Issue.record("no refusal of a stale version")
                return
            }
        }
    }

    @Test("Settings whose texts differ in Unicode normalization only are others")
    func normalization() async throws {
        try await withCatalogue { test in
            for (id, text) in [("title", \ChannelSettings.title), ("url", \.sources[0].url)] {
                var wanted = try settings(id)
                wanted[keyPath: text] = "http://origin.test/t\u{e9}l\u{e9}.m3u8"
                _ = try await test.catalogue.create(wanted)
                wanted[keyPath: text] = "http://origin.test/te\u{301}le\u{301}.m3u8"
                #expect(try await test.catalogue.replace(wanted).version == 2)
                let stored = try #require(await test.catalogue.channel(wanted.id)).settings
                #expect(stored[keyPath: text].utf8.elementsEqual(wanted[keyPath: text].utf8))
            }
        }
    }

    @Test("A channel that does not exist or was deleted can be neither replaced nor deleted")
    func absent() async throws {
        try await withCatalogue { test in
            _ = try await test.catalogue.create(try settings("gone"))
            try await test.catalogue.delete(try slug("gone"))
            for id in ["never", "gone"] {
                let wanted = try settings(id)
                for error in [
                    await failure(of: { try await test.catalogue.replace(wanted) }),
                    await failure(of: { try await test.catalogue.delete(wanted.id) }),
                ] {
                    guard case .noSuchChannel(wanted.id) = error else {
                        Issue.record("\(id): \(String(describing: error))")
                        continue
                    }
                }
            }
        }
    }

    @Test(
        "A deleted channel is not listed but still known, and a stale version does not delete"
    )
    func deleting() async throws {
        try await withCatalogue { test in
            let channel = try await test.catalogue.create(try settings("news"))
            guard
                case .staleVersion(1) = await failure(of: {
                    try await test.catalogue.delete(channel.id, version: 7)
                })
            else {
                Issue.record("a stale version deleted")
                return
            }
            try await test.catalogue.delete(channel.id, version: 1)
            let tombstone = try await test.catalogue.channel(channel.id)
            #expect(tombstone?.isDeleted == true && tombstone?.row == channel.row)
            #expect(try await test.catalogue.channels(limit: 10).isEmpty)
            #expect(try await test.catalogue.everyChannel().map(\.id) == [channel.id])
        }
    }

    @Test("A channel that is created again keeps its row, archive, published head and playlist form")
    func creatingAgain() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<3, on: recording)
            try await test.catalogue.setPlaylistForm(.multivariant, of: recording.row)
            try await test.catalogue.delete(recording.channel.id)
            let again = try await test.catalogue.create(try settings("news", title: "Again"))
            #expect(again.row == recording.row && again.version == 3 && !again.isDeleted)
            #expect(again.settings.title == "Again" && again.playlistForm == .multivariant)
            #expect(try await test.held(recording).count == 3)
            #expect(try await test.catalogue.publishedHead(of: again.row).end == midnight + 12 * second)
        }
    }

    @Test("Pages are ordered by the bytes of the ids, and each channel is on exactly one")
    func paging() async throws {
        try await withCatalogue { test in
            let ids = ["a", "a-1", "a0", "a_", "b", "0"]
            for id in ids { _ = try await test.catalogue.create(try settings(id)) }
            var found: [String] = []
            while true {
                let page = try await test.catalogue.channels(after: found.last ?? "", limit: 4)
                found += page.map(\.id.text)
                if page.count < 4 { break }
            }
            #expect(found == ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        }
    }

    @Test("A playlist form changes from media to multivariant but never back")
    func playlistForm() async throws {
        try await withCatalogue { test in
            let channel = try await test.catalogue.create(try settings("news"))
            for (wanted, expected) in [
                (PlaylistForm.media, PlaylistForm.media), (.multivariant, .multivariant),
                (.media, .multivariant),
            ] {
                try await test.catalogue.setPlaylistForm(wanted, of: channel.row)
                #expect(try await test.catalogue.channel(channel.id)?.playlistForm == expected)
            }
            #expect(try await test.catalogue.channel(channel.id)?.version == 1)
        }
    }

    @Test(
        "The watermark is stored when a channel changes from media, and only then"
    )
    func mediaUntil() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.catalogue.setPlaylistForm(.media, of: recording.row)
            try await test.publish(0..<3, on: recording)
            #expect(try await test.catalogue.channel(recording.channel.id)?.mediaUntil == nil)
            for numbers in [0..<3, 3..<5] as [Range<Int64>] {
                try await test.publish(numbers, on: recording)
                try await test.catalogue.setPlaylistForm(.multivariant, of: recording.row)
                let channel = try await test.catalogue.channel(recording.channel.id)
                #expect(channel?.mediaUntil == midnight + 12 * second)
            }
            let other = try await ChannelRecording("other", in: test)
            try await test.publish(0..<3, on: other)
            try await test.catalogue.setPlaylistForm(.multivariant, of: other.row)
            #expect(try await test.catalogue.channel(other.channel.id)?.mediaUntil == nil)
        }
    }
}
