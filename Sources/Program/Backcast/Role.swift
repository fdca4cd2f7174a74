/// The part of the service that a process runs.
enum Role: String, Sendable, CaseIterable {
    case run
    case record
    case serve
    case migrate

    var records: Bool { self == .run || self == .record }
    var servesViewers: Bool { self == .run || self == .serve }
    /// Whether the admin token must be set: several processes share it, so that none may generate its own.
    var needsAdminToken: Bool { self == .record || self == .serve }
    var appliesMigrations: Bool { self == .run || self == .migrate }
}
