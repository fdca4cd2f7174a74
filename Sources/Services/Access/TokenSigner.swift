package import Digest
package import Timeline

/// Makes playback tokens and verifies them: the bytes of a grant and their HMAC-SHA256, as base64url.
///
/// The first secret signs, all verify: a secret is replaced by putting the new one in front, and removing the
/// old one when its tokens have expired. Secrets are never printed.
package struct TokenSigner: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    private let secrets: [[UInt8]]

    /// Nil without a secret.
    package init?(secrets: [String]) {
        guard !secrets.isEmpty else { return nil }
        self.secrets = secrets.map { Array($0.utf8) }
    }

    package var description: String { "a signer of playback tokens" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The token of a grant, whose channels are within `Limits.channelBytes`.
    package func token(for grant: PlaybackGrant) throws(DigestError) -> String {
        let bytes = GrantBytes.write(grant)
        return Base64URL.encode(bytes + (try HMACSHA256.code(of: bytes, key: secrets[0])))
    }

    /// The grant of a token; nil if none of the secrets signed it.
    ///
    /// The code is compared in constant time, and nothing is read from bytes that are not signed.
    func grant(of token: some StringProtocol) -> PlaybackGrant? {
        guard token.utf8.count <= Limits.tokenCharacters, let bytes = Base64URL.decode(token),
            bytes.count > HMACSHA256.byteCount
        else { return nil }
        let signed = bytes.dropLast(HMACSHA256.byteCount)
        let code = Array(bytes.suffix(HMACSHA256.byteCount))
        let isGenuine = secrets.contains { secret in
            guard let own = try? HMACSHA256.code(of: Array(signed), key: secret) else { return false }
            return constantTimeEqual(own, code)
        }
        return isGenuine ? GrantBytes.read(signed) : nil
    }
}
