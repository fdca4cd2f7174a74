import Catalogue
import Concurrency
import HTTP
import Logging
import Timeline

extension AdminAPI {
    /// Stops a channel and removes it from lists; `purge` also deletes its recordings, even after an earlier
    /// deletion.
    func deleteChannel(_ id: ChannelID, _ request: HTTPRequest) async throws -> HTTPResponse {
        let isPurge = try Query(request, knows: ["purge"]).flag("purge")
        return try await changing(id, request) { current, version in
            if isPurge {
                guard try await self.catalogue.storedChannel(id) != nil else { throw Problem.noChannel(id) }
                // Continues when the client has gone: an interrupted purge would start over at the next
                // attempt.
                _ = try await withCancellationShield(by: self.clock) {
                    try await self.catalogue.purge(
                        id, version: version, graceSeconds: self.configuration.deleteGraceSeconds)
                }
            } else {
                guard let current else { throw Problem.noChannel(id) }
                try await self.catalogue.delete(id, version: version)
                await self.updateRecordingSpan(of: current.row, id, isOn: false)
            }
            self.logger.info("Channel deleted", metadata: ["channel": "\(id)", "purge": "\(isPurge)"])
            return .noContent
        }
    }
}
