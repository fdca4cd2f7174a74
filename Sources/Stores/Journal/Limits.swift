/// Every bound of this module, with its unit and its reason.
package enum Limits {
    /// Bytes that the facts of one channel may take while the catalogue is away: three renditions of
    /// four-second segments for some three days.
    static let channelByteCount: Int64 = 256 << 20
    /// Bytes of one fact as JSON; they have about a thousand.
    static let entryByteCount = 256 << 10
    /// Bytes of a resume point: settings, and the descriptions of renditions.
    static let resumeByteCount = 1 << 20
    /// Entries read back at once: they are held in memory, the others are not.
    static let replayedPerRead = 500
    /// Bytes after which a file is ended and another begun.
    static let fileByteCount: Int64 = 4 << 20
    /// Bytes after which a file whose entries are all done is removed, so that a restart has little to read.
    static let doneFileByteCount: Int64 = 256 << 10
    /// Bytes written before one sync: the latency of the appends that share it.
    static let groupByteCount = 1 << 20
    /// Seconds that a file is kept after the catalogue has taken all of it: as long as it takes to notice
    /// that a backup was restored, and as long as the catalogue knows identities.
    static let keptSeconds: Int64 = 48 * 3600
    /// Bytes of a channel's kept files: two days of three renditions of four-second segments.
    static let keptByteCount: Int64 = 192 << 20
    /// Free bytes of the disk below which no file is kept: the journal needs them, and so may PostgreSQL.
    static let keptFloor: Int64 = 2 << 30
    /// Free bytes of the disk below which nothing is appended, so that PostgreSQL on it can recover.
    static let appendFloor: Int64 = 64 << 20
    /// Bytes that all channels together may have waiting: a day of 200 channels without the catalogue.
    static let totalByteCount: Int64 = 16 << 30
    /// Entries in one measurement of the free space.
    static let entriesPerSpaceCheck = 100
    /// Time between two syncs of the log of all channels, for each channel in it: few channels do not wait.
    static let groupPause = Duration.milliseconds(2)
    /// The longest time between them: a second of 200 channels has 50 facts, which share four syncs.
    static let longestGroupPause = Duration.milliseconds(250)
    /// Bytes after which the log ends, and the files that it has lines of are synced: some thousand facts.
    static let logByteCount: Int64 = 16 << 20
    /// Threads that write and sync, shared by the channels.
    static let writerThreads = 4
    /// Bytes of a channel's lines in each of its files of lines that are set aside.
    ///
    /// Further lines stay in their journal files and count as waiting.
    static let setAsideByteCount: Int64 = 64 << 20
    /// Damaged files of a channel set aside for a person to look at.
    static let corruptCopies = 16
}

/// The bounds of a channel's files; tests take smaller ones.
struct FileBounds: Sendable {
    var channelByteCount = Limits.channelByteCount
    var fileByteCount = Limits.fileByteCount
    var doneFileByteCount = Limits.doneFileByteCount
    var setAsideByteCount = Limits.setAsideByteCount
    var keptSeconds: Int64 = 0
    var keptByteCount = Limits.keptByteCount
    var keptFloor = Limits.keptFloor
    var appendFloor = Limits.appendFloor
    var totalByteCount = Limits.totalByteCount
    /// Whether all channels share a log, which is synced in place of their files.
    var hasLog = false
    var groupPause = Limits.groupPause
    var logByteCount = Limits.logByteCount
}
