import Catalogue
import HTTP
import JSON
import Timeline

extension AdminAPI {
    /// One page of the channels, in order of their ids.
    func listChannels(_ request: HTTPRequest) async throws -> HTTPResponse {
        let query = try Query(request, knows: ["limit", "cursor"])
        let limit = try query.integer("limit", in: Limits.pageItems, default: Limits.defaultPageItems)
        let cursor = try Self.cursor(query)
        let channels = try await catalogue.channels(after: cursor ?? "", limit: Int(limit) + 1)
        let page = channels.prefix(Int(limit))
        let next = channels.count > page.count ? page.last?.id.text : nil
        let document: JSONValue = [
            "items": .array(page.map { ChannelDocument.document(of: $0.settings) }),
            "next_cursor": .optional(next),
        ]
        let link = next.map { "</api/v1/channels?limit=\(limit)&cursor=\($0)>; rel=\"next\"" }
        return .json(document, headers: link.map { ["Link": $0] } ?? [:])
    }

    /// A cursor is the last id of the previous page: it stays valid when that channel is deleted.
    private static func cursor(_ query: Query) throws(Problem) -> String? {
        guard let text = query["cursor"] else { return nil }
        guard ChannelID(text) != nil else {
            throw .invalid([Fault(parameter: "cursor", "is not a cursor from a list")])
        }
        return text
    }

    func getChannel(_ id: ChannelID, _ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try Query(request, knows: [])
        let conditions = try Conditions(of: request)
        let channel = try await existingChannel(id)
        switch conditions.outcome(for: channel.entityTag) {
        case .proceed: return Self.response(of: channel)
        case .notModified:
            return HTTPResponse(
                status: .notModified,
                headers: ["ETag": channel.entityTag.fieldValue, "Cache-Control": "no-store"],
                body: Self.response(of: channel).body)
        case .preconditionFailed: throw Self.staleVersion
        }
    }

    /// A channel that is neither unknown nor deleted.
    func existingChannel(_ id: ChannelID) async throws -> Channel {
        guard let stored = try await catalogue.storedChannel(id), !stored.isDeleted else {
            throw Problem.noChannel(id)
        }
        return try stored.channel.get()
    }

    static let staleVersion = Problem(
        .preconditionFailed, "the channel is not in the version that If-Match or If-None-Match names")

    static func response(of channel: Channel, status: HTTPStatus = .ok) -> HTTPResponse {
        var headers: HTTPHeaders = ["ETag": channel.entityTag.fieldValue]
        if status == .created { headers["Location"] = "/api/v1/channels/\(channel.id)" }
        return .json(ChannelDocument.document(of: channel.settings), status: status, headers: headers)
    }
}
