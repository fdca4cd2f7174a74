/// Every bound of this module, with its unit and its reason.
package enum Limits {
    /// Bytes of an object read as a whole: keys have 16, initialization sections a few thousand.
    static let wholeObjectByteCount = 4 << 20
    /// Objects written at once, each one descriptor: 1,000 channels of three renditions have fewer under way.
    static let openDrafts = 4096
    /// Versions of one segment: a source that gives other bytes each time must not fill the hour.
    package static let revisions = 1000
    /// Tries to put a file into a folder that retention deletes at the same time.
    package static let placements = 16
    /// Threads that write and sync: more threads do not make a disk faster.
    static let writerThreads = 4
    /// Threads that read objects piece by piece: more do not make a disk faster.
    static let readerThreads = 4
    /// Bytes read at once to compare an object with another, or to have it in memory.
    static let comparisonByteCount = 256 << 10
    /// Folders known to be durable, of which as many more are kept that were used before: the open hours of
    /// 10,000 renditions, 3 MB each; beyond it they are synced again.
    static let durableFolders = 32_768
    /// Drafts of a crash that get their names, and are removed, before the next ones.
    static let draftsAtOnce = 1_000
    /// Time between two syncs of the names of all folders, for each folder: few renditions do not wait.
    static let namePause = Duration.milliseconds(2)
    /// The longest time between them: a second of 200 channels has 50 names, which share four syncs.
    static let longestNamePause = Duration.milliseconds(250)
    /// How long names wait for the sync of their own folder: thirty segments of four seconds share one.
    static let folderSyncInterval = Duration.seconds(120)
    /// Past syncs whose results are kept; each name reads its result long before this many others follow.
    static let keptSyncs = 1000
    /// Open files that wait for their next request, unless the program knows how many descriptors there are.
    package static let openFiles = 256
    /// Rounds, of about a second, after which an open file is closed: until then a deleted one keeps its
    /// space.
    static let openFileRounds = 60
    /// The same for one that was not used.
    static let unusedFileRounds = 15
    /// Bytes of an object that are in memory before the kernel sends it: ten seconds at 50 Mbit/s.
    ///
    /// A longer object is a stream, of which a client may have few at a time.
    static let preparedByteCount: UInt64 = 64 << 20
    /// Age from which files of another host's opening are removed, seconds: a segment is written in minutes.
    static let foreignDraftSeconds = 3600
    /// Tries to make a lock that no sweep of another process takes away.
    static let lockAttempts = 8
}
