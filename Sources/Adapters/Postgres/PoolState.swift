/// Who has which connection and who waits: decisions only, made under the pool's lock.
struct PoolState<Connection, Waiter> {
    /// What a caller that wants a connection is told.
    enum Decision {
        case use(Connection)
        /// Make a connection: the place is reserved.
        case make
        /// Wait under this number.
        case wait
        case refuse(PostgresError)
    }

    private let size: Int
    private let waiterLimit: Int
    private var made = 0
    private var idle: [Connection] = []
    private var waiters: [Int: Waiter] = [:]
    /// Numbers in order of arrival; some may have left.
    private var queue: [Int] = []
    private var isClosed = false

    init(size: Int, waiterLimit: Int) {
        self.size = size
        self.waiterLimit = waiterLimit
    }

    /// The connection used last comes first: it is warm, and the others may rest.
    mutating func connectionWanted() -> Decision {
        if isClosed { return .refuse(PostgresError(.closed, "the pool is closed")) }
        if let connection = idle.popLast() { return .use(connection) }
        if made < size {
            made += 1
            return .make
        }
        if waiters.count < waiterLimit { return .wait }
        return .refuse(PostgresError(.exhausted, "\(waiterLimit) tasks wait for a connection already"))
    }

    /// Notes a waiter; false when it need not wait any more: ask again.
    mutating func waiterArrived(_ number: Int, _ waiter: Waiter) -> Bool {
        guard !isClosed, idle.isEmpty, made >= size, waiters.count < waiterLimit else { return false }
        waiters[number] = waiter
        queue.append(number)
        return true
    }

    /// A waiter gave up; nil when it was served before.
    mutating func waiterLeft(_ number: Int) -> Waiter? {
        defer { if queue.count > 2 * waiterLimit { queue.removeAll { waiters[$0] == nil } } }
        return waiters.removeValue(forKey: number)
    }

    /// A connection is free: the waiter that gets it, else it rests.
    ///
    /// After closing it is let go.
    mutating func connectionReturned(_ connection: Connection) -> Waiter? {
        if let waiter = nextWaiter() { return waiter }
        if !isClosed { idle.append(connection) }
        return nil
    }

    /// No connection could be made: its place is free, for the waiter that is told to ask again.
    mutating func makingFailed() -> Waiter? {
        made -= 1
        return nextWaiter()
    }

    /// Closes: the connections to close and the waiters to turn away.
    mutating func close() -> (connections: [Connection], waiters: [Waiter]) {
        isClosed = true
        defer { (idle, waiters, queue) = ([], [:], []) }
        return (idle, Array(waiters.values))
    }

    private mutating func nextWaiter() -> Waiter? {
        while !queue.isEmpty {
            if let waiter = waiters.removeValue(forKey: queue.removeFirst()) { return waiter }
        }
        return nil
    }
}
