import Digest
import TestSupport
import Testing
import Timeline

@testable import Access

@Suite("Playback tokens")
struct TokenSignerTests {
    static let secret = "a-secret-of-this-test-0001"
    static let other = "a-secret-of-this-test-0002"

    private func signer(_ secrets: String...) throws -> TokenSigner {
        try #require(TokenSigner(secrets: secrets))
    }

    private static var grants: [PlaybackGrant] {
        let (news, films) = (ChannelID("news"), ChannelID("f" + String(repeating: "x", count: 62)))
        let plain = PlaybackGrant(id: TokenID(number: .max), expires: at(1000))
        var (one, both) = (plain, plain)
        one.channels = [news].compactMap(\.self)
        one.begin = at(-3)
        both.channels = [films, news].compactMap(\.self)
        (both.begin, both.end) = (at(10), at(20.000001))
        var ended = plain
        ended.end = at(20)
        return [plain, one, both, ended]
    }

    @Test("A token gives back what it was made for", arguments: grants)
    func whole(grant: PlaybackGrant) throws {
        let signer = try signer(Self.secret)
        #expect(signer.grant(of: try signer.token(for: grant)) == grant)
    }

    @Test("A token is its grant and the HMAC-SHA256 of it, as base64url")
    func form() throws {
        let grant = Self.grants[0]
        let token = try signer(Self.secret).token(for: grant)
        let bytes = try #require(Base64URL.decode(token))
        #expect(
            token.utf8.allSatisfy {
                Character(Unicode.Scalar($0)).isLetter || "0123456789-_".utf8.contains($0)
            })
        let code = try HMACSHA256.code(of: Array(bytes.dropLast(32)), key: Array(Self.secret.utf8))
        #expect(Array(bytes.suffix(32)) == code)
        #expect(Array(bytes.prefix(10)) == [1] + [UInt8](repeating: 255, count: 8) + [0])
    }

    @Test("A token with any bit flipped is refused", arguments: grants)
    func flipped(grant: PlaybackGrant) throws {
        let signer = try signer(Self.secret)
        let bytes = try #require(Base64URL.decode(try signer.token(for: grant)))
        for index in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << UInt8(bit)
                #expect(signer.grant(of: Base64URL.encode(other)) == nil)
            }
        }
    }

    @Test("A token of another length, or with other characters, is refused")
    func lengths() throws {
        let signer = try signer(Self.secret)
        let token = try signer.token(for: Self.grants[1])
        for count in 0..<token.count { #expect(signer.grant(of: token.prefix(count)) == nil) }
        for more in ["A", "AAAA", "=", "%3D", "\0", String(repeating: "A", count: 2000)] {
            #expect(signer.grant(of: token + more) == nil && signer.grant(of: more + token) == nil)
        }
    }

    @Test("The first secret signs, all verify, and no other")
    func rotation() throws {
        let (old, both, new) = (
            try signer(Self.secret), try signer(Self.other, Self.secret), try signer(Self.other)
        )
        let grant = Self.grants[2]
        let (former, latter) = (try old.token(for: grant), try both.token(for: grant))
        #expect(both.grant(of: former) == grant && both.grant(of: latter) == grant)
        #expect(new.grant(of: latter) == grant && new.grant(of: former) == nil)
        #expect(old.grant(of: latter) == nil && old.grant(of: former) == grant)
    }

    @Test("Bytes of another version, or not whole, are refused although they are signed")
    func versions() throws {
        let signer = try signer(Self.secret)
        let bytes = GrantBytes.write(Self.grants[2])
        func signed(_ bytes: [UInt8]) throws -> String {
            Base64URL.encode(bytes + (try HMACSHA256.code(of: bytes, key: Array(Self.secret.utf8))))
        }
        #expect(signer.grant(of: try signed(bytes)) == Self.grants[2])
        #expect(signer.grant(of: try signed([2] + bytes.dropFirst())) == nil)
        #expect(signer.grant(of: try signed(bytes.dropLast())) == nil)
        #expect(signer.grant(of: try signed(bytes + [3])) == nil)
        #expect(signer.grant(of: try signed(bytes + [1, 0x2F])) == nil)
        var flags = bytes
        flags[17] = 4
        #expect(signer.grant(of: try signed(flags)) == nil)
    }

    @Test("A signer shows no secret")
    func hidden() throws {
        let signer = try signer(Self.secret)
        var dump = ""
        Swift.dump(signer, to: &dump)
        #expect(!"\(signer) \(String(reflecting: signer)) \(dump)".contains("secret-of"))
        #expect(TokenSigner(secrets: []) == nil)
    }

    @Test(
        "A path is taken apart at its token",
        arguments: [
            ("/t/abc/live/a/b", "abc", "/live/a/b"), ("/t/abc/", "abc", "/"),
            ("/t//live/a", nil, nil), ("/t/abc", nil, nil), ("/tt/abc/live", nil, nil),
            ("/live/t/a", nil, nil),
        ] as [(String, String?, String?)])
    func paths(path: String, token: String?, rest: String?) {
        let parts = TokenPath(path)
        #expect(parts.map { String($0.token) } == token && parts.map { String($0.rest) } == rest)
    }
}
