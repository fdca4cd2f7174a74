import HTTP
import Testing

@Suite("data: URIs")
struct DataURITests {
    @Test(
        "give the bytes that they hold, in base64 or with escapes",
        arguments: [
            ("data:,A%20b", "A b"), ("data:text/plain;charset=utf-8,x,y", "x,y"), ("DATA:,", ""),
            ("data:text/plain;base64,Zm9v", "foo"), ("data:;BASE64,Zm8=", "fo"), ("data:;base64,Zg==", "f"),
            ("data:;base64,Zg", "f"), ("data:;base64,Zg%3D%3D", "f"), ("data:;base64,", ""),
        ])
    func bytes(uri: String, text: String) {
        #expect(DataURI.bytes(of: uri) == Array(text.utf8))
    }

    @Test("use all digits of base64")
    func digits() {
        #expect(DataURI.bytes(of: "data:;base64,+/+/") == [0xFB, 0xFF, 0xBF])
        #expect(DataURI.bytes(of: "data:;base64,AAECAwQFBgcICQoLDA0ODw==") == Array(0...15))
    }

    @Test(
        "are not those without a comma, with wrong escapes, or with other digits than those of base64",
        arguments: [
            "data:", "data:text/plain", "http://a.test/,", "key", "", "data:,%2", "data:;base64,Zg=a",
            "data:;base64,Zm9v!", "data:;base64,Z", "data:;base64,Zg===", "data:;base64,Zm9-",
        ])
    func unreadable(uri: String) {
        #expect(DataURI.bytes(of: uri) == nil)
    }
}
