/// A place where a dangerous construct stands for a reason.
struct ListedException {
    var construct: DangerousConstruct
    var path: String
    var reason: String
}

/// The whole list.
///
/// An entry that no longer applies is a finding too.
let listedExceptions: [ListedException] = [
    ListedException(
        construct: .uncheckedSendable, path: "Sources/Adapters/HTTPServer/ConnectionHandle.swift",
        reason: "libmicrohttpd's connection, which may be resumed from any thread"),
    ListedException(
        construct: .uncheckedSendable, path: "Sources/Adapters/Postgres/ResultHandle.swift",
        reason: "owns a PGresult, which libpq never changes once it is given out"),
    ListedException(
        construct: .uncheckedSendable, path: "Tests/Adapters/HTTPServerTests/TestConnection.swift",
        reason: "the bytes that came, guarded by the lock beside them"),
]
