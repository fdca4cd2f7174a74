/// Every bound of this module, with its unit and its reason.
enum Limits {
    /// Connections of one pool; a PostgreSQL with default settings accepts 100 in total.
    static let poolSize = 64
    /// Tasks that may wait for a free connection; more means that the database is overloaded.
    static let waiters = 1_024
    /// Rows of one result: a window of 24 hours at 4 s has 21,600; this is all segments of some months.
    static let rows = 2_000_000
    /// Addresses of all servers, and of one name, that are tried for one connection: each may take the whole
    /// time.
    static let addresses = 16
    /// Time for each address to answer when a pool that reads from a standby looks for the primary: a request
    /// waits meanwhile.
    static let primaryTimeout = Duration.seconds(1)
    /// Bytes of an address as text: 45 of IPv6, and an interface.
    static let addressByteCount = 128
    /// How long the addresses of a name are used that a lookup has found.
    static let lookupTime = Duration.seconds(10)
    /// Prepared statements per connection; the catalogue has fewer than a hundred.
    static let preparedStatements = 256
    /// Bytes of one statement's text and values; a batch of 100 facts has about 30 kB.
    static let statementByteCount = 64 << 20
    /// Values of one statement: the protocol counts them in 16 bits.
    static let parameters = 65_535
    /// Bytes of one migration file.
    static let migrationByteCount = 1 << 20
    /// Bytes of a server message that are kept in an error.
    static let messageByteCount = 4_096
    /// Additional time for the server after the statement timeout, before the connection counts as lost.
    static let answerGrace = Duration.seconds(5)
    /// Time for ROLLBACK and other cleanup of a connection; a slower connection is closed instead.
    static let cleanupTimeout = Duration.seconds(5)
    /// Pause before a cancel request is repeated.
    static let cancelPause = Duration.milliseconds(100)
    /// Time for a cancel request to end after it has ended a statement: the server then closes its
    /// connection.
    static let cancelEnd = Duration.seconds(1)
    /// Cancel requests of the process at a time, each with a thread, which a server that hangs may block for
    /// good; without another thread a statement runs until its timeout.
    static let cancelRequests = poolSize
    /// First and longest pause between attempts of a listener to reconnect.
    static let reconnectPause = (first: Duration.milliseconds(100), longest: Duration.seconds(2))
    /// Pause between attempts to get the lock for migrating.
    static let migrationLockPause = Duration.milliseconds(100)
    /// How long a migration waits for a lock: later statements queue up behind it meanwhile.
    static let migrationLockTimeout = Duration.seconds(2)
    /// Pause before a migration is tried again, in which the statements that queued up can run.
    static let migrationPause = Duration.seconds(3)
    /// Tries of one migration: two hours, which most backups take less than.
    static let migrationTries = 1_440
    /// Tries between two reports: one a minute.
    static let migrationReport = 12
}
