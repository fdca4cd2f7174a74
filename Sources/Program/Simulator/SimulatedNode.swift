import Catalogue
import Journal
import Monitoring
import Recorder
import Timeline

/// A recorder process with its disk: what it knows is gone when it is killed, its journal stays.
struct SimulatedNode {
    let index: Int
    /// Rises with each start of the process: what happens to an earlier one is dropped.
    var generation = 0
    var state: RecordingState?
    var lease: Lease?
    /// When the state wants to be told that time has passed.
    var wait: Instant?
    var journal = SimulatedJournal()
    /// The append under way: all, some or none of it survives a kill.
    var appending: [JournalEntry] = []
    /// Few of the held segments were not enough.
    var readsAll = false
    /// Microseconds until the next try to record.
    var pause: Int64 = 1_000_000
    var status: ChannelStatus?
    /// Since when it has asked for the lease and records nothing.
    var askedSince: Instant?
    /// Whether facts go into the catalogue; not without a lease.
    var publishes = true
    /// What the state folder keeps for a start without PostgreSQL.
    var resumePoint: ResumePoint?
    /// What the last recorder of this process was still to fetch.
    var unfinished: [SegmentRequest] = []
    /// The keys that this process has.
    var keys: Set<HeldKey> = []
    /// The bytes of segments whose facts are in the file of what PostgreSQL refuses.
    var refused: Set<[UInt8]> = []

    /// The first and the last heartbeat since the last pause of more than a lease; nil before the first.
    private(set) var beats: (first: Instant, last: Instant)?

    mutating func beat(at now: Instant) {
        let isPause = beats.map { now - $0.last > SimulatedCatalogue.lease } ?? true
        beats = (isPause ? now : beats?.first ?? now, now)
    }

    /// Whether the catalogue has heard this node for as long as a lease lasts: only then it takes over.
    func isSteady(at now: Instant) -> Bool {
        guard let beats else { return false }
        return now - beats.first >= SimulatedCatalogue.lease && now - beats.last <= SimulatedCatalogue.lease
    }

    struct HeldKey: Hashable {
        var source: Int
        var number: Int
    }

    /// The process dies.
    mutating func crash(_ chance: inout SeededRandomNumberGenerator) {
        generation += 1
        (state, lease, wait, status, askedSince) = (nil, nil, nil, nil, nil)
        (unfinished, keys, readsAll, beats) = ([], [], false, nil)
        _ = journal.append(appending.prefix(Int.random(in: 0...appending.count, using: &chance)))
        appending = []
        journal.crash(&chance)
    }
}
