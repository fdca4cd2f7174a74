import Access
import Catalogue
import Concurrency
import Digest
import HTTP
import JSON
import Logging
import TimeZones
import Timeline

/// Playback tokens: made, listed and revoked. The text of a token is in the answer that makes it and nowhere
/// else.
extension AdminAPI {
    func createToken(_ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try Query(request, knows: [])
        guard let signer = configuration.tokenSigner else { throw Problem.openPlayback }
        let document = try Self.document(in: request, types: [.json])
        let (zone, missing) = try await channels(TokenReader.channels(in: document))
        for _ in 1...Limits.tokenTries {
            let now = clock.now()
            let id = TokenID(made: now, random: try randomBytes(4).reduce(0) { $0 << 8 | UInt32($1) })
            let grant = try TokenReader(now: now, zone: NamedZone.reading(zone)).grant(from: document, id: id)
            if let missing { throw Problem.noChannel(missing) }
            let issued = IssuedToken(grant: grant, created: now)
            guard try await catalogue.enter(issued) else { continue }
            let token = try signer.token(for: grant)
            logger.info("Playback token made", metadata: ["token": "\(id)"])
            let texts: [JSONValue.Member] = [
                .init(name: "token", value: .string(token)),
                .init(name: "path_prefix", value: .string("\(TokenPath.root)\(token)")),
            ]
            return .json(
                .object(texts + Self.members(of: issued)), status: .created,
                headers: ["Location": "/api/v1/tokens/\(id)"])
        }
        throw Problem(.serviceUnavailable, "there are too many new tokens at once").retryable(
            afterSeconds: 1)
    }

    /// The zone of times without a zone, and the first channel that does not exist.
    ///
    /// The zone is that of the channels if all have the same, else UTC.
    private func channels(
        _ ids: [ChannelID]
    ) async throws(CatalogueError) -> (zone: String, missing: ChannelID?) {
        var zones: Set<String> = []
        for id in ids {
            guard let stored = try await catalogue.storedChannel(id) else { return ("UTC", id) }
            zones.insert((try? stored.channel.get())?.settings.timeZone ?? "UTC")
        }
        return (zones.count == 1 ? zones.first ?? "UTC" : "UTC", nil)
    }

    /// One page of the tokens that are not revoked, in the order in which they were made.
    func listTokens(_ request: HTTPRequest) async throws -> HTTPResponse {
        let query = try Query(request, knows: ["limit", "cursor"])
        let limit = try query.integer("limit", in: Limits.pageItems, default: Limits.defaultPageItems)
        let cursor = query["cursor"].map { TokenID($0) }
        if case .some(nil) = cursor {
            throw Problem.invalid([Fault(parameter: "cursor", "is not a cursor from a list")])
        }
        let tokens = try await catalogue.tokens(after: cursor.flatMap(\.self), limit: Int(limit) + 1)
        let page = tokens.prefix(Int(limit))
        let next = tokens.count > page.count ? page.last?.grant.id.description : nil
        let link = next.map { "</api/v1/tokens?limit=\(limit)&cursor=\($0)>; rel=\"next\"" }
        return .json(
            [
                "items": .array(page.map { .object(Self.members(of: $0)) }),
                "next_cursor": .optional(next),
            ], headers: link.map { ["Link": $0] } ?? [:])
    }

    func getToken(_ id: TokenID, _ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try Query(request, knows: [])
        guard let token = try await catalogue.token(id) else { throw Problem.noToken }
        return .json(.object(Self.members(of: token)))
    }

    func revokeToken(_ id: TokenID, _ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try Query(request, knows: [])
        guard try await catalogue.revoke(id) else { throw Problem.noToken }
        logger.info("Playback token revoked", metadata: ["token": "\(id)"])
        return .noContent
    }

    private static func members(of token: IssuedToken) -> [JSONValue.Member] {
        let grant = token.grant
        let channels: [JSONValue] = grant.channels.map { .string($0.text) }
        let channel = channels.count > 1 ? .array(channels) : channels.first ?? "*"
        return [
            .init(name: "id", value: .string(grant.id.description)),
            .init(name: "channel", value: channel),
            .init(name: "created_at", value: .optional(token.created)),
            .init(name: "expires_at", value: .optional(grant.expires)),
            .init(name: "begin", value: .optional(grant.begin)),
            .init(name: "end", value: .optional(grant.end)),
        ]
    }
}

extension Problem {
    static let noToken = Problem.notFound("there is no such token, or it is revoked")

    fileprivate static let openPlayback = Problem(
        .conflict,
        "playback is open: tokens can be made when BACKCAST_PLAYBACK_SECRET is set for this process")
}
