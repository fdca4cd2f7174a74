/// A place where a dangerous construct stands for a reason.
struct ListedException {
    var construct: DangerousConstruct
    /// A file, or with a stroke at its end a folder.
    var path: String
    var reason: String

    func covers(_ path: String) -> Bool {
        self.path.hasSuffix("/") ? path.hasPrefix(self.path) : path == self.path
    }
}

/// The whole list.
///
/// An entry that no longer applies is a finding too.
let listedExceptions: [ListedException] = [
    ListedException(
        construct: .unsafe, path: "Sources/Services/Playback/Blocks/OnceReference.swift",
        reason: "owns an object under an atomic address, as the library's own type does, which is slow"),
    ListedException(
        construct: .unsafe, path: "Sources/Services/Playback/Rendering/EntryRenderer.swift",
        reason:
            "a day's playlist is twenty thousand entries: they are written into one buffer without a check per byte"
    ),
    ListedException(
        construct: .unsafe, path: "Sources/Services/Playback/Rendering/MapAndKeyTags.swift",
        reason: "writes into the same buffer as the entries"),
    ListedException(
        construct: .unsafe, path: "Sources/Services/Playback/Rendering/TextBuffer.swift",
        reason: "the buffer itself: its capacity is checked once per entry"),
    ListedException(
        construct: .failedPrecondition, path: "Tests/Services/RecorderTests/PublisherStage.swift",
        reason: "a constant id; there is no way to go on without it"),
    ListedException(
        construct: .uncheckedSendable, path: "Sources/Adapters/HTTPServer/ConnectionHandle.swift",
        reason: "libmicrohttpd's connection, which may be resumed from any thread"),
    ListedException(
        construct: .uncheckedSendable, path: "Sources/Adapters/HTTPServer/ReusableResponse.swift",
        reason: "a complete response, which libmicrohttpd lets any thread queue"),
    ListedException(
        construct: .uncheckedSendable, path: "Sources/Adapters/Postgres/ResultHandle.swift",
        reason: "owns a PGresult, which libpq never changes once it is given out"),
    ListedException(
        construct: .uncheckedSendable, path: "Sources/Adapters/Postgres/CancelHandle.swift",
        reason: "owns a PGcancel, which libpq only reads, on any thread"),
    ListedException(
        construct: .uncheckedSendable, path: "Sources/Adapters/Compression/ZlibStream.swift",
        reason: "out of the list of idle streams while it is used, so that one caller has it"),
    ListedException(
        construct: .uncheckedSendable, path: "Sources/Adapters/HTTPClient/Curl/CookieJar.swift",
        reason: "touched by the thread of the curl loop only, freed with the last transfer"),
    ListedException(
        construct: .uncheckedSendable, path: "Sources/Adapters/HTTPClient/Curl/MultiHandle.swift",
        reason: "made once; other threads only wake it, which libcurl allows"),
    ListedException(
        construct: .nonisolatedUnsafe, path: "Sources/Adapters/Digest/SHA256.swift",
        reason: "libcrypto's algorithm, which never changes and which any thread may use"),
    ListedException(
        construct: .unsafe, path: "Sources/Program/Backcast/Downloading/DownloadDisplay.swift",
        reason: "the size of the terminal, which the kernel writes into a value"),
    ListedException(
        construct: .foundationProcess, path: "Sources/Program/Backcast/Playing/PlayRun.swift",
        reason: "opens the browser once, when few descriptors are open, with the user's environment"),
    ListedException(
        construct: .foundationProcess, path: "Sources/Program/LiveOrigin/Encoder/EncoderProcess.swift",
        reason: "a tool for demos and tests, which few viewers use"),
    ListedException(
        construct: .unsafe, path: "Sources/Stores/Journal/",
        reason: "an actor names the thread it runs on, which it owns"),
    ListedException(
        construct: .unsafe, path: "Sources/Stores/SegmentStore/",
        reason: "actors name the threads that they run on, which they own"),
    ListedException(
        construct: .unsafe, path: "Sources/Vocabulary/Concurrency/HostClock.swift",
        reason: "clock_gettime fills a structure by its address"),
    ListedException(
        construct: .unsafe, path: "Sources/Vocabulary/Concurrency/BackgroundExecutor.swift",
        reason: "a job is run on the executor that it was given to, on a thread with a lower priority"),
    ListedException(
        construct: .clockRead, path: "Sources/Vocabulary/Concurrency/BackgroundExecutor.swift",
        reason: "threads without work end after a while, which they wait for outside of any task"),
    ListedException(
        construct: .unsafe, path: "Sources/Vocabulary/Concurrency/BlockingExecutor.swift",
        reason: "a job is run on the executor that it was given to"),
    ListedException(
        construct: .unsafe, path: "Sources/Program/Backcast/Start/",
        reason: "system calls at the start: limits of the process, files with a mode"),
    ListedException(
        construct: .unsafe, path: "Sources/Program/Backcast/Settings/SettingFile.swift",
        reason: "open says why a file cannot be read, Foundation's error does not"),
    ListedException(
        construct: .unsafe, path: "Sources/Program/LiveOrigin/Encoder/EncoderProcess.swift",
        reason: "the signal mask that a child inherits is set by its address"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Services/Recorder/Supervising/UnownedKeys.swift",
        reason: "runs beside the rounds of a channel's task, which ends it before it records or returns"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Vocabulary/Concurrency/",
        reason:
            "waiting with a limit, and a shield from cancellation: what others use instead of tasks of their own"
    ),
    ListedException(
        construct: .clockRead, path: "Sources/Vocabulary/Concurrency/HostClock.swift",
        reason: "the clock that is handed down reads the host here"),
    ListedException(
        construct: .clockRead, path: "Sources/Vocabulary/Concurrency/SteadyInstant.swift",
        reason: "the clock that is handed down, and what cannot take one, read the host here"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Adapters/HTTPServer/StreamBody.swift",
        reason: "a library thread starts it; its exchange keeps it and cancels it"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Adapters/HTTPServer/HTTPServer.swift",
        reason: "stopping goes on when its caller is cancelled, and is done once"),
    ListedException(
        construct: .hostClock, path: "Sources/Adapters/HTTPServer/Configuration.swift",
        reason: "what a server has unless the program hands it another one"),
    ListedException(
        construct: .hostClock, path: "Sources/Adapters/Postgres/PoolConfiguration.swift",
        reason: "what a pool has unless the program hands it another one"),
    ListedException(
        construct: .clockRead, path: "Sources/Adapters/HTTPServer/SystemCalls.swift",
        reason: "the time that the threads of libmicrohttpd wait by, which are not Swift's"),
    ListedException(
        construct: .clockRead, path: "Sources/Adapters/HTTPClient/",
        reason: "deadlines that libcurl waits for on the loop thread, in poll"),
    ListedException(
        construct: .ownSleep, path: "Sources/Adapters/HTTPClient/Loop/LoopThread.swift",
        reason: "the loop thread when its library fails at once; no task waits for it"),
    ListedException(
        construct: .clockRead, path: "Sources/Adapters/Postgres/Connection.swift",
        reason: "deadlines that the connection thread waits for in poll"),
    ListedException(
        construct: .clockRead, path: "Sources/Adapters/Postgres/SocketWait.swift",
        reason: "deadlines that the connection thread waits for in poll"),
    ListedException(
        construct: .clockRead, path: "Sources/Adapters/Postgres/CancelRequests.swift",
        reason: "the connection thread waits a moment for another thread, without a task"),
    ListedException(
        construct: .clockRead, path: "Sources/Adapters/Postgres/DeadlineTimer.swift",
        reason: "the longest wait for a connection, timed without a task for each waiter"),
    ListedException(
        construct: .clockRead, path: "Sources/Adapters/Telemetry/LogOutput.swift",
        reason: "the end of the program waits on a thread, without a task, for log lines to be written"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Stores/Catalogue/Changes/CatalogueChange.swift",
        reason: "feeds a stream until the stream is dropped, which cancels it"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Stores/Catalogue/Tokens/Tokens.swift",
        reason: "carries announcements into a stream, and ends with that stream"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Vocabulary/Concurrency/SharedWork.swift",
        reason: "work serves all who wait for it, and is cancelled when all of them have left"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Services/Playback/Blocks/Blocks.swift",
        reason: "a load serves all who wait for it and goes on when the first of them leaves"),
    ListedException(
        construct: .unstructuredTask,
        path: "Sources/Services/Playback/Index/StaleWhileUnavailableCache.swift",
        reason: "a read serves all who wait for it and goes on when the first of them leaves"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Services/Playback/Index/HeadConfirmations.swift",
        reason: "a question serves all who wait for it and goes on when the first of them leaves"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Services/Playback/Index/TimelineIndex+Following.swift",
        reason: "waits for a limited time; a question that hangs goes on and is not asked again"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Services/Export/Remux/RemuxBody.swift",
        reason: "feeds ffmpeg while its output is read, until the body is released"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Services/Pictures/PictureMaker.swift",
        reason: "feeds ffmpeg while its output is read, which ends it"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Delivery/AdminAPI/Pages/ReachabilityCheck.swift",
        reason: "a question that hangs is left alone and not asked again"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Delivery/ViewerAPI/Lists/ListedChannels.swift",
        reason: "waits for a limited time; a read that hangs goes on and is not asked again for a while"),
    ListedException(
        construct: .clockRead, path: "Sources/Program/Backcast/Start/TerminationSignals.swift",
        reason: "the end is enforced by Dispatch, whatever has become of tasks"),
    ListedException(
        construct: .ownSleep, path: "Sources/Program/Backcast/Start/TerminationSignals.swift",
        reason: "the end is enforced by Dispatch, whatever has become of tasks"),
    ListedException(
        construct: .clockRead, path: "Sources/Program/LiveOrigin/Encoder/EncoderProcess.swift",
        reason: "the encoder is killed by Dispatch when it does not end"),
    ListedException(
        construct: .ownSleep, path: "Sources/Program/LiveOrigin/Encoder/EncoderProcess.swift",
        reason: "the encoder is killed by Dispatch when it does not end"),
    ListedException(
        construct: .clockRead, path: "Sources/Stores/Journal/GroupLog.swift",
        reason: "lines gather between two syncs on a thread that only syncs"),
    ListedException(
        construct: .ownSleep, path: "Sources/Stores/Journal/GroupLog.swift",
        reason: "lines gather between two syncs on a thread that only syncs"),
    ListedException(
        construct: .clockRead, path: "Sources/Stores/SegmentStore/NameSync.swift",
        reason: "names gather between two syncs on a thread that only syncs"),
    ListedException(
        construct: .ownSleep, path: "Sources/Stores/SegmentStore/NameSync.swift",
        reason: "names gather between two syncs on a thread that only syncs"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Services/Recorder/Publishing/GroupCommitter.swift",
        reason: "a transaction serves all who wait for it and goes on when one of them leaves"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Services/Recorder/Supervising/ChannelSupervisor.swift",
        reason: "the channels: the supervisor holds their tasks, cancels them and waits for them"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Services/Recorder/Recording/ChannelRecorder.swift",
        reason: "recording ends by an event and not by cancellation, so that running downloads finish"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Services/Recorder/Fetching/KeyCache.swift",
        reason: "a fetch serves all who wait for it and goes on when the first of them leaves"),
    ListedException(
        construct: .unstructuredTask, path: "Sources/Services/Recorder/Fetching/InitSectionCache.swift",
        reason: "a fetch serves all who wait for it and goes on when the first of them leaves"),
]
