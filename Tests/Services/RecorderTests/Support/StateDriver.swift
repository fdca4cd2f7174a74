@testable import Catalogue
import HLS
import HTTP
@testable import Journal
import TestSupport
import Timeline

@testable import Recorder

/// `RecordingState` of a new channel, driven by hand: events at times of the test, and the actions that they
/// lead to.
struct StateDriver {
    private(set) var state: RecordingState
    private var lineCount = 0
    /// Lines that the journal has not written yet; nil while it writes at once.
    private var unwritten: Int?

    /// Begins recording with an empty journal; `opening` is what it asks of the source then.
    init(
        _ sources: [SourceSettings], heads: [RenditionHead] = [], newestRun: SourceRun? = nil,
        lastRun: SourceRun? = nil, unfinished: [SegmentRequest] = [], begun time: Double = 0,
    ) throws {
        guard let id = ChannelID("news") else { throw TestFailure("no id") }
        let settings = ChannelSettings(id: id, title: "News", sources: sources, retentionSeconds: nil)
        let nothing = Instant(microseconds: 0)
        state = RecordingState(
            channel: Channel(
                row: 1, settings: settings, version: 1, playlistForm: nil, mediaUntil: nil, isDeleted: false),
            lease: Lease(
                fence: 1,
                publishedHead: PublishedHead(
                    discontinuitySequence: 0, end: nothing, watermark: nothing, expiredBefore: nothing,
                    targetSeconds: 0)),
            heads: heads, newestRun: newestRun, lastRun: lastRun, unfinished: unfinished,
            at: Moment(date: at(time), steady: moment(time)), seed: 7)
        send(.started, at: time)
    }

    /// What is to be written into the journal is written at once, unless the journal is held.
    @discardableResult
    mutating func send(_ event: RecordingEvent, at time: Double) -> [RecordingAction] {
        var actions = state.handle(event, at: Moment(date: at(time), steady: moment(time)))
        for case .journal(let entries) in actions {
            if unwritten == nil {
                actions += write(entries.count, at: time)
            } else {
                unwritten = entries.count
            }
        }
        return actions
    }

    private mutating func write(_ count: Int, at time: Double) -> [RecordingAction] {
        let positions = (0..<count).map { JournalPosition(file: 1, line: lineCount + $0) }
        lineCount += count
        return send(.journalWritten(.success(positions)), at: time)
    }

    /// The journal takes what is written to it, and answers when it is released.
    mutating func holdJournal() {
        unwritten = 0
    }

    mutating func releaseJournal(at time: Double) -> [RecordingAction] {
        guard let count = unwritten.take(), count > 0 else { return [] }
        return write(count, at: time)
    }

    /// The journal does not take what was to be written to it since it was held.
    mutating func refuseJournal(_ error: JournalError, at time: Double) -> [RecordingAction] {
        guard let count = unwritten.take(), count > 0 else { return [] }
        return send(.journalWritten(.failure(error)), at: time)
    }

    /// Reads the empty journal, and once more for what waits in it; gives what is asked of the source.
    mutating func begin(at time: Double) -> [RecordingAction] {
        let actions = send(.journalRead(.success([])), at: time).filter {
            if case .readJournal = $0 { false } else { true }
        }
        return actions + send(.journalRead(.success([])), at: time)
    }

    /// Lets time pass until a playlist is asked for; nil when none is by then.
    mutating func playlistRequests(at time: Double) -> [PlaylistRequest] {
        send(.clockAdvanced, at: time).playlistRequests
    }

    /// Answers a request with a media playlist.
    mutating func answer(
        _ request: PlaylistRequest, _ playlist: MediaPlaylist, at time: Double,
    ) throws -> [RecordingAction] {
        let url = try HTTPURL(request.url?.absoluteString ?? request.use.source.url)
        let fetched = FetchedPlaylist(
            playlist: .media(playlist), base: url, arrival: Moment(date: at(time), steady: moment(time)))
        return send(.playlistArrived(fetched, request), at: time)
    }

    /// Answers a request for a playlist, from where it was redirected to.
    @discardableResult
    mutating func answer(
        _ request: PlaylistRequest, _ text: String, _ version: PlaylistVersion? = nil,
        from location: String? = nil, at time: Double,
    ) throws -> [RecordingAction] {
        let arrival = Moment(date: at(time), steady: moment(time))
        let url = try HTTPURL(location ?? request.url?.absoluteString ?? request.use.source.url)
        do {
            let source = VariableSource(url: url.absoluteString, imports: request.inherited.variables)
            let playlist = try Playlist.reading(Array(text.utf8), source: source).playlist
            var fetched = FetchedPlaylist(
                playlist: playlist, base: url, arrival: arrival, version: version)
            if let location, location != request.url?.absoluteString { fetched.redirectTarget = url }
            return send(.playlistArrived(fetched, request), at: time)
        } catch {
            return send(.playlistFailed(.unusable("\(error)"), request), at: time)
        }
    }
}

extension [RecordingAction] {
    var playlistRequests: [PlaylistRequest] {
        compactMap { if case .fetchPlaylist(let request) = $0 { request } else { nil } }
    }

    var segmentsToOpen: [KeyPendingSegment] {
        compactMap { if case .openPendingSegment(let segment, _) = $0 { segment } else { nil } }
    }

    /// The uses with whose connections segments are opened that waited for their keys.
    var usesToOpen: [SourceUse] {
        compactMap { if case .openPendingSegment(_, let use) = $0 { use } else { nil } }
    }

    var segmentRequests: [SegmentRequest] {
        compactMap { if case .fetchSegment(let request) = $0 { request } else { nil } }
    }

    var segmentURIs: [String] { segmentRequests.map(\.segment.entry.uri) }

    var probes: [ProbeRequest] {
        compactMap { if case .probeSegment(let request) = $0 { request } else { nil } }
    }
}
