import Digest
import Testing
import Timeline

@testable import Recorder

/// A JSON Web Token with what stands for a signature.
private let token = [
    #"{"alg":"HS256"}"#, #"{"sub":"x", "exp" : 1700000000,"iat":1}"#, "signature",
].map { Base64URL.encode($0.utf8) }.joined(separator: ".")

@Suite("Tokens in URLs")
struct TokenExpiryTests {
    @Test(
        "say when they expire",
        arguments: [
            ("http://a/v.m3u8?exp=1700000000", 1_700_000_000),
            ("http://a/v.m3u8?x=1&Expires=1700000000&y", 1_700_000_000),
            ("http://a/v.m3u8?e=1700000000&st=abc", 1_700_000_000),
            ("http://a/v.m3u8?expires=1700000000123", 1_700_000_000),
            ("http://a/hdnts=exp=1700000000~acl=/*~hmac=ab/v.m3u8", 1_700_000_000),
            ("http://a/v.m3u8?hdnea=st%3D1600000000%7Eexp%3D1700000000%7Eacl%3D%2F*", 1_700_000_000),
            ("http://a/v.m3u8?exp=1800000000&e=1700000000", 1_700_000_000),
            ("http://a/v.m3u8?X-Amz-Date=20231114T221320Z&X-Amz-Expires=3600&X-Amz-S=a", 1_700_003_600),
            ("http://a/v.m3u8?X-Goog-Expires=60&X-Goog-Date=20231114T221320Z", 1_700_000_060),
            ("http://a/v.m3u8?Policy=ab&Expires=1700000000&Key-Pair-Id=K", 1_700_000_000),
            ("http://a/v.m3u8?token=\(token)", 1_700_000_000), ("http://a/\(token)/v.m3u8", 1_700_000_000),
            ("http://a/v.m3u8?t=\(token)&expires=1690000000", 1_690_000_000),
        ] as [(String, Int64)])
    func expiry(url: String, seconds: Int64) {
        #expect(TokenExpiry.expiry(of: url).map { $0.microseconds / 1_000_000 } == seconds)
    }

    @Test(
        "of other names or forms say nothing",
        arguments: [
            "http://a/v.m3u8", "http://a/v.m3u8?begin=1700000000", "http://a/v.m3u8?e=17&exp=never",
            "http://a/v.m3u8?X-Amz-Expires=3600",
            "http://a/v.m3u8?X-Amz-Date=20231314T221320Z&X-Amz-Expires=60",
            "http://a/v.m3u8?token=eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl", "http://a/eyJ.%.x/v.m3u8",
        ])
    func nothing(url: String) {
        #expect(TokenExpiry.expiry(of: url) == nil)
    }
}
