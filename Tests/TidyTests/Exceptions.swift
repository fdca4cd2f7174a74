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
        construct: .unsafe, path: "Sources/Services/Playback/Rendering/EntryText.swift",
        reason:
            "a day's playlist is twenty thousand entries: they are written into one buffer without a check per byte"
    ),
    ListedException(
        construct: .unsafe, path: "Sources/Services/Playback/Rendering/StickyTags.swift",
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
        construct: .uncheckedSendable, path: "Sources/Adapters/Postgres/ResultHandle.swift",
        reason: "owns a PGresult, which libpq never changes once it is given out"),
    ListedException(
        construct: .uncheckedSendable, path: "Tests/Adapters/HTTPServerTests/TestConnection.swift",
        reason: "the bytes that came, guarded by the lock beside them"),
    ListedException(
        construct: .uncheckedSendable, path: "Sources/Adapters/HTTPClient/Curl/CookieJar.swift",
        reason: "touched by the thread of the curl loop only, freed with the last transfer"),
    ListedException(
        construct: .uncheckedSendable, path: "Sources/Adapters/HTTPClient/Curl/MultiHandle.swift",
        reason: "made once; other threads only wake it, which libcurl allows"),
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
]
