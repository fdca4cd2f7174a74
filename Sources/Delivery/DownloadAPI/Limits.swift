/// Every bound of the module, with its unit and its reason.
enum Limits {
    /// Bytes of the body of a request: a URL, header fields and labels.
    static let bodyBytes = 64 << 10
    /// Bytes of a task that another process hands over.
    static let handedBytes = 1 << 20
    /// Followers of the events at once: pages in a browser, and commands that wait for their tasks.
    static let followers = 32
    /// The pause after which an idle stream of events sends a keep-alive.
    static let heartbeat = Duration.seconds(10)
    /// Seconds after which a player asks again for what is not there yet.
    static let retrySeconds = 1
    /// Characters of a title, a label or the value of a header field.
    static let textCharacters = 4096
    /// Labels and header fields of a request.
    static let members = 64
}
