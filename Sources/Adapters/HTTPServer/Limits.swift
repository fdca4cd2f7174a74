/// Every bound of the server, with its reason.
package struct Limits: Sendable {
    /// Concurrent connections.
    ///
    /// At the limit new ones wait in the kernel's backlog, so it is well above the number of viewers of one
    /// machine; an idle one costs `connectionMemory`.
    package var connections = 10_000
    /// Concurrent connections from one address (IPv6: from one /64 network): enough for a household behind
    /// one address, but not for a flood.
    package var connectionsPerAddress = 256
    /// Concurrent requests of one client behind trusted proxies, whose connections are not limited; one
    /// beyond them is answered 503.
    package var forwardedPerClient = 256
    /// How long a connection may be idle between two requests: longer than the reload interval of any player.
    ///
    /// The header of the next request has to be complete within `header` after that.
    package var idle = Duration.seconds(30)
    /// From the first byte of a connection to the end of the request header: ends clients that send a byte
    /// per second.
    package var header = Duration.seconds(10)
    /// For the whole body of a request.
    package var requestBody = Duration.seconds(30)
    /// For an answer that is made later, and for one piece of a streamed body.
    package var answer = Duration.seconds(30)
    /// Concurrent answers that are made later; a request beyond them is answered 503.
    package var laterResponses = 512
    /// Concurrent `lightweight` answers, which compute little; `later` answers do not count here.
    package var lightweightResponses = 512
    /// Concurrent answers of the admin API, which viewers cannot use up.
    package var reservedResponses = 64
    /// Streamed answers at a time, each of which has some 200 KiB in memory; one beyond them is answered 503.
    package var streams = 256
    /// Streamed answers of one client: a download manager takes several ranges at once.
    package var streamsPerClient = 8
    /// The lowest rate at which a client may receive an answer: less than the slowest radio stream.
    ///
    /// A player of a 32 kb/s stream takes 4 kB/s. Its kernel may fetch this in blocks that are 90 seconds
    /// apart, so the rate is an average over minutes.
    package var minimumRate = ReceiveRate(bytesPerSecond: 512, over: .seconds(300))
    /// The same when more than half of `connections` or of `streams` are taken, so that slow clients cannot
    /// keep others out: half of what a radio of 64 kb/s plays.
    package var minimumRateWhenFull = ReceiveRate(bytesPerSecond: 4000, over: .seconds(60))
    /// Bytes of memory of a connection, for request header and response header, but not for a body.
    ///
    /// It is reused for every request. An idle connection keeps all of it, and usual requests of players take
    /// less than 2 KiB.
    package var connectionMemory = 5 * 1024 + 256
    /// The part of `connectionMemory` that is reserved for the response header; a request header beyond the
    /// rest is answered 431.
    package var responseHeader = 1536
    /// Bytes beyond the limit of a body that are read and dropped so that the client can read the refusal.
    package var droppedBodyBytes = 256 * 1024

    /// The interval of checks for deadlines and disconnected clients, and so the precision of every deadline.
    package var sweep = Duration.milliseconds(250)

    /// Bytes in the socket of an answer that comes slowly: some packets of a stream in which nothing happens.
    static let quietAnswer: UInt64 = 4096
    /// A file slice with fewer bytes is read and sent in one packet with its header; the kernel sends larger
    /// ones.
    static let sendfileThreshold: UInt64 = 64 * 1024
    /// Bodies up to this size are copied into the library's memory, which is cheaper than an owner and a
    /// callback.
    static let copiedBodyBytes = 4 * 1024
    /// Pieces with at most this sum are joined: one buffer is sent with its header, and a vector after it.
    ///
    /// Playlists of some hours, and compressed ones of a day.
    static let joinedPiecesBytes = 96 * 1024
    /// Pieces that are sent as one vector, whose entries (16 bytes each) use the connection's memory.
    ///
    /// More pieces are read one after the other.
    static let vectoredPieces = 128
    /// Bytes that are requested from a stream at a time.
    static let streamPieceBytes = 64 * 1024
    /// Pieces of a stream that are read ahead.
    static let streamReadAhead = 2
    /// Bytes that the library receives at a time when it reads a body through a callback.
    static let readerBlockBytes = 64 * 1024
    /// Memory that the library needs per request header field in addition to its text, in bytes.
    static let fieldOverhead = 64
    /// Bytes of the response header of a refusal with a problem document.
    static let refusalHeader = 256
    /// Bytes of a request id that a proxy gave: enough for any usual form.
    static let requestIDBytes = 128
    /// Addresses of X-Forwarded-For that are looked at: a request passes few proxies.
    static let forwardedAddresses = 16
    /// The interval of checks whether the last answers are sent, while the server stops.
    static let drainPause = Duration.milliseconds(10)
    /// Connections that the kernel queues before they are accepted.
    static let backlog: Int32 = 1024

    package init() {}
}

/// How fast a client receives, on average over a time.
package struct ReceiveRate: Sendable {
    package var bytesPerSecond: Int
    package var over: Duration

    package init(bytesPerSecond: Int, over: Duration) {
        (self.bytesPerSecond, self.over) = (bytesPerSecond, over)
    }
}
