import Timeline
import ViewerAPI

/// Every bound of the program, with its unit and its reason.
enum Limits {
    /// Bytes of a file of settings: a page of text; more is another file.
    static let settingFileByteCount = 1 << 20
    /// Bytes of a file in the state folder that holds one word.
    static let stateFileByteCount = 4096
    /// Characters of an admin token: it travels in a header line of every request.
    static let tokenCharacters = 1024
    /// Random bytes of a token that the program makes: 256 bits are beyond guessing.
    static let tokenByteCount = 32
    /// Descriptors asked for: viewers, sources and files of one machine, with room.
    static let descriptors: UInt64 = 65_536
    /// Descriptors that connections of viewers leave to files, sources and the database.
    static let reservedDescriptors = 1_024
    /// Connections to the database for the recorder's writing and the retention's forgetting.
    static let recordingConnections = 4
    /// Connections to the database for questions of viewers and operators.
    static let servingConnections = 6
    /// First and longest pause between two attempts to reach a database that is not up yet.
    static let databasePause = (first: Duration.milliseconds(200), longest: Duration.seconds(5))
    /// Time between two log lines that say the database is not up yet.
    static let databaseReport = Duration.seconds(30)
    /// Seconds after which somebody may ask again while the program waits for its database.
    static let retryWhenStarting = 2
    /// Time for viewers' downloads to finish when the program stops.
    static let drain = Duration.seconds(10)
    /// Seconds from the first signal to an end by force: ten for downloads, and the tidying.
    static let stoppingSeconds = 25
    /// The longest span that a setting in seconds may state: a hundred years, far from any overflow in microseconds.
    static let seconds = 100 * 366 * 86_400
    /// The longest window that may be allowed, seconds: what one playlist may ever list.
    static let longestWindow = Int(ViewerConfiguration.longestWindowSeconds)
    /// The default retention, seconds: within the bounds that the admin API sets for a channel.
    static let retention =
        Int(ChannelSettings.retentionBounds.lowerBound)...Int(ChannelSettings.retentionBounds.upperBound)
}
