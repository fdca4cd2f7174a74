import Concurrency
import SegmentStore
import Synchronization
import Timeline

/// The bytes and files missing to what must stay free; 0 or less if none are.
struct Shortage: Sendable, Equatable {
    var bytes: Int64
    var files: Int64

    var isNone: Bool { bytes <= 0 && files <= 0 }

    static func - (shortage: Shortage, deleted: Deleted) -> Shortage {
        Shortage(bytes: shortage.bytes - deleted.bytes, files: shortage.files - Int64(deleted.files))
    }
}

/// The result of one deletion under disk pressure.
struct DeletionStep {
    var deleted = Deleted()
    /// Hours that are done, with files or without.
    var doneHours = 0
    /// Channels of which files were deleted.
    var freed: Set<ChannelID> = []
    /// Channels of which hours could not be deleted.
    var failed: Set<ChannelID> = []
}

/// Watches whether deletions under disk pressure free space, and limits further deletions by that.
///
/// Files that cannot be deleted, snapshots and open files keep their space in use. Some file systems free
/// space only half a minute after a deletion. Deleting more recordings in the meantime would not help. So
/// only a few deletions are made before the free space is checked. If it has not grown within a pause, one
/// more deletion is tried, and the pause doubles each time. A channel whose files cannot be deleted has its
/// own pauses.
final class DeletionEffect: Sendable {
    /// Why no space becomes free.
    enum FailureCause: String {
        case undeletable = "files of the archive cannot be deleted"
        case withoutEffect =
            "deleted files free no space: do snapshots or open files hold it?"
    }

    fileprivate struct State {
        /// Deletions whose effect has not been seen.
        var unseen = Change()
        /// The number of these deletions, including failed ones.
        var steps = 0
        /// When the first and the last of them were; nil if there are none.
        var firstAt: SteadyInstant?
        var lastAt: SteadyInstant?
        /// The least space that was free since the first of them, and what was short then.
        var lowest: StorageSpace?
        var shortage = Shortage(bytes: 0, files: 0)
        /// Steps that may be taken before their effect is seen.
        var allowance = Limits.unconfirmedSteps
        var pause = Limits.effectPause
        var failureCause: FailureCause?
        /// State that is kept when space has become free.
        var persistent = PersistentState()
    }

    /// State that does not depend on whether space becomes free.
    fileprivate struct PersistentState {
        /// Until when hours that failed are not tried again.
        var retry: SteadyInstant?
        /// Channels whose files could not be deleted, and until when nothing more of them expires; at most
        /// one entry per channel.
        var stuck: [ChannelID: (until: SteadyInstant, pause: Duration)] = [:]
        /// Until when they are not tried even if no other channel has anything left.
        var stuckRetry: SteadyInstant?
        var writing = WritingRate()
    }

    private let state = Mutex(State())

    /// What was deleted and has not been seen as free space.
    var unseen: Deleted { state.withLock { $0.unseen.deleted } }

    var failureCause: FailureCause? { state.withLock { $0.failureCause } }

    /// Whether one more step may be taken before the effect of the earlier ones is seen.
    ///
    /// While space becomes free, steps beyond the allowance may follow for `Limits.effectPause`, as long as
    /// fewer than `bytes` deleted bytes are unseen.
    func allowsStep(bytes: Int64, at now: SteadyInstant) -> Bool {
        state.withLock { $0.allowsStep(bytes: bytes, at: now) }
    }

    /// Whether pending hours may be deleted now; every `Limits.effectPause` while no space becomes free.
    func allowsPending(bytes: Int64, at now: SteadyInstant) -> Bool {
        state.withLock { state in
            if let retry = state.persistent.retry, now < retry { return false }
            if state.allowsStep(bytes: bytes, at: now) { return true }
            if state.failureCause != nil { state.persistent.retry = now + Limits.effectPause }
            return state.failureCause != nil
        }
    }

    /// Channels whose files could not be deleted lately, so that nothing more of them is to expire.
    func stuck(at now: SteadyInstant) -> Set<ChannelID> {
        state.withLock { Set($0.persistent.stuck.filter { now < $0.value.until }.keys) }
    }

    /// Whether such a channel may be tried because no other one has anything left.
    func allowsStuck(at now: SteadyInstant) -> Bool {
        state.withLock { state in state.persistent.stuckRetry.map { now >= $0 } ?? true }
    }

    /// Compares the free space with what was deleted before.
    func look(_ space: StorageSpace, isShort: Bool, isRecording: Bool, at now: SteadyInstant) {
        state.withLock { state in
            state.persistent.writing.look(
                space, isRecording: isRecording, isQuiet: state.lastAt == nil, at: now)
            state.look(space, isShort: isShort, at: now)
        }
    }

    /// Enters a deletion that began at `began`, with the space before and after it.
    ///
    /// `channel` is that of which a quarter of an hour expired for it, if one did.
    ///
    /// A step that finds nothing to delete, as where all that has expired is kept, counts for nothing.
    func enter(
        _ step: DeletionStep, shortage: Shortage, from before: StorageSpace, to after: StorageSpace,
        expired channel: ChannelID?, began: SteadyInstant, at now: SteadyInstant,
    ) {
        state.withLock { state in
            if !step.failed.isEmpty { state.persistent.retry = now + Limits.effectPause }
            if let channel { state.enterStuck(channel, step, at: now) }
            let written = state.persistent.writing.bytes(in: now - began)
            let change = Change(step.deleted, from: before, to: after, written: written)
            state.enter(change, of: step, shortage: shortage, to: after, expired: channel != nil, at: now)
            state.persistent.writing.interrupt()
        }
    }
}

extension DeletionEffect.State {
    fileprivate func allowsStep(bytes: Int64, at now: SteadyInstant) -> Bool {
        if steps < allowance { return true }
        guard failureCause == nil, let firstAt else { return false }
        return unseen.deleted.bytes < bytes && now - firstAt < Limits.effectPause
    }

    fileprivate mutating func look(_ space: StorageSpace, isShort: Bool, at now: SteadyInstant) {
        if !isShort { failureCause = nil }
        guard let lastAt, let firstAt, let lowest else { return }
        if Change(unseen.deleted, from: lowest, to: space).isSeen(in: shortage) { return becameFree() }
        self.lowest = lowest.least(space)
        guard now - (isUndecided ? firstAt : lastAt) >= pause else { return }
        if isShort, !isUndecided {
            if unseen.deleted.files > 0 || failureCause == nil {
                failureCause = .withoutEffect
                allowance = 1
            }
            pause = min(pause * 2, Limits.longestEffectPause)
        }
        (unseen, steps, self.firstAt, self.lastAt, self.lowest) = (Change(), 0, nil, nil, nil)
    }

    /// Whether recorders may have used the freed space already, so that no effect can be seen.
    private var isUndecided: Bool {
        shortage.bytes > 0 && unseen.deleted.files > 0 && unseen.deleted.bytes < unseen.written
    }

    fileprivate mutating func enter(
        _ change: Change, of step: DeletionStep, shortage: Shortage, to after: StorageSpace, expired: Bool,
        at now: SteadyInstant,
    ) {
        let hasFailed = change.deleted.files == 0 && !step.failed.isEmpty
        // Hours that failed before say nothing new.
        guard change.deleted.files > 0 || hasFailed && expired else { return }
        self.shortage = shortage
        unseen.add(change)
        if change.isSeen(in: shortage) || unseen.isSeen(in: shortage) { return becameFree() }
        lowest = (lowest ?? after).least(after)
        firstAt = firstAt ?? now
        lastAt = expired ? now : lastAt ?? now
        steps += 1
        if hasFailed {
            failureCause = .undeletable
            allowance = min(allowance, Limits.unconfirmedSteps)
        }
    }

    /// Nothing more of a channel expires for a while if its files could not be deleted.
    fileprivate mutating func enterStuck(_ channel: ChannelID, _ step: DeletionStep, at now: SteadyInstant) {
        if step.freed.contains(channel) {
            persistent.stuck[channel] = nil
        } else if step.failed.contains(channel) {
            let former = persistent.stuck[channel]?.pause
            let next = former.map { min($0 * 2, Limits.longestEffectPause) } ?? Limits.stuckPause
            persistent.stuck[channel] = (now + next, next)
            persistent.stuckRetry = now + pause
        }
    }

    /// Space has become free: resets all but `persistent`, and doubles the allowance up to its limit.
    private mutating func becameFree() {
        let (allowance, persistent) = (min(2 * allowance, Limits.maximumUnconfirmedSteps), persistent)
        self = Self()
        self.allowance = max(allowance, Limits.unconfirmedSteps)
        self.persistent = persistent
    }
}

/// What was deleted, and how the free space changed.
private struct Change {
    var deleted = Deleted()
    var bytes: Int64 = 0
    var files: Int64 = 0
    /// Bytes that recorders are taken to have written meanwhile.
    var written: Int64 = 0

    init() {}

    init(_ deleted: Deleted, from before: StorageSpace, to after: StorageSpace, written: Int64 = 0) {
        (self.deleted, self.written) = (deleted, written)
        bytes = after.availableBytes - before.availableBytes
        files = (after.availableFiles ?? 0) - (before.availableFiles ?? 0)
    }

    mutating func add(_ other: Change) {
        deleted.files += other.deleted.files
        deleted.bytes += other.deleted.bytes
        bytes += other.bytes
        files += other.files
        written += other.written
    }

    /// Whether a share of the deleted bytes and files is free now, for each of the two that was short.
    ///
    /// A share is enough, because others write meanwhile.
    func isSeen(in shortage: Shortage) -> Bool {
        guard deleted.files > 0 else { return false }
        return
            (shortage.bytes <= 0
            || bytes + written >= max(1, (deleted.bytes + written) / Limits.effectShare))
            && (shortage.files <= 0 || files >= max(1, Int64(deleted.files) / Limits.effectShare))
    }
}

extension StorageSpace {
    fileprivate func least(_ other: Self) -> Self {
        StorageSpace(
            totalBytes: totalBytes, availableBytes: min(availableBytes, other.availableBytes),
            availableFiles: availableFiles.flatMap { own in other.availableFiles.map { min(own, $0) } })
    }
}
