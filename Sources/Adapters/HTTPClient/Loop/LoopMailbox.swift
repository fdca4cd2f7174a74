import Dispatch
import Synchronization

/// Commands of other threads to the loop.
enum LoopCommand: Sendable {
    case start(TransferJob)
    case resume(TransferID)
    case cancel(TransferID)
    case closeSession(SessionID)
    case stop
}

/// The connection to the loop's thread: commands in order, and a wake-up.
///
/// Shared by the client, its sessions and transfers, and the loop; the multi handle is freed with the last of
/// them.
final class LoopMailbox: Sendable {
    let multi: MultiHandle
    private let inbox = Mutex(Inbox())
    /// Counts commands, so that a pause ends with the first.
    private let arrivals = DispatchSemaphore(value: 0)

    private struct Inbox {
        var commands: [LoopCommand] = []
        var isClosed = false
        var isOver = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        var lastNumber: UInt = 0
    }

    init(_ multi: consuming MultiHandle) {
        self.multi = multi
    }

    /// A new number, from 1 on.
    func nextNumber() -> UInt {
        inbox.withLock { inbox in
            inbox.lastNumber += 1
            return inbox.lastNumber
        }
    }

    /// Sends a command to the loop; false when the loop has ended.
    @discardableResult
    func post(_ command: LoopCommand) -> Bool {
        let isTaken = inbox.withLock { inbox in
            guard !inbox.isClosed else { return false }
            if case .stop = command { inbox.isClosed = true }
            inbox.commands.append(command)
            return true
        }
        if isTaken {
            arrivals.signal()
            multi.wakeUp()
        }
        return isTaken
    }

    /// Loop thread: removes and returns the commands.
    func removeCommands() -> [LoopCommand] {
        let commands = inbox.withLock { inbox in
            let commands = inbox.commands
            inbox.commands = []
            return commands
        }
        // One that was posted just now may be counted later: it ends a pause early, nothing else.
        for _ in commands where arrivals.wait(timeout: .now()) == .timedOut { break }
        return commands
    }

    /// Loop thread: pauses until there is a command, but not longer than this time.
    func pause(milliseconds: Int) {
        guard milliseconds > 0 else { return }
        _ = arrivals.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    /// Loop thread: states that no further command is processed.
    func announceEnd() {
        let waiters = inbox.withLock { inbox in
            inbox.isOver = true
            let waiters = inbox.waiters
            inbox.waiters = []
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the loop has ended.
    func end() async {
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            let isOver = inbox.withLock { inbox in
                if !inbox.isOver { inbox.waiters.append(waiter) }
                return inbox.isOver
            }
            if isOver { waiter.resume() }
        }
    }
}
