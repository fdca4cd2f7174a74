import Testing
import Timeline

@testable import Recorder

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
        ])
    func expiry(url: String, seconds: Int64) {
        #expect(TokenExpiry.expiry(of: url).map { $0.microseconds / 1_000_000 } == seconds)
    }

    @Test(
        "of other names or forms say nothing",
        arguments: ["http://a/v.m3u8", "http://a/v.m3u8?begin=1700000000", "http://a/v.m3u8?e=17&exp=never"])
    func nothing(url: String) {
        #expect(TokenExpiry.expiry(of: url) == nil)
    }
}
