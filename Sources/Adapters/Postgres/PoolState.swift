/// The connections of a pool and their waiters: decisions only, made under the pool's lock.
struct PoolState<Connection, Waiter> {
    /// The decision for a caller that needs a connection.
    enum Decision {
        case use(Connection)
        /// Make a connection: it is already counted.
        case make
        /// Wait with this number.
        case wait
        case refuse(PostgresError)
    }

    private let size: Int
    private let waiterLimit: Int
    private var made = 0
    private var idle: [Connection] = []
    private var waiters: [Int: Waiter] = [:]
    /// Numbers in order of arrival; some waiters may have left.
    private var queue: [Int] = []
    private var isClosed = false

    init(size: Int, waiterLimit: Int) {
        self.size = size
        self.waiterLimit = waiterLimit
    }

    /// The connection used last is reused first, so that others become idle.
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

    /// Adds a waiter; false when it has to ask again instead of waiting.
    mutating func waiterArrived(_ number: Int, _ waiter: Waiter) -> Bool {
        guard !isClosed, idle.isEmpty, made >= size, waiters.count < waiterLimit else { return false }
        waiters[number] = waiter
        queue.append(number)
        return true
    }

    /// A waiter gave up; nil when it has been served already.
    mutating func waiterLeft(_ number: Int) -> Waiter? {
        defer { if queue.count > 2 * waiterLimit { queue.removeAll { waiters[$0] == nil } } }
        return waiters.removeValue(forKey: number)
    }

    /// A connection is free: returns the waiter that gets it; without one it becomes idle.
    ///
    /// After closing the connection is released.
    mutating func connectionReturned(_ connection: Connection) -> Waiter? {
        if let waiter = nextWaiter() { return waiter }
        if !isClosed { idle.append(connection) }
        return nil
    }

    /// A connection could not be made: returns the waiter that may try instead.
    mutating func connectingFailed() -> Waiter? {
        made -= 1
        return nextWaiter()
    }

    /// Closes: returns the connections to close and the waiters to refuse.
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
