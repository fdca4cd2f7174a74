import Testing
import Timeline

@testable import Catalogue

@Suite("Announced commits")
struct PublishedHeadChangeTests {
    @Test("A change survives encoding, up to the maximum number of quarters")
    func payload() {
        for count in [0, 1, Limits.announcedQuarters, Limits.announcedQuarters + 1] {
            let quarters = (0..<count).map {
                Quarter(rendition: .max, containing: 4_000_000_000_000_000 + Int64($0) * Quarter.microseconds)
            }
            let change = PublishedHeadChange(channel: .max, revision: .max, touched: Set(quarters))
            let heard = PublishedHeadChange(payload: change.payload)
            #expect(change.payload.utf8.count < 8000)
            #expect(heard?.channel == .max && heard?.revision == .max)
            #expect(heard?.touched == (count > Limits.announcedQuarters ? nil : Set(quarters)))
        }
    }

    @Test(
        "Payloads of other programs are ignored",
        arguments: [
            "", "7", "7 x", "7 1 2", "7 1 2:", "7 1 2:3:4", "7 1 * 2:3", "7 1 2:9999999999999999", "7  1",
        ])
    func foreign(payload: String) {
        #expect(PublishedHeadChange(payload: payload) == nil)
    }

    @Test(
        "Every commit is announced with all quarters it touched, also those of a former owner and of retention"
    )
    func revisions() async throws {
        try await withCatalogue { test in
            let recording = try await ChannelRecording(in: test)
            try await test.publish(0..<300, on: recording)
            var stale = recording.batch([.archived(recording.fact(301))])
            stale.fence = recording.fence - 1
            #expect(try await test.catalogue.commit(stale) == false)
            var changes = test.catalogue.changes().makeAsyncIterator()
            #expect(await changes.next() == .anything)
            _ = try await test.catalogue.commit(recording.batch([.archived(recording.fact(302))]))
            try await test.catalogue.expire(
                recording.channel, before: midnight + 16 * minute, graceSeconds: 0)
            let quarters = [0, 15].map {
                Quarter(rendition: 1, containing: (midnight + $0 * minute).microseconds)
            }
            #expect(
                await changes.next()
                    == .publishedHead(
                        PublishedHeadChange(channel: recording.row, revision: 3, touched: [quarters[1]])))
            #expect(
                await changes.next()
                    == .publishedHead(
                        PublishedHeadChange(channel: recording.row, revision: 4, touched: Set(quarters))))
            #expect(try await test.catalogue.head(of: recording.row).revision == 4)
            #expect(try await test.catalogue.channels(changedSince: [recording.row: 4, 99: 0]).isEmpty)
            #expect(try await test.catalogue.channels(changedSince: [recording.row: 3]) == [recording.row])
            try await test.catalogue.purge(recording.channel.id, graceSeconds: 0)
            #expect(await changes.next() == .channel(recording.channel.id))
            #expect(
                await changes.next()
                    == .publishedHead(PublishedHeadChange(channel: recording.row, revision: 5, touched: nil)))
        }
    }
}
