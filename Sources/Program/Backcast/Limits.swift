import Timeline
import ViewerAPI

/// Every bound of the program, with its unit and its reason.
enum Limits {
    /// Bytes of a file of settings: a larger file is a mistake.
    static let settingFileByteCount = 1 << 20
    /// Bytes of a file in the state folder that holds one word.
    static let stateFileByteCount = 4096
    /// Bytes of the file of public hosts that are read: a hundred thousand names.
    static let hostFileByteCount = 8 << 20
    /// Bytes of an answer of the admin API that a command reads: a page of a list.
    static let adminAnswerBytes = 16 << 20
    /// How long a command waits for an answer of the admin API.
    static let adminTimeout = Duration.seconds(60)
    /// Items of a list that a command shows.
    static let listedItems = 100_000
    /// Characters of an admin token: it travels in a header line of every request.
    static let tokenCharacters = 1024
    /// A configured token has at least so many, so that it cannot be guessed.
    static let minTokenCharacters = 24
    /// Random bytes of a generated token: 256 bits cannot be guessed.
    static let tokenByteCount = 32
    /// Threads that answer viewers: more than any machine has cores are a mistake.
    static let serverThreads = 1...256
    /// Processes of ffmpeg: each takes up to a core and a quarter of a gigabyte.
    static let remuxProcesses = 1...64
    /// Requested limit of descriptors: enough for the viewers, sources and files of one machine.
    static let descriptors: UInt64 = 65_536
    /// Descriptors reserved for sources, the database and files that are written.
    static let reservedDescriptors = 1_024
    /// The number of archive files kept open for later requests: at most a quarter of all descriptors.
    ///
    /// A file may take two descriptors; 4096 files are the last minutes of a thousand renditions.
    static func openFiles(descriptors: Int) -> Int { min(4_096, descriptors / 8) }
    /// Database connections of the recorder and of retention.
    static let recordingConnections = 4
    /// How long a statement of these waits for a lock, before it is tried again.
    ///
    /// The rows of a channel that is being purged are locked for half a minute and more, and others need the
    /// connection.
    static let recordingLockTimeout = Duration.seconds(2)
    /// Database connections for requests of viewers and operators: four read windows and two search at most.
    static let servingConnections = 8
    /// First and longest pause between attempts to reach a database that is not up yet.
    static let databasePause = (first: Duration.milliseconds(200), longest: Duration.seconds(5))
    /// Pause between two looks whether another version has changed the schema.
    static let schemaPause = Duration.seconds(60)
    /// Time between two log lines that report a missing database.
    static let databaseReportInterval = Duration.seconds(30)
    /// Seconds after which a client may retry while the program waits for its database.
    static let startupRetrySeconds = 2
    /// Pause between two times that a recording process gives free memory back.
    static let memoryPause = Duration.seconds(30)
    /// Time for answers in progress to finish when the program stops.
    static let drain = Duration.seconds(10)
    /// Seconds from the first signal to a forced end: ten for answers in progress, the rest for cleanup.
    static let stoppingSeconds = 25
    /// The longest span that a setting in seconds may state: a hundred years, far from any overflow in
    /// microseconds.
    static let longestSettingSeconds = 100 * 366 * 86_400
    /// The largest configurable window, seconds: what one playlist can list.
    static let longestWindow = Int(ViewerConfiguration.longestWindowSeconds)
    /// The default retention, seconds: within the bounds that the admin API sets for a channel.
    static let retention =
        Int(ChannelSettings.retentionBounds.lowerBound)...Int(ChannelSettings.retentionBounds.upperBound)
    /// The longest time for which the process that holds a folder is asked for the state of its tasks.
    static let holderAnswerTimeout = Duration.seconds(10)
    /// Requests at once to the process that holds a folder, which takes 256 connections of a client.
    static let holderTransfers = 64
    /// The longest wait for the answer that a task has been paused, or changed in another way.
    ///
    /// A recording that is packed before is waited for longer.
    static let holderStopTimeout = Duration.seconds(20)
    /// The longest wait for a process that holds a folder and does not answer: it is ending or starting.
    static let holderWaitTimeout = Duration.seconds(10)
    /// A connection that lasts at least this long counts as accepted, and the wait for its process begins
    /// again.
    static let shortestFollowing = Duration.seconds(1)
    /// The pause between two tries to reach it.
    static let holderPause = Duration.milliseconds(100)
    /// How long tasks of another process are followed over one connection: a day, as long as any transfer.
    static let holderFollowTimeout = Duration.seconds(86_400)
    /// The time that running answers of `backcast play` have when it stops: events never end by themselves.
    static let playDrain = Duration.milliseconds(500)
    /// The longest answer of `backcast play`: a range of a part that has to come whole.
    static let playAnswerTimeout = Duration.seconds(90)
    /// Bytes of a script of the installation; hls.js has half a megabyte.
    static let scriptBytes = 4 << 20
}
