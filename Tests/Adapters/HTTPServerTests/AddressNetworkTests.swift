import HTTPServer
import Testing

@Suite("Networks of addresses")
struct AddressNetworkTests {
    @Test(
        "contains",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "127.0.0.2", false), ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "::1", false),
            ("192.168.1.129/25", "192.168.1.200", true), ("192.168.1.129/25", "192.168.1.100", false),
            ("fd00::/8", "fd12::1", true), ("fd00::/8", "fe00::1", false),
            ("2001:db8::/65", "2001:db8::7fff:0:0:1", true),
            ("2001:db8::/65", "2001:db8::8000:0:0:1", false), ("::/0", "::1", true), ("::1/128", "::1", true),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true),
        ])
    func contains(network: String, address: String, expected: Bool) throws {
        let address = try #require(PeerAddress.reading(address))
        #expect(try AddressNetwork.reading(network).contains(address) == expected)
    }

    @Test(
        "refused",
        arguments: ["", "a", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "::/129", "10.0.0/8", "/8"])
    func refused(text: String) {
        #expect(throws: HTTPServerError.self) { try AddressNetwork.reading(text) }
    }

    @Test(
        "addresses are written as they are read",
        arguments: ["1.2.3.4", "255.255.255.255", "::1", "2001:db8::5"])
    func description(text: String) throws {
        #expect(PeerAddress.reading(text)?.description == text)
    }
}
