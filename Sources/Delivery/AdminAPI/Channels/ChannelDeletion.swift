import Catalogue
import Concurrency
import HTTP
import JSON
import Logging
import Synchronization
import Timeline

extension AdminAPI {
    /// Stops a channel and removes it from lists; `purge` also deletes its recordings, even after an earlier
    /// deletion.
    func deleteChannel(_ id: ChannelID, _ request: HTTPRequest) async throws -> HTTPResponse {
        let isPurge = try Query(request, knows: ["purge"]).flag("purge")
        if isPurge {
            guard let stored = try await catalogue.storedChannel(id) else { throw Problem.noChannel(id) }
            // A deleted channel has no version that a request could state.
            if stored.isDeleted { return try await purge(id, version: nil) }
        }
        return try await changing(id, request) { current, version in
            if isPurge { return try await self.purge(id, version: version) }
            guard let current else { throw Problem.noChannel(id) }
            try await self.catalogue.delete(id, version: version)
            await self.updateRecordingSpan(of: current.row, id, isOn: false)
            self.logger.info("Channel deleted", metadata: ["channel": "\(id)"])
            return .noContent
        }
    }

    /// Answers 204 when everything is deleted, or 202 if that takes longer than `purgeAnswer`.
    ///
    /// The purge continues when the client has gone or has got its answer: an interrupted one would start
    /// over at the next attempt. A request for a channel that is being purged waits for the same purge.
    private func purge(_ id: ChannelID, version: Int64?) async throws -> HTTPResponse {
        let grace = configuration.deleteGraceSeconds
        let purge = purges.purge(of: id) { [catalogue, logger] () async throws(CatalogueError) in
            do throws(CatalogueError) {
                let count = try await catalogue.purge(id, version: version, graceSeconds: grace)
                logger.info("Channel purged", metadata: ["channel": "\(id)", "segments": "\(count)"])
            } catch {
                logger.warning("Cannot purge a channel", metadata: ["channel": "\(id)", "error": "\(error)"])
                throw error
            }
        }
        guard let outcome = await purge.value(within: configuration.purgeAnswer, by: clock) else {
            return .json(
                ["detail": "the recordings are being deleted; repeat the request to wait for the end"],
                status: .accepted)
        }
        purges.forget(purge, of: id)
        try outcome.get()
        return .noContent
    }
}

/// The purges that are running, and those that failed after their requests were answered: at most one for
/// each channel.
final class Purges: Sendable {
    typealias Purge = Task<Result<Void, CatalogueError>, Never>

    private let known = Mutex<[ChannelID: Purge]>([:])

    /// The running or failed purge of a channel, or `work`, which then starts.
    func purge(
        of id: ChannelID, _ work: @escaping @Sendable () async throws(CatalogueError) -> Void,
    ) -> Purge {
        known.withLock { known in
            if let purge = known[id] { return purge }
            let purge = Purge {
                let outcome = await Result(of: work)
                if case .success = outcome { self.known.withLock { $0[id] = nil } }
                return outcome
            }
            known[id] = purge
            return purge
        }
    }

    /// Removes a purge whose outcome a client knows.
    func forget(_ purge: Purge, of id: ChannelID) {
        known.withLock { if $0[id] == purge { $0[id] = nil } }
    }
}
