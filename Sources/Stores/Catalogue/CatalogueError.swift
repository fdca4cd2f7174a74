package import Postgres
package import Timeline

/// Why the catalogue could not do what was asked.
package enum CatalogueError: Error, Sendable, CustomStringConvertible {
    case noSuchChannel(ChannelID)
    case channelExists(ChannelID)
    /// Somebody changed the channel since the version that the caller knows.
    case staleVersion(current: Int64)
    /// A row holds what the program cannot read.
    case unreadable(String)
    /// The answer came too late for whoever asked.
    case notInTime
    case database(PostgresError)

    /// Whether the same call can succeed later without a change.
    package var isTransient: Bool {
        switch self {
        case .database(let error): error.isTransient
        case .notInTime: true
        case .noSuchChannel, .channelExists, .staleVersion, .unreadable: false
        }
    }

    package var description: String {
        switch self {
        case .noSuchChannel(let id): "there is no channel \(id)"
        case .channelExists(let id): "channel \(id) exists already"
        case .staleVersion(let current): "the channel has changed; its version is now \(current)"
        case .unreadable(let what): "the catalogue holds \(what), which this program cannot read"
        case .notInTime: "the catalogue did not answer in time"
        case .database(let error): "\(error)"
        }
    }

    /// Wraps whatever a database call threw.
    static func wrapping(_ error: any Error) -> CatalogueError {
        switch error {
        case let error as CatalogueError: error
        case let error as PostgresError: .database(error)
        default: .unreadable("\(error)")
        }
    }
}

extension Catalogue {
    /// Runs a database call and gives its failure the module's type.
    func asking<T>(_ body: () async throws -> T) async throws(CatalogueError) -> T {
        do {
            return try await body()
        } catch {
            throw .wrapping(error)
        }
    }
}
