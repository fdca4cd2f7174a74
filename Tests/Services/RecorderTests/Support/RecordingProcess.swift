import Catalogue
import Concurrency
import HLS
import HTTPClient
import Journal
import SegmentStore
import TestSupport
import Timeline

@testable import Recorder

/// A process that records the channel of a house, driven by hand: what it lists and what is stored is said to it.
struct RecordingProcess: Sendable {
    let recorder: ChannelRecorder
    let lease: Lease
    let parts: RecorderParts

    /// Takes the channel, goes on where catalogue and journal stand, and opens renditions.
    ///
    /// The journal is the house's, unless another folder is given.
    init(
        _ house: House, opening renditions: [RenditionID] = [], journal folder: String? = nil,
        node: String = House.node, clock: HostClock = .system,
    ) async throws {
        parts = RecorderParts(
            catalogue: house.catalogue, store: MemorySegmentStore(),
            journal: try Journal.open(folder: folder ?? house.journal.path, logger: House.quiet),
            client: try HTTPClient.open(ClientConfiguration(logger: House.quiet)),
            addressPolicy: AddressPolicy(), board: StatusBoard(), clock: clock, isDiskFull: { false })
        guard let lease = try await house.catalogue.takeLease(channel: house.channel.row, node: node) else {
            throw TestFailure("no lease")
        }
        self.lease = lease
        recorder = ChannelRecorder(
            channel: house.channel, lease: lease, parts: parts,
            journal: try parts.journal.channel(house.channel.id), logger: House.quiet)
        try await recorder.resume(
            heads: house.catalogue.heads(of: house.channel.row),
            newestSourceRun: house.catalogue.newestSourceRun(of: house.channel.row))
        for rendition in renditions { await recorder.open(RenditionDescription(id: rendition)) }
    }

    /// Records from an origin while `body` runs, then stops.
    func recording(from origin: Origin, _ body: () async throws -> Void) async throws {
        let fetching = ChannelFetching(recorder: recorder)
        let source = SourceRecorder(
            recorder: recorder, link: try origin.link(), fetching: fetching, hasAlternative: false)
        let running = Task { try await source.run() }
        try await body()
        running.cancel()
        _ = try await running.value
        await fetching.pools.drain(within: .zero)
    }

    /// Ends like a killed process: nothing is done but that its files are let go.
    func kill() async {
        await parts.journal.close()
        await parts.client.close()
    }

    /// Lists segments with these numbers, six seconds each, and gives the new ones.
    @discardableResult
    func list(_ numbers: ClosedRange<Int>, of rendition: RenditionID = video(0)) async -> [ListedSegment] {
        let playlist = RecorderTests.list(numbers, date: { Double($0) * 6 })
        let time = Double(numbers.upperBound + 1) * 6
        let arrival = Arrival(date: at(time), moment: moment(time))
        return await recorder.listArrived(playlist, of: rendition, arrival: arrival).segments
    }

    func store(_ segments: [ListedSegment]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for segment in segments {
                group.addTask { try await recorder.stored(segment, Self.stored(segment)) }
            }
            try await group.waitForAll()
        }
    }

    /// Lists and stores.
    func record(_ numbers: ClosedRange<Int>, of renditions: [RenditionID] = [video(0)]) async throws {
        for rendition in renditions { try await store(await list(numbers, of: rendition)) }
    }

    /// Enters batches until nothing is left; how many there were, and the most facts that were held between two.
    @discardableResult
    func commitAll() async throws -> (batches: Int, held: Int) {
        var batches = 0
        var held = 0
        repeat {
            guard try await recorder.commit() else { throw TestFailure("the lease is lost") }
            batches += 1
            held = max(held, await recorder.positions.count)
        } while await recorder.hasMore
        return (batches, held)
    }

    private static func stored(_ segment: ListedSegment) -> SegmentFetcher.Stored {
        let name = SegmentName(start: segment.start, revision: 0, fileExtension: .transportStream)
        let digest = withUnsafeBytes(of: segment.identity.number.bigEndian) { Array($0) }
        let object = CommittedObject(
            key: .segment(channel, segment.identity.rendition, name), byteCount: 1000, digest: digest,
            wasThere: false)
        return SegmentFetcher.Stored(
            object: object, format: SegmentFormat(container: .transportStream, tracks: "video:h264"),
            flags: segment.flags, plainBytes: 1000)
    }

    private static let channel = PublisherStage.fact(video(0), 0).channel
}
