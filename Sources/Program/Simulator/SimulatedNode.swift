import Catalogue
import Journal
import Monitoring
import Recorder
import Timeline

/// A recorder process with its disk: what it knows is gone when it is killed, its journal stays.
struct SimulatedNode {
    let index: Int
    /// Rises with each start of the process: what happens to an earlier one is dropped.
    var life = 0
    var state: RecordingState?
    var lease: Lease?
    /// When the state wants to be told that time has passed.
    var wait: Instant?
    var journal = SimulatedJournal()
    /// The append under way: all, some or none of it survives a kill.
    var appending: [JournalEntry] = []
    /// Microseconds until the next try to record.
    var pause: Int64 = 1_000_000
    var status: ChannelStatus?

    /// The process dies.
    mutating func die(_ chance: inout SeededChance) {
        life += 1
        (state, lease, wait, status) = (nil, nil, nil, nil)
        _ = journal.append(appending.prefix(Int.random(in: 0...appending.count, using: &chance)))
        appending = []
        journal.crash(&chance)
    }
}
