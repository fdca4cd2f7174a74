import HTTPServer
import Testing

@Suite("Addresses to listen on")
struct ListenAddressTests {
    @Test(
        "read",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:1", "::1", 1), ("[::]:0", "::", 0),
            (":65535", "0.0.0.0", 65535),
            ("*:80", "0.0.0.0", 80), ("localhost:81", "127.0.0.1", 81),
        ])
    func read(text: String, host: String, port: Int) throws {
        let address = try ListenAddress.reading(text)
        #expect(address == ListenAddress(host: host, port: UInt16(port)))
        #expect(try ListenAddress.reading("\(address)") == address)
    }

    @Test(
        "refused",
        arguments: [
            "", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:1x",
            "::1:80",
            "[127.0.0.1]:80", "example.org:80", "[::1:80", "[]:80", "[fe80::1%lo]:80", "300.0.0.1:80",
            "127.0.0.1:٣",
        ])
    func refused(text: String) {
        #expect(throws: HTTPServerError.self) { try ListenAddress.reading(text) }
    }
}
