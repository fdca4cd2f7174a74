/// Every bound of the module; passing one is an error of its own, never a silent cut.
package enum Limits {
    /// Transfers that run at once in one client: each may hold a socket, a receive buffer and a resolver thread.
    package static let runningTransfers = 512

    /// Transfers of one session that wait for their turn: more means that the caller has lost count.
    package static let waitingPerSession = 256

    /// Transfers of all sessions that wait for their turn.
    package static let waitingTransfers = 4096

    /// Idle connections that are kept for reuse.
    static let cachedConnections = 512

    /// Bytes of a delivered chunk: few wake-ups per segment, few system calls when it is written to a file.
    package static let chunkByteCount = 256 << 10

    /// Bytes that wait for a slow reader before the transfer is paused.
    package static let bufferedByteCount = 1 << 20

    /// Bytes below which a paused transfer goes on: half of the buffer, so that it does not stutter.
    static let resumeByteCount = bufferedByteCount / 2

    /// Bytes of curl's receive buffer: at 512 transfers 64 MiB.
    static let receiveBufferByteCount = 128 << 10

    /// Bytes of all header lines of one response, trailers and interim responses included.
    package static let headByteCount = 64 << 10

    /// Bytes of a redirect's body that are read so that its connection can be used again.
    static let redirectBodyByteCount = 64 << 10

    /// Bytes of the body of a status of 400 and above, where the caller's limit is smaller: errors explain themselves.
    package static let errorBodyByteCount = 64 << 10

    /// Bytes of a URL, as servers commonly take 8 KiB for a request line.
    package static let urlByteCount = 16 << 10

    /// Bytes of all header fields that a request is given.
    package static let requestHeadByteCount = 32 << 10

    /// Redirects that are followed at most, whatever a caller asks for.
    package static let redirects = 5

    /// Seconds that a resolved name is kept: an origin that moves is followed within a minute.
    static let nameCacheSeconds = 60

    /// Seconds an idle connection may have been unused before it is not trusted any more (curl's default).
    static let idleConnectionSeconds = 118

    /// Seconds without traffic after which TCP asks whether the peer is there, and between the questions.
    static let keepAliveSeconds = 30

    /// Milliseconds that the loop sleeps at most when nothing happens; a wake-up ends the sleep.
    static let idlePollMilliseconds = 60_000

    /// Milliseconds that the loop rests when libcurl reports trouble of its own.
    static let troublePauseMilliseconds = 50

    /// Entries of an allow-list.
    package static let allowListEntries = 1024
}
