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
                try await self.purge(id, current: current, version: version)
            } else {
                guard current != nil else { throw Problem.noChannel(id) }
                try await self.catalogue.delete(id, version: version)
            }
            self.logger.info("Channel deleted", metadata: ["channel": "\(id)", "purge": "\(isPurge)"])
            return .noContent
        }
    }

    /// First the settings say that nothing is recorded or kept any more, then the channel goes, then the facts.
    ///
    /// What a recorder still has in flight, the initialization sections and the keys are left to retention: it reads
    /// the settings of deleted channels too. Bytes follow when the readers' grace is over.
    private func purge(_ id: ChannelID, current: Channel?, version: Int64?) async throws {
        guard let known = try await catalogue.channel(id) else { throw Problem.noChannel(id) }
        var settings = (current ?? known).settings
        settings.recording = false
        settings.retentionSeconds = 0
        let emptied =
            current == nil
            ? try await catalogue.create(settings)
            : try await catalogue.replace(settings, version: version)
        try await catalogue.delete(id, version: emptied.version)
        let line = try await catalogue.line(of: emptied.row)
        let forgotten = try await catalogue.forget(
            emptied, before: max(now(), line.end), graceSeconds: configuration.deleteGraceSeconds)
        logger.info("Channel purged", metadata: ["channel": "\(id)", "segments": "\(forgotten)"])
    }
}
