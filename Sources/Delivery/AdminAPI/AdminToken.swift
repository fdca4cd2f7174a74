package import Digest
import HTTP

/// The bearer token of the admin API: a secret that is never printed.
package struct AdminToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    private let digest: [UInt8]

    /// Keeps only the token's digest; throws when the library cannot compute it.
    package init(_ text: String) throws(DigestError) {
        digest = try SHA256.digest(of: Array(text.utf8))
    }

    package var description: String { "an admin token" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether a text is the token, compared in constant time.
    func matches(_ text: some StringProtocol) -> Bool {
        guard let other = try? SHA256.digest(of: Array(text.utf8)) else { return false }
        return constantTimeEqual(digest, other)
    }

    /// Refuses a request that does not carry the token (RFC 6750 §2.1, §3).
    func check(_ headers: HTTPHeaders) throws(Problem) {
        let values = headers.values(of: "Authorization")
        guard values.count == 1, let value = values.first else {
            throw Self.refusal("an Authorization header with the admin token is required", challenge: "")
        }
        let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Self.refusal("the Authorization header is not of the form \"Bearer TOKEN\"", challenge: "")
        }
        guard matches(parts[1]) else {
            throw Self.refusal("this is not the admin token", challenge: ", error=\"invalid_token\"")
        }
    }

    private static func refusal(_ detail: String, challenge: String) -> Problem {
        var problem = Problem(.unauthorized, detail)
        problem.headers["WWW-Authenticate"] = "Bearer realm=\"backcast\"" + challenge
        return problem
    }
}
