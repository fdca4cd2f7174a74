/// Why a playlist could not be read from a source.
package enum SourceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No answer: name, connection, TLS, time or size.
    case unreachable(String)
    /// The source was not asked, as too many transfers were running here: it has not failed.
    case notAsked(String)
    /// An answer other than 200.
    case refused(status: Int)
    /// The answer is not a playlist that can be recorded.
    case unusable(String)

    /// The source's session may be over: its first playlist must be read again.
    var needsReload: Bool {
        if case .refused(let status) = self { [401, 403, 404, 410].contains(status) } else { false }
    }

    var isUnreachable: Bool {
        if case .unusable = self { false } else { true }
    }

    package var description: String {
        switch self {
        case .unreachable(let reason), .notAsked(let reason), .unusable(let reason): reason
        case .refused(let status): "the source answered \(status)"
        }
    }
}
