package import Catalogue
package import Concurrency
package import Logging
import Synchronization
package import Timeline

/// Who may watch: verifies playback tokens, and knows which are revoked.
///
/// Safe to use from any thread; nothing waits but `run`.
package final class PlaybackAccess: Sendable {
    package enum Verdict: Sendable, Equatable {
        /// Playback needs no token.
        case open
        case granted(PlaybackGrant)
        /// No token, or one that is forged, expired or revoked.
        case refused
        /// It is not known yet which tokens are revoked.
        case unknown
    }

    private struct State {
        /// Verified tokens by their text.
        var verified: [Substring: PlaybackGrant] = [:]
        /// Tokens that are revoked, some of which have expired; nil before the first read.
        var revoked: Set<TokenID>?
        /// The number of the newest revocation that is known.
        var revision: Int64 = 0
    }

    private let signer: TokenSigner?
    private let catalogue: Catalogue
    private let clock: HostClock
    private let logger: Logger
    private let state = Mutex(State())
    /// One read at a time: an older answer must not replace a newer one.
    private let reading = AsyncSemaphore(permits: 1)

    /// Creates it; without a signer playback is open.
    package init(signer: TokenSigner?, catalogue: Catalogue, clock: HostClock, logger: Logger) {
        (self.signer, self.catalogue) = (signer, catalogue)
        (self.clock, self.logger) = (clock, logger)
    }

    /// Whether playback needs no token.
    package var isOpen: Bool { signer == nil }

    /// What a token permits now; nil stands for a request without one.
    ///
    /// A token that was verified before takes one look-up.
    package func verdict(on token: Substring?) -> Verdict {
        guard let signer else { return .open }
        guard let token else { return .refused }
        let (known, isKnown) = state.withLock { ($0.verified[token], $0.revoked != nil) }
        guard isKnown else { return .unknown }
        guard let grant = known ?? verified(token, by: signer), isValid(grant) else { return .refused }
        return .granted(grant)
    }

    /// Whether a token that was good is still: neither expired nor revoked.
    package func isValid(_ grant: PlaybackGrant) -> Bool {
        clock.now() < grant.expires && !isRevoked(grant)
    }

    /// Whether a token that was good has been revoked.
    package func isRevoked(_ grant: PlaybackGrant) -> Bool {
        state.withLock { $0.revoked?.contains(grant.id) ?? false }
    }

    private func verified(_ token: Substring, by signer: TokenSigner) -> PlaybackGrant? {
        guard let grant = signer.grant(of: token) else { return nil }
        // A text of its own: the substring would keep the whole path.
        let key = Substring(String(token))
        state.withLock { state in
            if state.verified.count >= Limits.verifiedTokens { state.verified.removeAll() }
            state.verified[key] = grant
        }
        return grant
    }
}

/// Keeping up with revocations.
extension PlaybackAccess {
    /// Follows the revocations of all nodes until cancelled: at each announcement, and every two seconds.
    ///
    /// While the catalogue is unavailable, what is known stays.
    package func run() async {
        guard signer != nil else { return }
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await isWhole in self.catalogue.revocationChanges() {
                    await self.readLogged(isWhole: isWhole)
                }
            }
            group.addTask {
                var whole = self.clock.steady()
                while !Task.isCancelled {
                    let now = self.clock.steady()
                    let isWhole = now >= whole
                    if isWhole { whole = now + Limits.fullReadInterval }
                    await self.readLogged(isWhole: isWhole)
                    try? await self.clock.sleep(for: Limits.pollInterval)
                }
            }
        }
    }

    private func readLogged(isWhole: Bool) async {
        do {
            try await read(isWhole: isWhole)
        } catch {
            guard !Task.isCancelled else { return }
            logger.warning("Cannot read which tokens are revoked", metadata: ["error": "\(error)"])
        }
    }

    /// Reads the new revocations, or all of them.
    ///
    /// Only a full read may lower the known revision: a restored catalogue counts on from an earlier one.
    func read(isWhole: Bool) async throws {
        try await reading.withPermit {
            let known = state.withLock { $0.revoked == nil || isWhole ? 0 : $0.revision }
            let found = try await catalogue.revokedTokens(after: known)
            state.withLock { state in
                state.revoked = known == 0 ? found.ids : (state.revoked ?? []).union(found.ids)
                state.revision = known == 0 ? found.revision : max(state.revision, found.revision)
            }
        }
    }
}
