import Synchronization

/// What other threads ask of the loop.
enum LoopCommand: Sendable {
    case start(TransferJob)
    case resume(TransferID)
    case cancel(TransferID)
    case closeSession(SessionID)
    case stop
}

/// The way into the loop's thread: commands in order, and a wake-up.
///
/// Shared by the client, its sessions and transfers, and the loop; the multi handle is freed with the last of them.
final class LoopMailbox: Sendable {
    let multi: MultiHandle
    private let inbox = Mutex(Inbox())

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

    /// A number that was not given before, from 1 on.
    func nextNumber() -> UInt {
        inbox.withLock { inbox in
            inbox.lastNumber += 1
            return inbox.lastNumber
        }
    }

    /// Hands a command to the loop; false when the loop takes none any more.
    @discardableResult
    func post(_ command: LoopCommand) -> Bool {
        let isTaken = inbox.withLock { inbox in
            guard !inbox.isClosed else { return false }
            if case .stop = command { inbox.isClosed = true }
            inbox.commands.append(command)
            return true
        }
        if isTaken { multi.wakeUp() }
        return isTaken
    }

    /// Loop thread: the commands since the last call.
    func take() -> [LoopCommand] {
        inbox.withLock { inbox in
            let commands = inbox.commands
            inbox.commands = []
            return commands
        }
    }

    /// Loop thread: nothing follows.
    func announceEnd() {
        let waiters = inbox.withLock { inbox in
            inbox.isOver = true
            let waiters = inbox.waiters
            inbox.waiters = []
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the loop is over.
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
