import Concurrency
import SegmentStore
import Synchronization

/// What a disk lacks of that which is to stay free; zero of what it has.
struct Shortage: Sendable, Equatable {
    var bytes: Int64
    var files: Int64

    var isNone: Bool { bytes <= 0 && files <= 0 }

    static func - (shortage: Shortage, deleted: Deleted) -> Shortage {
        Shortage(bytes: shortage.bytes - deleted.bytes, files: shortage.files - Int64(deleted.files))
    }
}

/// What came of one deletion under disk pressure.
struct DeletionStep {
    var deleted = Deleted()
    /// Hours that are done, with files or without.
    var doneHours = 0
    var failedHours = 0
}

/// Whether what is deleted under disk pressure becomes free, and how much may therefore be deleted.
///
/// Files that cannot be deleted, snapshots, and readers that hold files open keep their space in use; some
/// file systems free it half a minute later. What expires meanwhile is lost for nothing. So only a few
/// deletions go ahead of their effect. Where none shows within a pause, one more is tried, and the pause
/// doubles each time.
final class DeletionEffect: Sendable {
    /// Why no space becomes free.
    enum Trouble: String {
        case undeletable = "files of the archive cannot be deleted"
        case withoutEffect =
            "what is deleted does not become free: do snapshots or open files hold it?"
    }

    fileprivate struct State {
        /// What was deleted and has not shown as free space.
        var unseen = Deleted()
        /// The steps that deleted it, those that failed included.
        var steps = 0
        /// When the last of them was; nil if all that was deleted has shown.
        var since: SteadyInstant?
        /// The least space that was free since the first of them, and what was short then.
        var lowest: StorageSpace?
        var shortage = Shortage(bytes: 0, files: 0)
        /// Steps that may go ahead of their effect.
        var allowance = Limits.stepsAhead
        var pause = Limits.effectPause
        var trouble: Trouble?
        /// Until when hours that failed are not tried again.
        var retry: SteadyInstant?
    }

    private let state = Mutex(State())

    /// What was deleted and has not shown as free space.
    var unseen: Deleted { state.withLock { $0.unseen } }

    var trouble: Trouble? { state.withLock { $0.trouble } }

    /// Whether an effect is waited for.
    var isAwaited: Bool { state.withLock { $0.since != nil } }

    /// Whether one more step may go ahead of its effect.
    var allowsStep: Bool { state.withLock { $0.steps < $0.allowance } }

    /// Whether hours that wait for their deletion may be tried: while something is wrong only from time to
    /// time.
    func allowsPending(at now: SteadyInstant) -> Bool {
        state.withLock { state in
            if let retry = state.retry, now < retry { return false }
            if state.steps < state.allowance { return true }
            if state.trouble != nil { state.retry = now + Limits.effectPause }
            return state.trouble != nil
        }
    }

    /// Compares the free space with what was deleted before.
    func look(_ space: StorageSpace, isShort: Bool, at now: SteadyInstant) {
        state.withLock { $0.look(space, isShort: isShort, at: now) }
    }

    /// Enters a deletion, with the space before and after it.
    ///
    /// A step that finds nothing to delete, as where all that has expired is kept, counts for nothing.
    func enter(
        _ step: DeletionStep, shortage: Shortage, from before: StorageSpace, to after: StorageSpace,
        expired: Bool, at now: SteadyInstant,
    ) {
        state.withLock { state in
            if step.failedHours > 0 { state.retry = now + Limits.effectPause }
            state.enter(step, shortage: shortage, from: before, to: after, expired: expired, at: now)
        }
    }
}

extension DeletionEffect.State {
    fileprivate mutating func look(_ space: StorageSpace, isShort: Bool, at now: SteadyInstant) {
        if !isShort { trouble = nil }
        guard let since, let lowest else { return }
        if space.hasRisen(from: lowest, by: unseen, of: shortage) { return showed() }
        self.lowest = lowest.least(space)
        guard now - since >= pause else { return }
        if isShort {
            trouble = trouble ?? .withoutEffect
            allowance = 1
            pause = min(pause * 2, Limits.longestEffectPause)
        }
        (unseen, steps, self.since, self.lowest) = (Deleted(), 0, nil, nil)
    }

    fileprivate mutating func enter(
        _ step: DeletionStep, shortage: Shortage, from before: StorageSpace, to after: StorageSpace,
        expired: Bool, at now: SteadyInstant,
    ) {
        let hasFailed = step.deleted.files == 0 && step.failedHours > 0
        // Hours that failed before say nothing new.
        guard step.deleted.files > 0 || hasFailed && expired else { return }
        self.shortage = shortage
        if after.hasRisen(from: before, by: step.deleted, of: shortage) { return showed() }
        unseen.files += step.deleted.files
        unseen.bytes += step.deleted.bytes
        lowest = (lowest ?? before).least(after)
        since = expired ? now : since ?? now
        steps += 1
        if hasFailed {
            trouble = .undeletable
            allowance = 1
        }
    }

    /// Space has become free: as many more steps may go ahead of their effect as have proved to be needed.
    private mutating func showed() {
        let (allowance, retry) = (min(2 * allowance, Limits.mostStepsAhead), retry)
        self = Self()
        self.allowance = max(allowance, Limits.stepsAhead)
        self.retry = retry
    }
}

extension StorageSpace {
    /// Whether of all that was short at least a part of what was deleted is free now; others write meanwhile.
    fileprivate func hasRisen(from before: Self, by deleted: Deleted, of shortage: Shortage) -> Bool {
        guard deleted.files > 0 else { return false }
        let files = (availableFiles ?? 0) - (before.availableFiles ?? 0)
        return
            (shortage.bytes <= 0
            || availableBytes - before.availableBytes >= max(1, deleted.bytes / Limits.effectShare))
            && (shortage.files <= 0 || files >= max(1, Int64(deleted.files) / Limits.effectShare))
    }

    fileprivate func least(_ other: Self) -> Self {
        StorageSpace(
            totalBytes: totalBytes, availableBytes: min(availableBytes, other.availableBytes),
            availableFiles: availableFiles.flatMap { own in other.availableFiles.map { min(own, $0) } })
    }
}
