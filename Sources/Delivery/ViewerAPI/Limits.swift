/// The bounds of this module.
package enum Limits {
    /// Seconds that caches may keep the answer of a final window: a repair becomes visible after that time at
    /// the latest.
    static let finalAgeSeconds: Int64 = 3600
    /// Seconds that caches may keep the answer that a segment of the past is gone.
    static let goneAgeSeconds = 5
    /// Microseconds after its begin in which a segment may still be stored: a source may list it late, and
    /// another node may see the file late.
    static let maxStoringDelay: Int64 = 600 * 1_000_000
    /// Objects read from the archive at a time: half of the answers that a server makes later.
    static let objectReads = 256
    /// The same of one client: twice as many as there are threads that read.
    static let objectReadsPerClient = 8
    /// Requests for objects that may wait for their turn; with those that are read they leave a quarter of
    /// the answers to windows.
    static let objectsWaiting = 128
    /// The same of one client, which may be a cache; with those that are read a quarter of the answers.
    static let clientObjectsWaiting = 120
    /// How long a request for an object may wait for its turn: as long as players wait for a segment.
    static let objectTurnTimeout = Duration.seconds(10)
    /// Seconds after which a client may retry while the catalogue is unavailable.
    static let retryAfterSeconds = 5
    /// Seconds after which a client may retry while many windows or objects are read.
    static let busyRetrySeconds = 2
    /// Seconds after which a client may retry while other downloads are packed.
    static let packingRetrySeconds = 10
    /// The longest Access-Control-Request-Headers, in bytes, that the answer to a preflight repeats.
    static let preflightBytes = 512
    /// Seconds that a browser may cache the answer to a preflight.
    static let preflightSeconds = 86_400
    /// Pause after which an endless stream looks for more: well below the time limit for a piece of a body.
    static let streamPause = Duration.seconds(1)
    /// Bytes of the parameters of a form.
    static let formBytes = 8192
    /// How often an endless stream finds nothing before it sends a null packet, or ends if the channel is
    /// deleted: proxies and players end a connection that is silent for half a minute or a minute.
    static let pollsBetweenNullPackets = 10
    /// How long a channel may go on without the rendition of an endless stream before it ends, microseconds.
    static let renditionTimeout: Int64 = 60 * 1_000_000
    /// The length of a live playlist that does not wait behind long compositions, microseconds.
    static let shortLength: Int64 = 3600 * 1_000_000
    /// Seconds that the channels of lists are kept.
    static let listAgeSeconds = 2
    /// How long a request for a channel waits until the list is read, if an older list is known.
    static let listReadTimeout = Duration.seconds(1)
    /// Pixels that a picture may be wide.
    static let pictureWidths = 16...1920
    /// Pixels that a thumbnail is wide unless the query says.
    static let thumbnailWidth = 160
    /// The allowed values of `step`, seconds; and the shortest step of a track whose query names none.
    static let stepSeconds: ClosedRange<Int64> = 1...600
    static let defaultStepSeconds: Int64 = 10
    /// How far back a live playlist may list segments for a token that begins then, microseconds.
    static let liveLookBack: Int64 = 3600 * 1_000_000
    /// Cues of one thumbnail track, which is in memory as a whole: a day of one each second, 6 MB.
    static let cues: Int64 = 86_400
    /// Bytes of a text above which it is a stream.
    static let textByteCount = 1 << 20
    /// Seconds after which a client may ask again for a picture that found no decoder free.
    static let pictureRetrySeconds = 1
    /// Bounds of the cached playlists: their number, their bytes, and the bytes of one beside its text.
    ///
    /// A playlist that is requested again is cached for a second.
    static let cachedAnswers = 4096
    static let cachedAnswerBytes = 32 << 20
    static let cachedAnswerOverhead = 2048
    /// Playlists that were asked for once.
    static let answerCandidates = 4096
}
