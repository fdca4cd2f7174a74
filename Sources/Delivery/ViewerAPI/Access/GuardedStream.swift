import Access
import HTTP
import Timeline

/// A body that ends early when the viewer's token is no longer valid.
///
/// The token is checked before each piece is sent, also after the body has waited for media.
final class GuardedStream: HTTPBodySource {
    private let source: any HTTPBodySource
    private let isPermitted: @Sendable () -> Bool

    /// Why a body breaks off: the connection is closed, so that what was sent does not look whole.
    struct Withdrawn: Error {}

    init(_ source: any HTTPBodySource, while isPermitted: @escaping @Sendable () -> Bool) {
        (self.source, self.isPermitted) = (source, isPermitted)
    }

    func next(limit: Int) async throws -> [UInt8]? {
        let piece = try await source.next(limit: limit)
        guard isPermitted() else { throw Withdrawn() }
        return piece
    }
}

extension HTTPAnswer {
    /// The same answer; a stream ends when its token is revoked, and one without an end also when it expires.
    func guarded(by access: PlaybackAccess, for grant: PlaybackGrant, _ path: String) -> HTTPAnswer {
        let guarded: @Sendable (HTTPResponse) -> HTTPResponse = { response in
            guard case .stream(let length, let source) = response.body else { return response }
            var isEndless = false
            if case .window(let route) = ViewerRoute(path: path) {
                isEndless = route.resource == .endlessStream
            }
            var response = response
            response.body = .stream(
                length: length,
                GuardedStream(source) { [isEndless] in
                    isEndless ? access.isValid(grant) : !access.isRevoked(grant)
                })
            return response
        }
        return switch self {
        case .now(let response): .now(guarded(response))
        case .later(let make): .later { guarded(await make()) }
        case .lightweight(let make): .lightweight { guarded(await make()) }
        case .reserved(let make): .reserved { guarded(await make()) }
        }
    }
}
