import HLS
import Processes

/// Every bound of the module, with its unit and its reason.
enum Limits {
    /// Bytes of a segment: a minute of 50 Mb/s, as in the recorder.
    static let segmentBytes = 400 << 20
    /// Bytes of an initialization section; real ones have 1 to 4 KiB.
    static let initSectionBytes = 1 << 20
    /// Bytes of a key's answer: a key has 16, an error page some more.
    static let keyBytes = 4096
    /// Bytes of a body that tell whether it is a playlist, media or something else.
    static let kindBytes = 4096
    /// Attempts of one request.
    static let attempts = 8
    /// After so many answers 401, 403, 404 or 410 the playlist is read again; after as many more, it fails.
    static let refusals = 3
    /// Failed connections in a row after which the task waits for the network.
    static let connectionFailures = 3
    /// The first pause before a request is made again; it doubles.
    static let firstPause = Duration.milliseconds(500)
    /// The longest pause that doubling leads to.
    static let longestPause = Duration.seconds(15)
    /// The longest pause that an origin may ask for by Retry-After.
    static let longestRetryAfter = Duration.seconds(60)
    /// The pause between two attempts while there is no network.
    static let networkPause = Duration.seconds(15)
    /// A cut body with at least so many new bytes resets the count of attempts.
    static let progressBytes = 64 << 10
    /// From the request to the last byte of a playlist or key.
    static let playlistTimeout = Duration.seconds(30)
    /// From the request to the last byte of a segment: one of the largest at 1 Mb/s.
    static let segmentTimeout = Duration.seconds(3600)
    /// From the request to the last byte of a media file, or of what is missing of it: a day.
    static let fileTimeout = Duration.seconds(86_400)
    /// The most pieces of a media file; with more it is fetched in order.
    static let filePieces = 64
    /// A transfer continues if the wanted byte is less than this far ahead: a new request would take longer.
    static let nearBytes: Int64 = 256 << 10
    /// Bytes of `task.json`: a URL, header fields and labels.
    static let taskFileBytes = 1 << 20
    /// Bytes of the file that lists the parts of a rendition: two days of one-second segments.
    static let partsFileBytes = 64 << 20
    /// Bounds on a playlist of the folder: a list of parts of the size above has at most 800,000 segments.
    ///
    /// Each may have a key of its own and a date, which makes 170 bytes of text.
    static let ownPlaylist: ReadingLimits = {
        var limits = ReadingLimits()
        (limits.segmentCount, limits.keyChangeCount) = (800_000, 800_000)
        (limits.byteCount, limits.lineCount) = (160 << 20, 5_000_000)
        (limits.memoryByteCount, limits.keptLineByteCount) = (640 << 20, 64 << 20)
        limits.totalAttributeCount = 4_000_000
        return limits
    }()
    /// What ffmpeg may use to pack a task: copying a day of media takes minutes.
    static let packing = ProgramBounds(cpuSeconds: 3600, memoryBytes: 2 << 30, fileBytes: 1 << 42)
    /// Bytes that are copied at a time when segments are joined.
    static let joinedPieceBytes = 1 << 20
    /// Bytes of a segment of subtitles that are packed: an hour of dense ones has a hundred thousand.
    static let subtitleBytes = 4 << 20
    /// Bytes of a segment in which its first time is looked for.
    static let anchorBytes = 1 << 20
    /// Bytes before the media of a track that is packed: ffmpeg holds them in memory.
    static let openingBytes = 128 << 20
    /// Bytes that are read of a segment to find its tracks: 350 packets, with the tables of the stream.
    static let probedBytes = 64 << 10
    /// The longest wait for processes that only check whether a folder is in use, and the pause between two
    /// attempts; a check takes less than a millisecond.
    static let lockWait = Duration.seconds(1)
    static let lockPause = Duration.milliseconds(5)
    /// The longest id.
    static let idLength = 63
    /// Threads that write files.
    static let writers = 4
    /// The time between two reports of progress, and over which the speed is measured.
    static let reportPause = Duration.milliseconds(500)
    /// The time between two writes of a task's progress.
    static let savePause = Duration.seconds(5)
    /// Characters that are shown of a URI of a source, its beginning and its end.
    static let nameLength = 160
    /// Ranges of dates that are kept: as many as a playlist may have, of a break every minute for a week.
    static let dateRangeCount = ReadingLimits.standard.dateRangeCount
    /// Bytes of one of them to which later tags add: half of what a line may have, without its punctuation.
    static let dateRangeBytes = ReadingLimits.standard.lineByteCount / 2
    /// Bytes of all of them: as much as a playlist of a source may have.
    static let totalDateRangeBytes = ReadingLimits.standard.byteCount
    /// Segments that a live playlist may have dropped between two readings: a day of two seconds each.
    static let lostSegments: UInt64 = 43_200
    /// Playlists in a row that may come from a server that lags behind; more mean that the encoder has
    /// restarted.
    static let laggingReadings = 6
    /// Playlists in a row whose other names for known numbers mean other media; with more of them, the names
    /// change with each load.
    static let renamedReadings = 1
    /// By how much the duration of a segment may be rounded, microseconds.
    static let roundingMicroseconds: UInt64 = 5_000
    /// Characters that are shown of what a server says about an error.
    static let detailLength = 300
    /// The shortest pause between two loads of a live playlist.
    static let shortestReload = Duration.milliseconds(500)
    /// The longest one, whatever the target duration is.
    static let longestReload = Duration.seconds(60)
    /// Unchanged reloads, each after at most half a target duration, until a live playlist counts as stalled.
    static let unchangedLoads = 30
    /// The longest time that a growing window, or a playlist that should have ended, may stay unchanged:
    /// outages of its source are shorter.
    ///
    /// If its channel has stopped for good, the window never ends.
    static let windowStallTimeout = Duration.seconds(3600)
    /// The time after which bytes of a slow body are stored, so that a player has them.
    static let chunkDelay = Duration.milliseconds(100)
    /// How long a transfer pauses for a more urgent part before it gives up its connection.
    static let transferPause = Duration.milliseconds(30)
    /// How long other parts are fetched one at a time after a player has waited for a part.
    static let demandCooldown = Duration.seconds(5)
    /// The longest time in which only the first segments of a task are fetched.
    static let firstSegmentsTimeout = Duration.seconds(3)
    /// A body of at least so many bytes can be continued after the process was killed.
    ///
    /// After a pause, a body of any length can be continued.
    static let recordedBodyBytes: UInt64 = 2 << 20
    /// Bytes of the record of a body that has begun.
    static let recordBytes = 4096
    /// A part without new bytes for this long no longer delays other transfers.
    static let demandTimeout = Duration.seconds(3)
    /// The longest time that a player waits for the first byte of a part, or for the next one.
    static let playerWait = Duration.seconds(10)
    /// How often a player that still waits for bytes of a media file asks for the transfer.
    static let playerPollInterval = Duration.seconds(2)
    /// The longest time that a player waits for a whole part, of which it wants a range.
    static let wholePartWait = Duration.seconds(60)
    /// The pause between two checks for a key or section that a player waits for.
    static let sectionPause = Duration.milliseconds(50)
    /// The width of the picture of a task, pixels.
    static let pictureWidth = 480
    /// Key frames of which the picture of a task is chosen.
    static let pictureFrames = 5
    /// What ffmpeg may use to make a picture of a segment.
    static let picture = ProgramBounds(cpuSeconds: 20, memoryBytes: 1 << 30, fileBytes: 16 << 20)
}
