/// Every bound of the module; exceeding one is an error of its own.
package enum Limits {
    /// Concurrent transfers of one client: each may hold a socket, a receive buffer and a resolver thread.
    static let runningTransfers = 512

    /// Waiting transfers of one session: more means that the caller does not limit itself.
    static let waitingPerSession = 256

    /// Waiting transfers of all sessions.
    static let waitingTransfers = 4096

    /// Transfers that a session or an origin may always have while less than half of all are running.
    static let minimumShare = 8

    /// How long running transfers of a session or an origin may go unanswered before it counts as silent.
    ///
    /// Less than a transfer may take, so that transfers of others continue meanwhile.
    static let silence = Duration.seconds(3)

    /// How long a session or an origin has a share after its last transfer: as long as live playlists rest.
    static let shareLifetime = Duration.seconds(30)

    /// Waiting transfers of a session that are checked in its turn: the first ones may be for an origin whose
    /// share is used up.
    static let checkedPerSession = 16

    /// Idle connections kept for reuse.
    static let cachedConnections = 512

    /// Bytes of a delivered chunk: few wake-ups per segment, few system calls when it is written to a file.
    package static let chunkByteCount = 512 << 10

    /// Bytes that are buffered for a slow reader before the transfer is paused.
    static let bufferedByteCount = 1 << 20

    /// Bytes below which a paused transfer is resumed: half of the buffer, which avoids frequent pauses.
    static let resumeByteCount = bufferedByteCount / 2

    /// Bytes of curl's receive buffer, which are received by one system call: 128 MiB at 512 transfers.
    static let receiveBufferByteCount = 256 << 10

    /// Bytes of all header lines of one response, including trailers and interim responses.
    package static let headByteCount = 64 << 10

    /// Bytes of a redirect's body that are read so that its connection can be reused.
    static let redirectBodyByteCount = 64 << 10

    /// Bytes per second of a redirect's body, below which its target is requested without the rest.
    static let redirectBytesPerSecond = 64 << 10

    /// Bytes of the body of a status of 400 and above, where the caller's limit is smaller: enough for its
    /// explanation.
    static let errorBodyByteCount = 64 << 10

    /// Bytes of a URL; servers commonly accept 8 KiB for a request line.
    package static let urlByteCount = 16 << 10

    /// Bytes of all header fields of a request.
    static let requestHeadByteCount = 32 << 10

    /// Cookies of a session; with more, all of them are dropped: browsers keep fewer than two hundred for one
    /// site.
    ///
    /// They are counted when as many Set-Cookie fields have come, so there are at most twice as many, and
    /// those of the transfers that run.
    static let cookies = 500

    /// Redirects that are followed, one after another.
    static let redirects = 5

    /// Seconds for which a resolved name is cached: a moved origin is followed within a minute.
    static let nameCacheSeconds = 60

    /// Seconds after which an idle connection is not reused (curl's default).
    static let idleConnectionSeconds = 118

    /// Seconds without traffic before the first TCP keep-alive probe, and between probes.
    static let keepAliveSeconds = 30

    /// Milliseconds that the loop sleeps at most while nothing happens; a wake-up ends the sleep.
    static let idlePollMilliseconds = 60_000

    /// Bytes of bodies that are worth a round of the loop; after fewer the loop waits for more.
    static let roundByteCount = 128 << 10

    /// Milliseconds of that wait, in which a connection of 100 Mb/s brings twenty packets.
    static let roundPauseMilliseconds = 2

    /// Milliseconds that the loop pauses after an error of libcurl itself.
    static let errorPauseMilliseconds = 50

    /// Entries of an allow-list.
    static let allowListEntries = 1024
    /// Source hosts that are known to be public: a service has some thousand sources.
    static let publicHosts = 100_000
}
