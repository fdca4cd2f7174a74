import Catalogue
import Concurrency
import HTTP
import JSON
import Logging
import Timeline

extension AdminAPI {
    /// Lets a channel whose timeline is ahead of the present time continue at the present time.
    func reanchor(_ id: ChannelID, _ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try Query(request, knows: [])
        try Self.refuseFields(in: request)
        let channel = try await existingChannel(id)
        // Continues when the client has gone: another attempt would only be told that nothing lies ahead.
        let reanchored = try await withCancellationShield(by: clock) {
            try await self.catalogue.reanchor(channel)
        }
        guard let reanchored else {
            throw Problem(.conflict, "the timeline of channel \(id) does not lie ahead of now")
        }
        logger.notice(
            "Channel reanchored", metadata: ["channel": "\(id)", "set_aside": "\(reanchored.setAside)"])
        return .json([
            "channel": .string(id.text),
            "live_edge": .optional(reanchored.liveEdge),
            "set_aside": .integer(Int64(reanchored.setAside)),
        ])
    }

    /// Refuses any body except an empty object, which some clients always send.
    private static func refuseFields(in request: HTTPRequest) throws(Problem) {
        if request.body.isEmpty { return }
        var reader = ObjectReader(try document(in: request, types: [.json]), at: .root)
        reader.refuseUnknownFields()
        guard reader.faults.isEmpty else { throw .invalid(reader.faults) }
    }
}
