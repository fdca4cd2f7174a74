import Catalogue
import HTTP
import Logging
import Timeline

extension AdminAPI {
    /// Stops a channel and takes it out of lists; with `purge` what it recorded goes too, also that of a channel which
    /// was deleted before.
    func deleteChannel(_ id: ChannelID, _ request: HTTPRequest) async throws -> HTTPResponse {
        let isPurge = try Query(request, knows: ["purge"]).flag("purge")
        return try await changing(id, request) { current, version in
            if isPurge {
                guard try await self.catalogue.channel(id) != nil else { throw Problem.noChannel(id) }
                // Goes on when nobody waits any more: half a purge would be none, and each try as long as the one before.
                _ = try await Task {
                    try await self.catalogue.purge(
                        id, version: version, graceSeconds: self.configuration.deleteGraceSeconds)
                }.value
            } else {
                guard current != nil else { throw Problem.noChannel(id) }
                try await self.catalogue.delete(id, version: version)
            }
            self.logger.info("Channel deleted", metadata: ["channel": "\(id)", "purge": "\(isPurge)"])
            return .noContent
        }
    }
}
