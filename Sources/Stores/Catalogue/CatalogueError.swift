package import Postgres
package import Timeline

/// Why a call to the catalogue failed.
package enum CatalogueError: Error, Sendable, CustomStringConvertible {
    case noSuchChannel(ChannelID)
    case channelExists(ChannelID)
    /// The channel has changed since the version that the caller knows.
    case staleVersion(current: Int64)
    /// The stored settings of a channel have a field that this program cannot read.
    case unreadableSettings(channel: String, fault: String)
    /// A row holds a value that this program cannot read.
    case unreadable(String)
    /// The answer came too late for the caller.
    case notInTime
    case database(PostgresError)
    /// The database refuses these facts of a batch, whenever it is asked; it takes the others.
    case factsRefused(Batch, PostgresError)

    /// Whether the same call can succeed later without any change.
    package var isTransient: Bool {
        switch self {
        case .database(let error): error.isTransient
        case .notInTime: true
        case .noSuchChannel, .channelExists, .staleVersion, .unreadableSettings, .unreadable, .factsRefused:
            false
        }
    }

    /// The facts of a batch that have to be left out; nil for every other error.
    package var refusedFacts: Batch? {
        if case .factsRefused(let facts, _) = self { facts } else { nil }
    }

    package var description: String {
        switch self {
        case .noSuchChannel(let id): "there is no channel \(id)"
        case .channelExists(let id): "channel \(id) already exists"
        case .staleVersion(let current): "the channel has changed and now has version \(current)"
        case .unreadableSettings(let channel, let fault):
            "the stored settings of channel \(channel) cannot be read: \(fault)"
        case .unreadable(let what): "the catalogue contains unreadable data: \(what)"
        case .notInTime: "the catalogue did not answer in time"
        case .database(let error): "\(error)"
        case .factsRefused(let facts, let error): "\(facts.factCount) facts are refused: \(error)"
        }
    }

    /// Converts any error of a database call.
    static func wrapping(_ error: any Error) -> CatalogueError {
        switch error {
        case let error as CatalogueError: error
        case let error as PostgresError: .database(error)
        default: .unreadable("\(error)")
        }
    }
}

extension Catalogue {
    /// Runs database calls and converts their errors to `CatalogueError`.
    func mappingErrors<T>(_ body: () async throws -> T) async throws(CatalogueError) -> T {
        do {
            return try await body()
        } catch {
            throw .wrapping(error)
        }
    }
}
