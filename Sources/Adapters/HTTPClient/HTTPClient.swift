import Synchronization

/// Bounded, cancellable transfers over libcurl: one thread, any number of sessions.
package final class HTTPClient: Sendable {
    private let mailbox: LoopMailbox
    private let thread: Mutex<LoopThread?>
    private let publicHosts: PublicHosts

    private init(mailbox: LoopMailbox, thread: consuming LoopThread, publicHosts: PublicHosts) {
        self.mailbox = mailbox
        self.publicHosts = publicHosts
        self.thread = Mutex(thread)
    }

    /// Starts the loop's thread.
    package static func open(_ configuration: ClientConfiguration) throws(HTTPClientError) -> HTTPClient {
        try CurlLibrary.prepare()
        let mailbox = LoopMailbox(try MultiHandle.open())
        let thread = try LoopThread.start {
            TransferLoop(mailbox: mailbox, configuration: configuration).run()
            mailbox.announceEnd()
        }
        return HTTPClient(mailbox: mailbox, thread: thread, publicHosts: configuration.publicHosts)
    }

    /// Creates a session.
    ///
    /// One per source keeps its headers, cookies and limits separate.
    package func makeSession(_ options: SessionOptions) throws(HTTPClientError) -> HTTPSession {
        let context = try SessionContext(
            id: SessionID(rawValue: mailbox.nextNumber()), options, publicHosts)
        return HTTPSession(context, mailbox)
    }

    /// Ends every transfer with `closed`, then the thread, and returns when both have ended.
    package func close() async {
        mailbox.post(.stop)
        await mailbox.end()
        guard let thread = thread.withLock({ $0.take() }) else { return }
        thread.join()
    }

    deinit {
        mailbox.post(.stop)
    }
}
