/// The bounds of this program.
enum Limits {
    /// Aligned origins count from the beginning of a day in UTC: timestamps do not begin again within one.
    static let daySeconds = 86_400
    /// Channels of one replay: each costs a playlist and a share of a timer, but no encoder.
    static let channels = 500
    /// Bytes of a control request's body: one flat JSON object.
    static let controlBytes = 16_384
    /// Longest stretch that is encoded for a replay, in seconds; it is held in memory.
    static let minuteSeconds = 600.0
    /// How often due segments are checked; it bounds how late a segment is listed.
    static let tick = Duration.milliseconds(50)
    /// How often the encoder's own playlists are read.
    static let encoderPoll = Duration.milliseconds(100)
    /// Segments in the encoder's own playlists, which is how long a stalled channel can catch up without
    /// loss.
    static let encoderPlaylistSegments = 64
    /// Pause before an encoder that died is restarted, which avoids a busy loop.
    static let encoderRestartDelay = Duration.seconds(1)
    /// Time for an encoder to finish its last segment when it is asked to end.
    static let encoderEndSeconds = 5.0
    /// Pieces per second of a slowed body.
    static let slowPiecesPerSecond = 10
    /// Time for running answers when the origin stops listening for a while; the control answer is one of
    /// them.
    static let pauseDrain = Duration.milliseconds(500)
}
