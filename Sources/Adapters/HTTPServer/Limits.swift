/// Every bound of the server, with its reason.
package struct Limits: Sendable {
    /// Open connections at once.
    ///
    /// At the limit new ones wait in the kernel's backlog, so it is set well above the
    /// number of viewers of one machine; an idle one costs `connectionMemory`.
    package var connections = 10_000
    /// Connections of one address (IPv6: of one /64 network) at once: a household behind one address, not a flood.
    package var connectionsPerAddress = 256
    /// Silence after which a connection is closed: longer than the reload interval of any player.
    package var idle = Duration.seconds(30)
    /// From the first byte a connection may send to the end of its request's header: cuts who sends a byte a second.
    package var header = Duration.seconds(10)
    /// For the whole body of a request.
    package var requestBody = Duration.seconds(30)
    /// For an answer made later, and for one piece of a streamed body.
    package var answer = Duration.seconds(30)
    /// Answers made later at once; above it a request is told to come back (503).
    package var laterAnswers = 512
    /// Bytes of memory of a connection: request header, response header and no body.
    ///
    /// It is cleared for every request.
    package var connectionMemory = 8 * 1024
    /// Part of `connectionMemory` that stays free for the response header; a request header over the rest gets 431.
    package var responseHeader = 2 * 1024
    /// Bytes of a body over its limit that are read and dropped so that the client sees the 413.
    package var droppedBody = 4 * 1024 * 1024

    /// How often deadlines and vanished clients are looked for; also the precision of every deadline.
    package var sweep = Duration.milliseconds(250)

    /// A file slice of fewer bytes is read and sent with its header in one packet; from here up the kernel sends it.
    static let sendfileThreshold: UInt64 = 64 * 1024
    /// Bodies up to here are copied into the library's memory: cheaper than an owner and a callback.
    static let copiedBody = 4 * 1024
    /// Pieces whose sum is at most this are joined: one buffer is cheaper than a vector.
    static let joinedPieces = 16 * 1024
    /// Pieces sent as one vector; its entries (16 bytes each) lie in the connection's memory.
    ///
    /// More are read in turn.
    static let vectoredPieces = 128
    /// What a stream is asked for at a time, in bytes.
    static let streamPiece = 256 * 1024
    /// Pieces of a stream held ready.
    static let streamReadAhead = 2
    /// Bytes handed to the library at a time when it reads a body through a callback.
    static let readerBlock = 64 * 1024
    /// Memory the library takes per request header field beside its text, in bytes.
    static let fieldOverhead = 64
    /// Connections the kernel holds before they are accepted.
    static let backlog: Int32 = 1024

    package init() {}
}
