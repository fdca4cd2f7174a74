/// What a process does of the whole.
enum Role: String, Sendable, CaseIterable {
    case run
    case record
    case serve
    case migrate

    var records: Bool { self == .run || self == .record }
    var servesViewers: Bool { self == .run || self == .serve }
    /// Whether the token is one that several processes share, so that none may make its own.
    var wantsAdminToken: Bool { self == .record || self == .serve }
    var appliesMigrations: Bool { self == .run || self == .migrate }
}
